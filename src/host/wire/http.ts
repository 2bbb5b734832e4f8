/** The recorder's transport over Streamable HTTP: every message both ways is measured, and what is odd is a fault. */
import type { JSONRPCMessage, TransportSendOptions } from '@modelcontextprotocol/client';
import { sha256 } from '../../events/bytes.js';
import type { UrlSpec } from '../mcp.js';
import type { CloseFacts } from './child.js';
import { type Fault, faultOf } from './fault.js';
import { FaultMeter } from './fault-meter.js';
import { Answers } from './http-answers.js';
import { HttpCarrier } from './http-carrier.js';
import { Delivery } from './http-delivery.js';
import { ConnectionLost } from './http-request.js';
import { isStream, Streams } from './http-streams.js';
import { overHttp } from './http-words.js';
import { Inbound, kindOf } from './inbound.js';
import { type Exchange, Ledger, type LineFacts } from './ledger.js';
import { UnderWay, within } from './patience.js';
import { elapsedSince } from './time.js';
import type { TransportOptions, WireTransport } from './transport.js';

/** The longest message, in bytes, where nothing else is said. */
const CAP_BYTES = 64 * 1024 * 1024;
/** How long a message that is no request, and the end of a session, may wait for their answer, in milliseconds. */
const PATIENCE_MS = 2000;
/** How long the last faults may take, in milliseconds. */
const SETTLE_MS = 500;
const NOTHING = Buffer.alloc(0);

/** A client transport over HTTP. Used once: it does not start again after it closed. */
export class HttpTransport implements WireTransport {
  onclose?: WireTransport['onclose'];
  onerror?: WireTransport['onerror'];
  onmessage?: WireTransport['onmessage'];
  onexchange: WireTransport['onexchange'];
  heard = 0;
  /** Tells the client that a request is given up by the end of its connection, where the protocol wants it so. */
  readonly hasPerRequestStream = true;
  readonly pid = null;
  readonly exit = undefined;
  readonly #options: TransportOptions;
  readonly #meter: FaultMeter;
  readonly #ledger = new Ledger();
  readonly #answers: Answers;
  readonly #carrier: HttpCarrier;
  readonly #streams: Streams;
  readonly #underWay = new UnderWay();
  readonly #deliveries = new WeakMap<Exchange, Delivery>();
  #over = false;
  #ended: Promise<CloseFacts> | undefined;

  /** Throws a `Problem` where the address or a header cannot be used. */
  constructor(spec: UrlSpec, options: TransportOptions) {
    this.#options = options;
    this.#meter = new FaultMeter(options.onFault);
    const onFault = (fault: Fault) => this.#meter.take(fault);
    const cap = options.lineCapBytes ?? CAP_BYTES;
    const listener = {
      measured: (facts: LineFacts) => this.#measured(facts),
      fault: (fault: Fault) => onFault(overHttp(fault)),
      passing: options.onPassing,
      message: (message: JSONRPCMessage) => this.onmessage?.(message),
    };
    this.#answers = new Answers(new Inbound(this.#ledger, listener, cap), this.#ledger, listener, cap);
    this.#carrier = new HttpCarrier(spec, {
      fault: onFault,
      refused: (response, delivery) => this.#answers.refusal(response, delivery),
    });
    this.#streams = new Streams(this.#carrier, this.#answers, onFault);
  }

  get sessionId(): string | undefined {
    return this.#carrier.sessionId;
  }

  /** True once the session was ended. A server that cannot be reached may come back, so that it is no end. */
  get over(): boolean {
    return this.#over;
  }

  /** True where a connection could not be made, or was dropped before a response. */
  get lost(): boolean {
    return this.#carrier.lost;
  }

  /** There is no stderr over HTTP. */
  stderrTail(): string {
    return '';
  }

  /** Nothing is sent yet. */
  start(): Promise<void> {
    return this.#carrier.start();
  }

  setProtocolVersion(version: string): void {
    this.#carrier.setProtocolVersion(version);
  }

  /**
   * Sends one message as one POST. A request of ours resolves when its response was read, and rejects where that holds
   * no reply; every other message resolves when the server took it, or after two seconds.
   */
  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const delivery = this.#note(message);
    const delivered = this.#deliver(delivery, message, options);
    this.#underWay.add(delivered);
    if (delivery.exchange !== undefined) return delivered;
    const isTaken = await within(delivered, PATIENCE_MS);
    if (!isTaken) this.#late(delivery.name, PATIENCE_MS);
    if (delivery.name === 'notifications/initialized') this.#underWay.add(this.#streams.listen());
  }

  /** Stops waiting for a reply, and aborts the request. */
  abandon(exchange: Exchange): void {
    this.#ledger.abandon(exchange);
    this.#deliveries.get(exchange)?.leave();
  }

  /** Ends the session, and aborts what is under way. Never rejects. */
  async close(): Promise<void> {
    await this.end();
  }

  /** As `close`, and says how it went. The same answer each time. */
  end(): Promise<CloseFacts> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  /** Aborts everything at once and synchronously. */
  killNow(): void {
    if (this.#over) return;
    this.#over = true;
    this.#streams.stop();
    this.#carrier.stop();
    this.onclose?.();
  }

  async #end(): Promise<CloseFacts> {
    const started = performance.now();
    const how = await this.#terminate();
    this.killNow();
    // What the responses held when they were aborted is told before the end.
    await within(this.#underWay.done(), SETTLE_MS);
    this.#meter.end();
    return { how, exit_code: null, signal: null, elapsed_ms: elapsedSince(started) };
  }

  async #terminate(): Promise<CloseFacts['how']> {
    if (this.lost && !this.#carrier.answered) return 'not_started';
    if (this.#over || this.sessionId === undefined) return 'session_end';
    const waitMs = this.#options.waits?.stdin_end_ms ?? PATIENCE_MS;
    try {
      const isTaken = await within(this.#carrier.terminate(), waitMs);
      if (!isTaken) this.#late('the end of the session', waitMs);
      return 'session_end';
    } catch (error) {
      // A server that is gone has ended the session itself; every other answer has been told as a fault.
      return error instanceof ConnectionLost ? 'exited' : 'session_end';
    }
  }

  /** Measures a message and finds out what waits for its answer, before anything is sent. */
  #note(message: JSONRPCMessage): Delivery {
    const line = Buffer.from(JSON.stringify(message));
    const request = { bytes: line.length, sha256: sha256(line), at_ms: performance.now() };
    this.#options.onLine?.({ direction: 'out', ...request });
    const passing = this.onexchange === undefined;
    const isRequest = 'method' in message && 'id' in message;
    if (passing || !isRequest)
      this.#options.onPassing({ direction: 'to_server', ...kindOf({ ...message }), line });
    if (!isRequest)
      return new Delivery('POST', 'method' in message ? message.method : 'a reply of ours', line);
    const { id, method } = message;
    const exchange: Exchange = { id, method, request, request_line: line, passing, reply: undefined };
    const delivery = new Delivery('POST', method, line, exchange);
    this.#deliveries.set(exchange, delivery);
    this.#ledger.open(exchange);
    this.onexchange?.(exchange);
    return delivery;
  }

  async #deliver(
    delivery: Delivery,
    message: JSONRPCMessage,
    options: TransportSendOptions | undefined,
  ): Promise<void> {
    const { exchange } = delivery;
    try {
      await this.#carrier.post(delivery, message, options);
    } catch (error) {
      // Without a request that waits, the fault that was told is all there is to it.
      if (exchange === undefined && !(error instanceof ConnectionLost)) return;
      throw error;
    }
    const reading = this.#read(delivery);
    this.#underWay.add(reading);
    if (exchange === undefined) return;
    const trouble = await reading;
    if (trouble === undefined) return;
    this.#ledger.abandon(exchange);
    throw new Error(trouble);
  }

  /** Reads the response to a message. Says why it brought no reply to the exchange; undefined where it did. */
  async #read(delivery: Delivery): Promise<string | undefined> {
    const { response } = delivery;
    if (response === undefined) return undefined;
    if (isStream(response)) return this.#streams.follow(delivery, response);
    return this.#answers.body(response, delivery);
  }

  #measured(facts: LineFacts): void {
    this.heard += 1;
    this.#options.onLine?.({ direction: 'in', ...facts });
  }

  #late(what: string, ms: number): void {
    this.#meter.take(faultOf('HTTP_CUT', 'warning', `no answer to ${what} within ${ms} ms`, NOTHING));
  }
}
