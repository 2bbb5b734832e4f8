/** What an answer of the Messages API says of itself, read out of a copy of its bytes: which message, and its usage. */
import { z } from 'zod';
import { jsonOf } from '../../events/answer.js';
import { EventSplitter } from '../wire/sse.js';

/** Null where the answer does not say it. */
export interface SaidAnswer {
  message_id: string | null;
  /** Verbatim, as the last word on it says: that of a stream is cumulative. */
  usage: Record<string, unknown> | null;
  /** Type and text of an error, in a body or in the middle of a stream. */
  error: string | null;
}

const usage = z.record(z.string(), z.unknown());
const message = z.looseObject({ id: z.string(), usage: usage.optional() });
const event = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('message_start'), message }),
  z.looseObject({ type: z.literal('message_delta'), usage: usage.optional() }),
  z.looseObject({ type: z.literal('message'), id: z.string(), usage: usage.optional() }),
  z.looseObject({
    type: z.literal('error'),
    error: z.looseObject({ type: z.string(), message: z.string() }),
  }),
]);

/** The longest event, or body that is no stream, that is read. */
const CAP_BYTES = 16 * 1024 * 1024;

/** Reads a stream of events, or one JSON body. Never throws: bytes that are neither say nothing. */
export class AnswerReader {
  readonly #events = new EventSplitter(CAP_BYTES);
  #body: Buffer[] = [];
  #bytes = 0;
  #streams = false;
  #said: SaidAnswer = { message_id: null, usage: null, error: null };

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (!this.#streams && this.#bytes <= CAP_BYTES) this.#body.push(chunk);
    if (this.#events.overflowed) return;
    for (const { data } of this.#events.push(chunk)) {
      this.#streams = true;
      this.#body = [];
      this.#take(data);
    }
  }

  /** What was said so far. */
  said(): SaidAnswer {
    if (!this.#streams && this.#bytes <= CAP_BYTES) this.#take(Buffer.concat(this.#body));
    return this.#said;
  }

  #take(data: Buffer): void {
    const parsed = event.safeParse(jsonOf(data.toString('utf8')));
    if (!parsed.success) return;
    const said = parsed.data;
    if (said.type === 'error') {
      this.#said = { ...this.#said, error: `${said.error.type}: ${said.error.message}` };
      return;
    }
    const id = said.type === 'message_start' ? said.message.id : this.#said.message_id;
    const more = said.type === 'message_start' ? said.message.usage : said.usage;
    const merged = more === undefined ? this.#said.usage : { ...this.#said.usage, ...more };
    this.#said = { ...this.#said, message_id: said.type === 'message' ? said.id : id, usage: merged };
  }
}
