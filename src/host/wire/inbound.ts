/** The inbound half of a wire: chunks become lines, lines become messages, and replies find their requests. */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { sha256 } from '../../events/bytes.js';
import { type Fault, type FaultCode, faultOf, faultOfLine, shown } from './fault.js';
import { type FramedLine, LineSplitter, type OversizeLine } from './framing.js';
import { isObject, type JsonObject, readLine } from './json.js';
import type { Claim, HttpFacts, Ledger, LineFacts, PassingMessage, Reply } from './ledger.js';

/** What the owner of an inbound half hears. Each line is measured before its faults and its messages come. */
export interface InboundListener {
  measured(facts: LineFacts): void;
  fault(fault: Fault): void;
  /** A message of the server that is no reply to a request of ours. */
  passing(message: PassingMessage): void;
  /** A request or notification of the server, or a reply that one of our requests waited for. */
  message(message: JSONRPCMessage): void;
}

/** How much of a line tells what it is. */
const HEAD_BYTES = 4096;

type Unclaimed = Exclude<Claim['kind'], 'waiting'>;

const UNCLAIMED: Record<Unclaimed, [FaultCode, string]> = {
  duplicate: ['DUPLICATE_REPLY', 'a second reply to the same request'],
  late: ['LATE_REPLY', 'a reply to a request that was given up'],
  unknown: ['UNKNOWN_REPLY', 'a reply to a request that was never sent'],
  null_id: ['NULL_ID_REPLY', 'a reply with the id null: the server could not read some request'],
};

/** Told to the client in place of a reply that it could not read, so that the call ends at once. */
const UNREADABLE = { error: { code: -32603, message: 'the reply is no JSON-RPC response' } };

/** Reads one stream to its end. Replies are matched by id, in the ledger of what was sent. */
export class Inbound {
  readonly #ledger: Ledger;
  readonly #listener: InboundListener;
  readonly #splitter: LineSplitter;

  constructor(ledger: Ledger, listener: InboundListener, lineCapBytes?: number) {
    this.#ledger = ledger;
    this.#listener = listener;
    this.#splitter = new LineSplitter(lineCapBytes);
  }

  push(chunk: Buffer): void {
    for (const line of this.#splitter.push(chunk)) this.#take(line);
  }

  /** The stream is over. What came after the last newline is read if it is a whole message, else it is a fault. */
  end(): void {
    const tail = this.#splitter.end();
    if (tail === undefined) return;
    if (tail.kind === 'line' && readLine(tail.bytes).messages.length === 0) {
      this.#measure(tail.bytes);
      const what = 'the output ended in the middle of a line';
      this.#listener.fault(faultOfLine('PARTIAL_LINE', 'error', what, tail.bytes));
      return;
    }
    if (tail.kind === 'line')
      this.#fault('MISSING_NEWLINE', 'warning', 'the last line lacks its newline; it was read', tail.bytes);
    this.#take(tail);
  }

  #take(line: FramedLine): void {
    if (line.kind === 'oversize') this.#drop(line);
    else this.read(line.bytes);
  }

  #drop({ bytes_length, sha256: digest, head }: OversizeLine): void {
    this.#listener.measured({ bytes: bytes_length, sha256: digest, at_ms: performance.now() });
    const message = `a line of ${bytes_length} bytes is over the cap and was dropped`;
    const facts = { bytes_length, sha256: digest, ...shown(head) };
    this.#listener.fault({ code: 'OVERSIZE_LINE', severity: 'error', message, ...facts });
    this.#giveUp(message, head);
  }

  /** A dropped line was the reply, where only one request waits and the line looks like one: waiting longer is in vain. */
  #giveUp(message: string, head: Buffer): void {
    const exchange = this.#ledger.onlyWaiting();
    if (exchange === undefined || !looksLikeReply(head)) return;
    exchange.dropped = message;
    this.#ledger.abandon(exchange);
    this.#listener.message({ error: { code: -32603, message }, jsonrpc: '2.0', id: exchange.id });
  }

  /** Reads one whole line; over HTTP, one message and what carried it. */
  read(line: Buffer, http?: HttpFacts): void {
    const facts = this.#measure(line);
    const { messages, faults } = readLine(line);
    for (const fault of faults) this.#listener.fault(fault);
    const tooDeep = faults.find(({ code }) => code === 'TOO_DEEP');
    if (tooDeep !== undefined) this.#giveUp(tooDeep.message, line.subarray(0, HEAD_BYTES));
    const calls = messages.filter(isCall);
    if (calls.length > 0) this.#listener.passing(passingOf(line, messages));
    const unclaimed: Unclaimed[] = [];
    for (const message of messages) {
      if (isCall(message)) this.#listener.message(message);
      else {
        const claim = this.#ledger.claim(message.id);
        if (claim.kind === 'waiting') this.#reply({ line, facts, message, http }, claim);
        else unclaimed.push(claim.kind);
      }
    }
    this.#strange(line, unclaimed, calls.length > 0 || unclaimed.length < messages.length);
  }

  /** Replies that nobody waits for: one fault of each kind a line. The line is kept once, unless another event has it. */
  #strange(line: Buffer, unclaimed: Unclaimed[], isKept: boolean): void {
    for (const [at, kind] of [...new Set(unclaimed)].entries()) {
      const [code, what] = UNCLAIMED[kind];
      const times = unclaimed.filter((other) => other === kind).length;
      const message = times === 1 ? what : `${what}, ${times} times in one line`;
      const about = isKept || at > 0 ? faultOf : faultOfLine;
      this.#listener.fault(about(code, 'warning', message, line));
    }
  }

  #reply(reply: Reply, { exchange, id_changed }: Extract<Claim, { kind: 'waiting' }>): void {
    this.#ledger.answer(exchange, reply);
    if (exchange.passing) this.#listener.passing(passingOf(reply.line, [reply.message]));
    if (id_changed)
      this.#fault(
        'ID_TYPE_CHANGED',
        'warning',
        `the id of ${exchange.method} came back as another type`,
        reply.line,
      );
    const response = { ...reply.message, id: exchange.id };
    if (isResponse(response)) {
      this.#listener.message(response);
      return;
    }
    this.#fault(
      'BAD_REPLY',
      'error',
      `the reply to ${exchange.method} has no well-formed result or error`,
      reply.line,
    );
    this.#listener.message({ ...UNREADABLE, jsonrpc: '2.0', id: exchange.id });
  }

  #measure(line: Buffer): LineFacts {
    const facts = { bytes: line.length, sha256: sha256(line), at_ms: performance.now() };
    this.#listener.measured(facts);
    return facts;
  }

  #fault(code: FaultCode, severity: Fault['severity'], message: string, line: Buffer): void {
    this.#listener.fault(faultOf(code, severity, message, line));
  }
}

/** A line of the server as a passing message; of a batch, which is several messages, the line counts once. */
function passingOf(line: Buffer, messages: JsonObject[]): PassingMessage {
  const [first] = messages;
  if (first === undefined || messages.length > 1)
    return { direction: 'to_client', kind: 'other', method: null, line };
  return { direction: 'to_client', ...kindOf(first), line };
}

/** What JSON-RPC calls a message. */
export function kindOf(message: JsonObject): Pick<PassingMessage, 'kind' | 'method'> {
  const { method } = message;
  if (typeof method !== 'string') return { kind: 'response', method: null };
  return { kind: 'id' in message ? 'request' : 'notification', method };
}

/** Replies are objects without a method, and a method is told early. */
function looksLikeReply(head: Buffer): boolean {
  return /^\s*\{/.test(head.toString('latin1', 0, 64)) && !head.includes('"method"');
}

function isCall(message: JsonObject): message is JsonObject & JSONRPCMessage {
  return typeof message.method === 'string';
}

function isResponse(message: JsonObject): message is JsonObject & JSONRPCMessage {
  const { result, error } = message;
  if ('result' in message) return isObject(result) && !('error' in message);
  return isObject(error) && Number.isInteger(error.code) && typeof error.message === 'string';
}
