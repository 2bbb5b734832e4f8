/** How to agree on a protocol with a server. */

/**
 * `legacy` is `initialize`, `2026-07-28` is `server/discover` and nothing else, `auto` tries the second and falls back
 * on the first.
 */
export const PROTOCOLS = ['auto', 'legacy', '2026-07-28'] as const;

/** One of `PROTOCOLS`. */
export type ProtocolChoice = (typeof PROTOCOLS)[number];
