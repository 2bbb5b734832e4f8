/** A server's URL: what may be one, and how it may be shown and recorded. */
import { Problem } from '../../events/problem.js';

/** Origin and path alone: user, password and query may hold credentials. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** Whether a word is meant as an address, of whatever scheme, and not as a command. */
export function isAddress(word: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(word);
}

/** Whether an address can be that of a server. */
export function isServerUrl(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}

/** The address of a server over HTTP. Throws a `Problem` where it is none; what it holds is not repeated there. */
export function serverUrl(url: string): URL {
  if (isServerUrl(url)) return new URL(url);
  const what = URL.canParse(url)
    ? `servers are not spoken to over ${new URL(url).protocol}`
    : 'the address of the server is no URL';
  throw new Problem({ code: 'SERVER_URL', what, todo: 'write it as http://HOST:PORT/PATH' });
}
