/** A server's URL: what may be one, and how it may be shown and recorded. */
import { Problem } from '../../events/problem.js';

/** Origin and path alone: user, password and query may hold credentials. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** The address of a server over HTTP. Throws a `Problem` where it is none; what it holds is not repeated there. */
export function serverUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && ['http:', 'https:'].includes(parsed.protocol)) return parsed;
  const what =
    parsed === undefined
      ? 'the address of the server is no URL'
      : `servers are not spoken to over ${parsed.protocol}`;
  throw new Problem({ code: 'SERVER_URL', what, todo: 'write it as http://HOST:PORT/PATH' });
}
