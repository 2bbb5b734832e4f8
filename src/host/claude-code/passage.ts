/** An answer on its way through the proxy: counted, hashed and read as it passes. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { elapsedSince } from '../wire/time.js';
import { AnswerReader, type SaidAnswer } from './proxied-answer.js';

/** What came back for a model call. Everything is null where nothing did. */
export interface ProxiedAnswer extends SaidAnswer {
  http_status: number | null;
  request_id: string | null;
  /** Of the body as it was passed on. */
  response_bytes: number;
  response_sha256: string;
  elapsed_ms: number;
  /** Why the answer broke off, or never began; null where it is whole. */
  broken: string | null;
}

/** What came back so far; `heard` is told once it is over. */
export class Passage {
  readonly #heard: (answer: ProxiedAnswer) => void;
  readonly #started = performance.now();
  readonly #hash = createHash('sha256');
  readonly #reader = new AnswerReader();
  #status: number | null = null;
  #requestId: string | null = null;
  #bytes = 0;
  #over = false;

  constructor(heard: (answer: ProxiedAnswer) => void) {
    this.#heard = heard;
  }

  begin({ statusCode, headers }: IncomingMessage): void {
    this.#status = statusCode ?? null;
    const id = headers['request-id'];
    this.#requestId = typeof id === 'string' ? id : null;
  }

  data(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#hash.update(chunk);
    this.#reader.push(chunk);
  }

  /** Once: what comes after it is not heard. */
  end(broken: string | null): void {
    if (this.#over) return;
    this.#over = true;
    this.#heard({
      ...{ http_status: this.#status, request_id: this.#requestId, response_bytes: this.#bytes },
      ...{ response_sha256: this.#hash.digest('hex'), elapsed_ms: elapsedSince(this.#started) },
      ...{ broken, ...this.#reader.said() },
    });
  }
}
