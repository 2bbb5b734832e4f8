/** A response body: counted and hashed as it comes, so that each message in it can say what carried it. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { HttpFacts } from './ledger.js';

const HEAD_BYTES = 4096;

/** The body of one response, read once. */
export class HttpBody {
  readonly status: number;
  /** The media type alone, in lower case; null where there is none. */
  readonly type: string | null;
  readonly #response: IncomingMessage;
  readonly #hash = createHash('sha256');
  /** The first 4 KiB, as far as they were read. */
  head: Buffer = Buffer.alloc(0);
  #bytes = 0;

  constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.type = mediaType(response);
  }

  /** The chunks as they come. Ends without an error where the body breaks off: see `whole`. */
  async *chunks(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of this.#response) {
        if (!Buffer.isBuffer(chunk)) continue;
        this.#hash.update(chunk);
        this.#bytes += chunk.length;
        if (this.head.length < HEAD_BYTES)
          this.head = Buffer.concat([this.head, chunk]).subarray(0, HEAD_BYTES);
        yield chunk;
      }
    } catch {
      // That the connection broke is what `whole` says.
    }
  }

  /** The first bytes of the body, at most one chunk more than `capBytes`. The rest is not waited for. */
  async upTo(capBytes: number): Promise<Buffer> {
    const kept: Buffer[] = [];
    let length = 0;
    for await (const chunk of this.chunks()) {
      kept.push(chunk);
      length += chunk.length;
      if (length > capBytes) break;
    }
    return Buffer.concat(kept, length);
  }

  /** How it is encoded, where it is: nobody asked for that, and it is not decoded. */
  get encoding(): string | null {
    const encoding = this.#response.headers['content-encoding'] ?? 'identity';
    return encoding === 'identity' ? null : encoding;
  }

  /** Bytes that were read so far. */
  get length(): number {
    return this.#bytes;
  }

  /** True once all of it has come. */
  get whole(): boolean {
    return this.#response.complete;
  }

  /** What HTTP put around a message that ends here: the body is measured as far as it was read. */
  facts(): HttpFacts {
    return {
      status: this.status,
      content_type: this.#response.headers['content-type'] ?? null,
      body_bytes: this.#bytes,
      body_sha256: this.#hash.copy().digest('hex'),
    };
  }
}

/** The media type of a response alone, in lower case; null where there is none. */
export function mediaType({ headers }: IncomingMessage): string | null {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase() || null;
}
