/** Answers out of a recording: what was recorded, byte for byte, or an error that says what was not. */
import { type Blobs, bytesOf } from '../../events/payload.js';
import type { Exchange } from './exchanges.js';
import { errorReply, resultReply, withId } from './reply.js';
import { type Request, readRequest } from './request.js';

/** Codes of our own errors, in the range that JSON-RPC leaves to servers. `data.reason` of each says the same in a word. */
export const ERRORS = {
  /** The recording has no such request. */
  NOT_RECORDED: -32010,
  /** It has, and every recorded answer has been given. */
  RECORDED_ANSWERS_USED_UP: -32011,
  /** It has, and the server never answered. */
  NEVER_ANSWERED: -32012,
} as const;

/** What these may be asked again and again: the last recorded answer stands for all that follow. */
const STEADY = ['initialize', 'server/discover', 'tools/list'];

/** The most of a request that an error shows in its text; its `data` has the whole arguments. */
const SHOWN = 1000;

/** Where a recording comes from, for errors. */
export interface Origin {
  run: string;
  trial: string;
  /** What the recorded server ended with. */
  exit_code: number;
}

/** Answers each message of a client from the exchanges of one trial. What was given last is remembered. */
export class Answers {
  readonly origin: Origin;
  readonly #blobs: Pick<Blobs, 'getBlob'>;
  readonly #recorded = new Map<string, Exchange[]>();
  readonly #given = new Map<string, number>();
  /** True once a call came that the recorded server ended at: this one ends there, too. */
  over = false;

  constructor(exchanges: Exchange[], origin: Origin, blobs: Pick<Blobs, 'getBlob'>) {
    for (const exchange of exchanges) {
      const { key } = exchange.request;
      const alike = this.#recorded.get(key);
      if (alike === undefined) this.#recorded.set(key, [exchange]);
      else alike.push(exchange);
    }
    this.origin = origin;
    this.#blobs = blobs;
  }

  /** The line that answers a line of the client; null where nothing is to be said. Throws what `getBlob` throws. */
  answer(line: Buffer): Buffer | null {
    const reading = readRequest(line);
    switch (reading.kind) {
      case 'none':
        return null;
      case 'not_json':
        return errorReply('null', -32700, 'this line is not JSON');
      case 'not_a_message':
        return errorReply('null', -32600, 'this line is no single JSON-RPC message');
      case 'request':
        return this.#replyTo(reading.request);
      default:
        return reading satisfies never;
    }
  }

  #replyTo(request: Request): Buffer | null {
    const exchanges = this.#recorded.get(request.key) ?? [];
    const given = this.#given.get(request.key) ?? 0;
    this.#given.set(request.key, given + 1);
    const exchange = STEADY.includes(request.method)
      ? (exchanges[given] ?? exchanges.at(-1))
      : exchanges[given];
    if (exchange === undefined) return this.#without(request, exchanges.length);
    if (exchange.reply === null && exchange.why === 'SERVER_EXITED') {
      this.over = true;
      return null;
    }
    if (exchange.reply === null) return this.#unanswered(request, exchange.why);
    return oneLine(withId(bytesOf(exchange.reply, this.#blobs), exchange.request.id, request.id));
  }

  #without(request: Request, recorded: number): Buffer {
    if (request.method === 'ping') return resultReply(request.id, {});
    if (recorded > 0) {
      const times = recorded === 1 ? 'once' : `${recorded} times`;
      const what = `is recorded ${times}, and every recorded answer has been given`;
      return this.#error(request, 'RECORDED_ANSWERS_USED_UP', what);
    }
    if (request.method.startsWith('tools/')) return this.#error(request, 'NOT_RECORDED', 'is not recorded');
    return errorReply(
      request.id,
      -32601,
      `${request.method} is not recorded, so it is no method here: ${this.#where()}`,
    );
  }

  #unanswered(request: Request, why: string | null): Buffer {
    const what = `is recorded without an answer (${why ?? 'NO_REPLY'}): the server never gave one`;
    return this.#error(request, 'NEVER_ANSWERED', what);
  }

  #error(request: Request, reason: keyof typeof ERRORS, what: string): Buffer {
    const { call, method } = request;
    const asked = call === null ? request.key : `a call of ${call.tool} with ${call.arguments}`;
    const message = `${reason}: ${shortened(asked)} ${what}: ${this.#where()}${this.#calls(call?.tool)}`;
    const wanted = call === null ? { method } : { tool: call.tool, arguments: JSON.parse(call.arguments) };
    return errorReply(request.id, ERRORS[reason], message, {
      reason,
      run: this.origin.run,
      trial: this.origin.trial,
      ...wanted,
    });
  }

  #where(): string {
    return `run ${this.origin.run}, trial ${this.origin.trial}`;
  }

  /** How much of a tool is recorded, so that a near miss is seen as one. */
  #calls(tool: string | undefined): string {
    if (tool === undefined) return '';
    const calls = [...this.#recorded.values()].flat().filter(({ request }) => request.call?.tool === tool);
    return `, which has ${calls.length === 1 ? '1 call' : `${calls.length} calls`} of ${tool}`;
  }
}

/** A reply that came over HTTP may be JSON over several lines. Newlines stand between its tokens only: blanks say the same. */
function oneLine(reply: Buffer): Buffer {
  if (!reply.includes(0x0a) && !reply.subarray(0, -1).includes(0x0d)) return reply;
  return Buffer.from(reply.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)));
}

function shortened(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
