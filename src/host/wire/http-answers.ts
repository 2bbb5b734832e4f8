/** Reading HTTP responses as MCP: a body or a stream becomes messages, and what is wrong with it becomes faults. */
import type { IncomingMessage } from 'node:http';
import { sha256 } from '../../events/bytes.js';
import { type Fault, type FaultCode, faultOf, faultOfLine, shown } from './fault.js';
import { HttpBody } from './http-body.js';
import type { Delivery } from './http-delivery.js';
import { statusWords } from './http-words.js';
import type { Inbound } from './inbound.js';
import { isObject, type JsonObject, readLine } from './json.js';
import type { HttpFacts, Ledger, LineFacts } from './ledger.js';
import { EventSplitter, type ServerSentEvent } from './sse.js';

/** How a stream of events ended. */
export interface StreamEnd {
  /** `cut`: it broke off. `left`: we ended it. `oversize`: because of an event over the cap; the fault has been told. */
  how: 'whole' | 'cut' | 'oversize' | 'left';
  /** The data of an event that did not end, where they are no whole message. */
  rest: Buffer;
  lastId: string | undefined;
  retryMs: number | undefined;
}

/** Who hears of what was read, beside the inbound half of the wire. */
interface AnswerListener {
  measured(facts: LineFacts): void;
  fault(fault: Fault): void;
}

/** So much of a stream without an event is kept. */
const UNREAD_BYTES = 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/** Reads the responses of one session. Every method resolves, however the body ends. */
export class Answers {
  readonly #inbound: Inbound;
  readonly #ledger: Ledger;
  readonly #listener: AnswerListener;
  readonly #cap: number;

  /** `capBytes` is the longest body, or event of a stream, that is read. */
  constructor(inbound: Inbound, ledger: Ledger, listener: AnswerListener, capBytes: number) {
    this.#inbound = inbound;
    this.#ledger = ledger;
    this.#listener = listener;
    this.#cap = capBytes;
  }

  /**
   * Reads a body that is one message. Says why it brought no reply to the exchange; undefined where it did. A whole body
   * counts as the reply all the same: it is what the server answered.
   */
  async body(response: IncomingMessage, delivery: Delivery): Promise<string | undefined> {
    const body = new HttpBody(response);
    const bytes = await body.upTo(this.#cap);
    if (delivery.isLeft && bytes.length === 0) return undefined;
    const isTooLong = bytes.length > this.#cap;
    const what = isTooLong ? this.#tooLong(body) : this.#message(body, bytes, delivery);
    if (!delivery.isWaiting || delivery.isLeft) return undefined;
    if (body.whole && !isTooLong) this.#settle(delivery, bytes, {}, body);
    return `${statusWords(body.status)}: ${what}`;
  }

  /** Reads a stream of events to its end; each event is a message. */
  async events(response: IncomingMessage, delivery: Delivery): Promise<StreamEnd> {
    const body = new HttpBody(response);
    const splitter = new EventSplitter(this.#cap);
    let unread: Buffer[] = [];
    let events = 0;
    for await (const chunk of body.chunks()) {
      if (events === 0 && body.length <= UNREAD_BYTES) unread.push(chunk);
      for (const event of splitter.push(chunk)) {
        events += 1;
        this.#event(event, body);
      }
      if (events > 0) unread = [];
      if (splitter.overflowed) {
        this.#tooLong(body);
        return { how: 'oversize', rest: NOTHING, lastId: undefined, retryMs: undefined };
      }
    }
    const { lastId, retryMs } = splitter;
    const rest = this.#unended(splitter.end() ?? NOTHING, body);
    if (events === 0 && rest.length === 0 && delivery.isWaiting && !delivery.isLeft)
      this.#noStream(Buffer.concat(unread), body);
    const broken = delivery.isLeft ? 'left' : 'cut';
    return { how: body.whole ? 'whole' : broken, rest, lastId, retryMs };
  }

  /** Reads a response with a bad status, whose body counts as the reply even where it is none. Resolves to the body. */
  async refusal(response: IncomingMessage, delivery: Delivery): Promise<Buffer> {
    const { exchange, name } = delivery;
    const body = new HttpBody(response);
    const line = await body.upTo(this.#cap);
    if (delivery.isLeft) {
      const what = `${statusWords(body.status)}, whose body was left after ${line.length} bytes`;
      if (delivery.isWaiting) this.#fault(faultOfLine('HTTP_STATUS', 'error', what, line), body.status);
      return line;
    }
    const { messages } = readLine(line);
    const words = delivery.redirect?.words ?? `${statusWords(body.status)} in answer to ${name}`;
    if (exchange === undefined) {
      this.#fault(faultOfLine('HTTP_STATUS', 'warning', words, line), body.status);
      return line;
    }
    if (messages.some(({ id }) => id === exchange.id)) this.#inbound.read(line, body.facts());
    else this.#listener.measured(factsOf(line));
    if (isObject(exchange.reply?.message.error)) return line;
    // Servers of the legacy era may refuse the question for the modern one: that is an answer.
    const isLost = delivery.isWaiting && name !== 'server/discover';
    this.#fault(faultOf('HTTP_STATUS', isLost ? 'error' : 'warning', words, line), body.status);
    if (delivery.isWaiting)
      this.#settle(delivery, line, messages.find(({ error }) => isObject(error)) ?? {}, body);
    return line;
  }

  /** Reads a body within the cap. Says what is wrong with it where it brings no reply. */
  #message(body: HttpBody, bytes: Buffer, delivery: Delivery): string {
    const severity = delivery.isWaiting ? 'error' : 'warning';
    if (!body.whole) {
      const what = `the body ${delivery.isLeft ? 'was left' : 'broke off'} after ${bytes.length} bytes`;
      return this.#salvage('HTTP_CUT', severity, what, bytes, body.facts());
    }
    if (bytes.length === 0) {
      const what = 'an empty body where a reply was due';
      if (delivery.isWaiting) this.#fault(faultOf('HTTP_BODY', 'error', what, bytes), body.status);
      return what;
    }
    if (body.encoding !== null) {
      const what = `the body is encoded (${body.encoding}), which was not asked for`;
      return this.#salvage('HTTP_BODY', severity, what, bytes, body.facts());
    }
    if (body.type !== 'application/json') {
      const what = `the body is ${body.type ?? 'of no type'}, not application/json`;
      return this.#salvage('HTTP_BODY', severity, what, bytes, body.facts());
    }
    this.#inbound.read(bytes, body.facts());
    return 'a body without the reply';
  }

  #settle({ exchange }: Delivery, line: Buffer, message: JsonObject, body: HttpBody): void {
    if (exchange === undefined) return;
    this.#ledger.answer(exchange, { line, facts: factsOf(line), message, http: body.facts() });
  }

  #event({ data, type }: ServerSentEvent, body: HttpBody): void {
    // An event without data only tells its id: where the stream can be resumed.
    if (data.length === 0) return;
    if (type === null || type === 'message') this.#inbound.read(data, body.facts());
    else
      this.#fault(
        faultOfLine('HTTP_BODY', 'warning', `an event of the type ${type}, not read`, data),
        body.status,
      );
  }

  /** What is no stream of events, though it says so, may be the message itself. */
  #noStream(bytes: Buffer, body: HttpBody): void {
    const what = 'the body is of the type text/event-stream, and holds no event';
    const lines = bytes.toString('latin1').split(/\r\n|\r|\n/);
    if (lines.some((line) => line !== '' && !/^(:|(event|id|retry)(:|$))/.test(line)))
      this.#salvage('HTTP_BODY', 'error', what, bytes, body.facts());
  }

  /** What the end of a stream cut off is read where it is a whole message; else it is returned. */
  #unended(data: Buffer, body: HttpBody): Buffer {
    if (data.length === 0) return data;
    if (readLine(data).messages.length === 0) {
      this.#listener.measured(factsOf(data));
      return data;
    }
    const what = 'the last event lacks the blank line after it; it was read';
    this.#fault(faultOf('MISSING_NEWLINE', 'warning', what, data), body.status);
    this.#inbound.read(data, body.facts());
    return NOTHING;
  }

  /** Bytes that came in a wrong way are read if they are a whole message. Returns what was wrong. */
  #salvage(
    code: FaultCode,
    severity: Fault['severity'],
    what: string,
    bytes: Buffer,
    http: HttpFacts,
  ): string {
    if (readLine(bytes).messages.length > 0) {
      this.#fault(
        faultOf(code, 'warning', `${what}; it is a whole message, and was read`, bytes),
        http.status,
      );
      this.#inbound.read(bytes, http);
    } else {
      this.#listener.measured(factsOf(bytes));
      this.#fault(faultOfLine(code, severity, what, bytes), http.status);
    }
    return what;
  }

  #tooLong(body: HttpBody): string {
    const { body_bytes: bytes_length, body_sha256: digest } = body.facts();
    const message = `a message over the cap of ${this.#cap} bytes; the response was left after ${bytes_length}`;
    this.#listener.measured({ bytes: bytes_length, sha256: digest, at_ms: performance.now() });
    const facts = { bytes_length, sha256: digest, ...shown(body.head) };
    this.#fault({ code: 'OVERSIZE_LINE', severity: 'error', message, ...facts }, body.status);
    return message;
  }

  #fault(fault: Fault, status: number): void {
    this.#listener.fault({ ...fault, http_status: status });
  }
}

function factsOf(line: Buffer): LineFacts {
  return { bytes: line.length, sha256: sha256(line), at_ms: performance.now() };
}
