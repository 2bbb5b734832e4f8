/** One HTTP exchange with a model endpoint: its exact bytes in both directions, as far as they got. */

/** What crossed the wire in one call. */
export interface Exchange {
  status: number | null;
  headers: Headers | null;
  /** The response body as far as it came, decompressed; null where no response began. */
  body: Buffer | null;
  /** Whether the body was given up because it passes `BODY_LIMIT`. */
  endless: boolean;
  /** Why the request was not let out, where the host could not store it; else null. */
  refused: unknown;
}

/** A response body over this is given up: 32 MiB, many times the largest message there is. */
export const BODY_LIMIT = 32 * 1024 * 1024;

/** An exchange before anything crossed the wire. */
export function nothingSeen(): Exchange {
  return { status: null, headers: null, body: null, endless: false, refused: null };
}

/**
 * A fetch that hands over the request before it leaves, keeps the whole response, and follows no redirect: what is
 * recorded is what one endpoint was sent and answered. Throws what `onRequest` throws, and then sends nothing.
 */
export function recordingFetch(seen: Exchange, onRequest: (bytes: Buffer) => void): typeof fetch {
  return async (url, init) => {
    try {
      onRequest(Buffer.from(typeof init?.body === 'string' ? init.body : '', 'utf8'));
    } catch (error) {
      seen.refused = error;
      throw error;
    }
    const response = await fetch(url, { ...init, redirect: 'manual' });
    const { status, headers } = response;
    Object.assign(seen, { status, headers });
    const bytes = await readBody(response, seen);
    return new Response(BODILESS.includes(status) ? null : bytes, { status, headers });
  };
}

/** Statuses with which no Response can be made that has a body. */
const BODILESS = [204, 205, 304];

/** The whole body. What came of it is kept in `seen` where it breaks off, too. */
async function readBody(response: Response, seen: Exchange): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      bytes += chunk.length;
      seen.endless = bytes > BODY_LIMIT;
      if (seen.endless) throw new Error(`the response has more than ${BODY_LIMIT} bytes`);
    }
    return Buffer.concat(chunks);
  } finally {
    seen.body = Buffer.concat(chunks);
  }
}

/** Milliseconds of a Retry-After header: `retry-after-ms`, seconds, or an HTTP date. Null where there is none. */
export function retryAfter(headers: Headers | null, now: number = Date.now()): number | null {
  const ms = headers?.get('retry-after-ms');
  if (ms && Number(ms) >= 0) return Number(ms);
  const value = headers?.get('retry-after');
  if (!value) return null;
  const seconds = Number(value);
  if (seconds >= 0) return seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
