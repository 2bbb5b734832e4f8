/** Streams of events over HTTP: followed to their end, and taken up again where the server lets them be. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Fault, faultOf, faultOfLine } from './fault.js';
import type { Answers, StreamEnd } from './http-answers.js';
import { mediaType } from './http-body.js';
import type { HttpCarrier } from './http-carrier.js';
import { Delivery } from './http-delivery.js';
import { ConnectionLost } from './http-request.js';
import { statusWords } from './http-words.js';

/** How often a stream is taken up again before it is given up. */
const TRIES = 3;
/** The pause before that, in milliseconds, where the server does not name one. */
const PAUSE_MS = 1000;
const NOTHING = Buffer.alloc(0);

/** The streams of one session. */
export class Streams {
  readonly #carrier: HttpCarrier;
  readonly #answers: Answers;
  readonly #onFault: (fault: Fault) => void;
  readonly #stopping = new AbortController();

  constructor(carrier: HttpCarrier, answers: Answers, onFault: (fault: Fault) => void) {
    this.#carrier = carrier;
    this.#answers = answers;
    this.#onFault = onFault;
  }

  /**
   * Reads the stream that answers a message. One that ends without the reply is taken up after its last event with an
   * id. Says why the reply did not come; undefined where it did, or where nobody waits for it.
   */
  async follow(delivery: Delivery, first: IncomingMessage): Promise<string | undefined> {
    let [response, lastId]: [IncomingMessage, string | undefined] = [first, undefined];
    for (let tries = 0; ; tries++) {
      const end = await this.#answers.events(response, delivery);
      lastId = end.lastId ?? lastId;
      if (!delivery.isWaiting) return this.#tell(end, 'warning');
      if (end.how === 'left') return this.#tell(end, 'error');
      const next = end.how === 'oversize' ? undefined : await this.#resume(delivery, lastId, end, tries);
      if (delivery.isLeft) return undefined;
      this.#tell(end, next === undefined ? 'error' : 'warning');
      if (next === undefined) return `${statusWords(first.statusCode ?? 0)}: ${wordsOf(end)}`;
      response = next;
    }
  }

  /**
   * Listens to what the server sends unasked, as long as the session lives. A server need not offer that; one that ends
   * the stream at once again and again is left alone.
   */
  async listen(): Promise<void> {
    let lastId: string | undefined;
    for (let tries = 0; tries < TRIES; tries++) {
      const opened = performance.now();
      const delivery = new Delivery('GET', 'GET');
      const response = await this.#open(delivery, lastId);
      if (response === undefined) return;
      const end = await this.#answers.events(response, delivery);
      this.#tell(end, 'warning');
      lastId = end.lastId ?? lastId;
      if (performance.now() - opened > PAUSE_MS) tries = 0;
      if (!(await this.#pause(end.retryMs ?? PAUSE_MS))) return;
    }
  }

  /** Ends all waiting between two streams. */
  stop(): void {
    this.#stopping.abort();
  }

  async #resume(
    delivery: Delivery,
    lastId: string | undefined,
    { retryMs }: StreamEnd,
    tries: number,
  ): Promise<IncomingMessage | undefined> {
    if (lastId === undefined || tries === TRIES) return undefined;
    if (!(await this.#pause(retryMs ?? tries * PAUSE_MS)) || delivery.isLeft) return undefined;
    const next = new Delivery('GET', 'GET');
    delivery.continueIn(next);
    return this.#open(next, lastId);
  }

  /** Undefined where the server does not offer a stream, or cannot be asked. */
  async #open(delivery: Delivery, lastId: string | undefined): Promise<IncomingMessage | undefined> {
    try {
      await this.#carrier.stream(delivery, lastId);
    } catch (error) {
      if (!delivery.isLeft && error instanceof ConnectionLost)
        this.#onFault(faultOf('HTTP_CUT', 'warning', `a stream of events: ${error.message}`, NOTHING));
      return undefined;
    }
    const { response } = delivery;
    if (response === undefined || isStream(response)) return response;
    await this.#answers.body(response, delivery);
    return undefined;
  }

  /** False where the session ended meanwhile. */
  #pause(ms: number): Promise<boolean> {
    const { signal } = this.#stopping;
    return pause(ms, true, { signal, ref: false }).catch(() => false);
  }

  /** A stream that broke off is a fault; one that ended is one only where something was still to come. */
  #tell(end: StreamEnd, severity: Fault['severity']): undefined {
    const isMissing = severity === 'error' && end.how !== 'left';
    if (end.how === 'oversize' || !(end.how === 'cut' || end.rest.length > 0 || isMissing)) return;
    this.#onFault(faultOfLine('HTTP_CUT', severity, wordsOf(end), end.rest));
  }
}

/** True where a response is a stream of events. */
export function isStream(response: IncomingMessage): boolean {
  return mediaType(response) === 'text/event-stream';
}

function wordsOf({ how, rest }: StreamEnd): string {
  if (how === 'oversize') return 'its stream was left at a message over the cap';
  const where = rest.length > 0 ? ' in the middle of an event' : ' without the reply';
  return `its stream ${{ cut: 'broke off', left: 'was left', whole: 'ended' }[how]}${where}`;
}
