/** A delivery: one message, or one wish, on its way over HTTP, and what became of it. */
import type { IncomingMessage } from 'node:http';
import type { Exchange } from './ledger.js';

/** One delivery. It may take several HTTP requests, one after another, where it is redirected or taken up again. */
export class Delivery {
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** What it is called in a fault: the method of the message, or of HTTP. */
  readonly name: string;
  readonly body: Buffer | undefined;
  /** The request of ours that it carries; undefined for every other message, and where it carries none. */
  readonly exchange: Exchange | undefined;
  /** A response of success whose body nobody has read yet. */
  response: IncomingMessage | undefined;
  /** The last answer, where it is a redirect: in words, and its body, which nobody has read yet. */
  redirect: { words: string; response: IncomingMessage } | undefined;
  #abort: () => void = () => undefined;
  #signal: AbortSignal | undefined;
  #left = false;

  constructor(method: Delivery['method'], name: string, body?: Buffer, exchange?: Exchange) {
    this.method = method;
    this.name = name;
    this.body = body;
    this.exchange = exchange;
  }

  /** True where a request of ours still has no reply. */
  get isWaiting(): boolean {
    return this.exchange !== undefined && this.exchange.reply === undefined;
  }

  /** True once it was aborted by us: nobody wants the rest, and its end is no fault. */
  get isLeft(): boolean {
    return this.#left || this.#signal?.aborted === true;
  }

  /** Notes the request that now stands for it. */
  track(abort: () => void, signal: AbortSignal | undefined): void {
    this.#abort = abort;
    this.#signal = signal;
    if (this.#left) abort();
  }

  /** Notes the delivery that now stands for it. */
  continueIn(next: Delivery): void {
    this.track(() => next.leave(), this.#signal);
  }

  /** Aborts it. */
  leave(): void {
    this.#left = true;
    this.#abort();
  }
}
