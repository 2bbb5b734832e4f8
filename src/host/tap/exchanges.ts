/** What two parties say to each other: which reply settles which request, and what is part of no exchange. */
import type { EventBody } from '../../events/event.js';
import type { HandshakeAttempt } from '../mcp.js';
import { type Fault, type FaultCode, faultOf, faultOfLine, shown } from '../wire/fault.js';
import { type FramedLine, LineSplitter, type OversizeLine } from '../wire/framing.js';
import { kindOf } from '../wire/inbound.js';
import { isObject, type JsonObject, readLine } from '../wire/json.js';
import type { PassingMessage } from '../wire/ledger.js';
import { OutputSchemas } from '../wire/output-schema.js';
import {
  callBody,
  catalogBody,
  elapsed,
  type Facts,
  faultBody,
  handshakeBody,
  messageBody,
  type Reply,
  type Request,
  toolOf,
  unansweredBody,
} from './bodies.js';
import type { Direction } from './pass.js';

const HANDSHAKES = ['server/discover', 'initialize'];
const DIRECTIONS: Direction[] = ['to_server', 'to_client'];

/** Takes the chunks of both directions and emits events, in the order in which they are settled. */
export class Exchanges {
  /** Of the server, once it runs. */
  pid: number | null = null;
  readonly #facts: Facts;
  readonly #emit: (body: EventBody) => void;
  readonly #splitters = { to_server: new LineSplitter(), to_client: new LineSplitter() };
  readonly #over = new Set<Direction>();
  readonly #waiting = new Map<string, Request>();
  readonly #schemas = new OutputSchemas();
  readonly #attempts: HandshakeAttempt[] = [];
  #agreed = false;
  #page = 0;
  #sent = 0;

  constructor(facts: Facts, emit: (body: EventBody) => void) {
    this.#facts = facts;
    this.#emit = emit;
  }

  /** The next bytes of one direction. */
  push(direction: Direction, bytes: Buffer, at_ms: number): void {
    for (const line of this.#splitters[direction].push(bytes)) this.#take(direction, line, at_ms);
  }

  /** A direction is over: what came after its last newline is a message where it is whole, else a fault. */
  over(direction: Direction, at_ms: number): void {
    if (this.#over.has(direction)) return;
    this.#over.add(direction);
    const tail = this.#splitters[direction].end();
    if (tail === undefined) return;
    if (tail.kind === 'line' && readLine(tail.bytes).messages.length === 0) {
      const what = 'the output ended in the middle of a line';
      this.#fault(direction, faultOfLine('PARTIAL_LINE', 'error', what, tail.bytes));
    } else this.#take(direction, tail, at_ms);
  }

  /** The session is over: what still waits was never answered. */
  end(at_ms: number): void {
    for (const direction of DIRECTIONS) this.over(direction, at_ms);
    for (const request of this.#waiting.values()) this.#unanswered(request, at_ms);
    this.#waiting.clear();
  }

  #take(direction: Direction, line: FramedLine, at_ms: number): void {
    if (line.kind === 'oversize') {
      this.#fault(direction, oversize(line));
      return;
    }
    const { messages, faults } = readLine(line.bytes);
    for (const fault of faults) this.#fault(direction, fault);
    const [message] = messages;
    if (message === undefined) return;
    if (messages.length > 1) this.#message({ direction, kind: 'other', method: null, line: line.bytes });
    else if (direction === 'to_server') this.#asked(message, line.bytes, at_ms);
    else this.#heard({ message, line: line.bytes, at_ms });
  }

  /** Something of the client: a request for the server waits, anything else is a message. */
  #asked(message: JsonObject, line: Buffer, at_ms: number): void {
    const { method, params, id } = message;
    if (typeof method !== 'string' || id === undefined) {
      this.#message({ direction: 'to_server', ...kindOf(message), line });
      return;
    }
    const key = JSON.stringify(id);
    const earlier = this.#waiting.get(key);
    if (earlier !== undefined) this.#unanswered(earlier, at_ms);
    this.#sent += 1;
    const sent = this.#sent;
    this.#waiting.set(key, { method, params: isObject(params) ? params : {}, id, line, at_ms, sent });
  }

  /** Something of the server: a reply settles its exchange, anything else is a message. */
  #heard(reply: Reply): void {
    const { message, line } = reply;
    if (typeof message.method === 'string') {
      this.#message({ direction: 'to_client', ...kindOf(message), line });
      return;
    }
    const key = JSON.stringify(message.id);
    const other = otherType(message.id);
    const request = this.#waiting.get(key) ?? this.#waiting.get(other);
    if (request === undefined) {
      const code: FaultCode = message.id === null ? 'NULL_ID_REPLY' : 'UNKNOWN_REPLY';
      this.#fault('to_client', faultOfLine(code, 'warning', 'a reply that nothing waits for', line));
      return;
    }
    if (!this.#waiting.delete(key)) {
      this.#waiting.delete(other);
      const what = `the id of ${request.method} came back as another type`;
      this.#fault('to_client', faultOf('ID_TYPE_CHANGED', 'warning', what, line));
    }
    this.#settle(request, reply);
  }

  #settle(request: Request, reply: Reply): void {
    const { result } = reply.message;
    if (HANDSHAKES.includes(request.method) && !this.#agreed) this.#shake(request, reply);
    else if (request.method === 'tools/call') this.#called(request, reply);
    else if (request.method === 'tools/list' && isObject(result) && Array.isArray(result.tools))
      this.#listed(request, reply, result.tools);
    else this.#both(request, reply);
  }

  #shake(request: Request, reply: Reply): void {
    const { method, at_ms } = request;
    this.#agreed = isObject(reply.message.result);
    const outcome = this.#agreed ? 'answered' : 'refused';
    this.#attempts.push({ method, outcome, elapsed_ms: elapsed(at_ms, reply.at_ms) });
    if (!this.#agreed) this.#both(request, reply);
    else {
      const attempts = [...this.#silences(at_ms), ...this.#attempts];
      this.#emit(handshakeBody(this.#facts, request, reply, { pid: this.pid, attempts }));
    }
  }

  /** Earlier attempts at a handshake to which nothing was said. */
  #silences(until_ms: number): HandshakeAttempt[] {
    const silent = [...this.#waiting.values()].filter(({ method }) => HANDSHAKES.includes(method));
    return silent.map(({ method, at_ms }) => ({
      ...{ method, outcome: 'timeout', elapsed_ms: elapsed(at_ms, until_ms) },
    }));
  }

  #listed(request: Request, reply: Reply, tools: unknown[]): void {
    this.#schemas.learn(tools);
    this.#page = request.params.cursor === undefined ? 1 : this.#page + 1;
    this.#emit(catalogBody(this.#facts, request, reply, { page: this.#page, tools }));
  }

  #called(request: Request, reply: Reply): void {
    const verdict = (result: JsonObject) => this.#schemas.check(toolOf(request), result);
    this.#emit(callBody(this.#facts, request, reply, verdict));
  }

  /** A call that was never answered is one all the same; another request is a message. */
  #unanswered(request: Request, at_ms: number): void {
    const { method, line } = request;
    if (method === 'tools/call') this.#emit(unansweredBody(this.#facts, request, at_ms));
    else this.#message({ direction: 'to_server', kind: 'request', method, line });
  }

  #both(request: Request, reply: Reply): void {
    this.#message({ direction: 'to_server', kind: 'request', method: request.method, line: request.line });
    this.#message({ direction: 'to_client', kind: 'response', method: null, line: reply.line });
  }

  #message(message: PassingMessage): void {
    this.#emit(messageBody(this.#facts, message));
  }

  #fault(direction: Direction, fault: Fault): void {
    this.#emit(faultBody(this.#facts, fault, direction === 'to_server' ? 'client' : 'server'));
  }
}

/** The key of an id that came back as another type: `7` for `"7"`. */
function otherType(id: unknown): string {
  return typeof id === 'string' ? id : JSON.stringify(String(id));
}

function oversize({ bytes_length, sha256: hash, head }: OversizeLine): Fault {
  const message = `a line of ${bytes_length} bytes passed, too long to be kept`;
  return { code: 'OVERSIZE_LINE', severity: 'error', message, bytes_length, sha256: hash, ...shown(head) };
}
