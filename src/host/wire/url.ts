/** A server's URL as it may be shown and recorded. */

/** Origin and path alone: user, password and query may hold credentials. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
