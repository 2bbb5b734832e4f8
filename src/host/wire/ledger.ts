/** The ledger of requests that we sent: which reply belongs to which, and which replies nobody waits for. */
import type { JsonObject } from './json.js';

/** A line as measured: bytes and SHA-256 without its newline, and when it crossed, in monotonic milliseconds. */
export interface LineFacts {
  bytes: number;
  sha256: string;
  at_ms: number;
}

/** A message that belongs to no exchange that anybody waits for. */
export interface PassingMessage {
  direction: 'to_server' | 'to_client';
  kind: 'request' | 'notification' | 'response' | 'other';
  method: string | null;
  line: Buffer;
}

/** A reply: its exact line and the message parsed from it, nothing stripped and nothing added. */
export interface Reply {
  line: Buffer;
  facts: LineFacts;
  message: JsonObject;
  /** Over HTTP: the response that carried it. */
  http?: HttpFacts | undefined;
}

/** What HTTP put around a message. */
export interface HttpFacts {
  status: number;
  content_type: string | null;
  body_bytes: number;
  body_sha256: string;
}

/** One request of ours and, once it has come, its reply. */
export interface Exchange {
  id: string | number;
  method: string;
  request: LineFacts;
  /** The request as it was written, without its newline. */
  request_line: Buffer;
  /** True where nobody but the protocol client waits for it: its reply is a passing message. */
  passing: boolean;
  reply: Reply | undefined;
  /** Why its reply was dropped, where it was one that could not be read. */
  dropped?: string | undefined;
}

/** Where an id belongs: to a waiting request, to one that is over, or to none. */
export type Claim =
  | { kind: 'waiting'; exchange: Exchange; id_changed: boolean }
  | { kind: 'duplicate' | 'late' | 'unknown' | 'null_id' };

type Entry = Exchange | 'answered' | 'abandoned';

/** Remembers every id that was ever sent; the reply itself is kept only by whoever holds the exchange. */
export class Ledger {
  readonly #entries = new Map<string | number, Entry>();

  /** Notes a request that goes out now. */
  open(exchange: Exchange): void {
    this.#entries.set(exchange.id, exchange);
  }

  /** Says whose reply carries this id. A number that came back as a string, or the reverse, still finds its request. */
  claim(id: unknown): Claim {
    if (typeof id !== 'string' && typeof id !== 'number')
      return { kind: id === null ? 'null_id' : 'unknown' };
    const exact = this.#entries.get(id);
    const entry = exact ?? this.#entries.get(otherSpelling(id));
    if (entry === undefined) return { kind: 'unknown' };
    if (entry === 'answered') return { kind: 'duplicate' };
    if (entry === 'abandoned') return { kind: 'late' };
    return { kind: 'waiting', exchange: entry, id_changed: exact === undefined };
  }

  /** Notes the reply; another one with this id is a duplicate from now on. */
  answer(exchange: Exchange, reply: Reply): void {
    exchange.reply = reply;
    this.#entries.set(exchange.id, 'answered');
  }

  /** The one request that waits for a reply, if it is the only one. */
  onlyWaiting(): Exchange | undefined {
    const waiting = [...this.#entries.values()].filter((entry) => typeof entry === 'object');
    return waiting.length === 1 ? waiting[0] : undefined;
  }

  /** Stops waiting; a reply that still comes is late. Does nothing where the reply has come. */
  abandon(exchange: Exchange): void {
    if (this.#entries.get(exchange.id) === exchange) this.#entries.set(exchange.id, 'abandoned');
  }
}

/** The same id as the other type: only what a number is written as stands for it. */
function otherSpelling(id: string | number): string | number {
  if (typeof id === 'number') return String(id);
  return String(Number(id)) === id ? Number(id) : id;
}
