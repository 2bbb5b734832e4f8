/** What every transport of the recorder promises, whatever it runs over. */
import type { Transport } from '@modelcontextprotocol/client';
import type { CloseFacts, CloseWaits, ExitFacts } from './child.js';
import type { Fault } from './fault.js';
import type { Exchange, LineFacts, PassingMessage } from './ledger.js';

/** One line that crossed the wire. */
export interface WireLine extends LineFacts {
  direction: 'in' | 'out';
}

/** What the owner of a transport hears, and what it decides. */
export interface TransportOptions {
  onFault(fault: Fault): void;
  /** Every message that is neither a request that `onexchange` was told of nor the reply to one. */
  onPassing(message: PassingMessage): void;
  /** Every line both ways, in order. Lines over the cap and lines that are no JSON are among them. */
  onLine?: ((line: WireLine) => void) | undefined;
  /** The longest message that is taken from the server, in bytes; 64 MiB by default. */
  lineCapBytes?: number | undefined;
  waits?: CloseWaits | undefined;
}

/** A client transport that keeps account of each exchange. Used once: it does not start again after it closed. */
export interface WireTransport extends Transport {
  /** Called for each request of ours just before it is written. Without it, a request and its reply are passing messages. */
  onexchange: ((exchange: Exchange) => void) | undefined;
  /** Process id of the server; null before it runs, and for a server behind a URL. */
  readonly pid: number | null;
  /** How the server ended; undefined while it runs, and for a server behind a URL. */
  readonly exit: ExitFacts | undefined;
  /** True once no further message can come, whoever ended it. */
  readonly over: boolean;
  /** True where the server ended it before it was asked to. */
  readonly lost: boolean;
  /** Lines, or messages over HTTP, that the server sent so far. */
  readonly heard: number;
  /** The last 8 KiB of the server's stderr; empty for a server behind a URL. */
  stderrTail(): string;
  /** Stops waiting for a reply, so that it counts as late when it still comes. */
  abandon(exchange: Exchange): void;
  /** Ends the session, and says how it went. The same answer each time; never rejects. */
  end(): Promise<CloseFacts>;
  /** Ends everything at once and synchronously: SIGKILL to the group of a process, an abort of what is under way. */
  killNow(): void;
}
