/** Server-sent events: chunks of bytes in, the exact data bytes of each event out. Pure and synchronous. */
import { createParser, type EventSourceMessage, type EventSourceParser } from 'eventsource-parser';

/** One event. Its data are the bytes of its `data:` lines, joined by 0x0A. */
export interface ServerSentEvent {
  data: Buffer;
  /** Null where it is not named, which means `message`. */
  type: string | null;
}

/**
 * Cuts one stream into events. The parser is fed one character a byte, so that bytes which are no UTF-8 come out as
 * they went in.
 */
export class EventSplitter {
  /** The id of the last event that had one: where the stream can be resumed. */
  lastId: string | undefined;
  /** How long to wait before resuming, in milliseconds, where the server said so. */
  retryMs: number | undefined;
  readonly #cap: number;
  readonly #parser: EventSourceParser;
  #events: ServerSentEvent[] = [];
  #overflowed = false;

  /** `capBytes` is the longest event that comes out, and about the most that is kept of one that does not end. */
  constructor(capBytes: number) {
    this.#cap = capBytes;
    this.#parser = createParser({
      maxBufferSize: capBytes,
      onEvent: (event) => this.#take(event),
      onRetry: (ms) => {
        this.retryMs = ms;
      },
      onError: ({ type }) => {
        this.#overflowed ||= type === 'max-buffer-size-exceeded';
      },
    });
  }

  /** True once an event went over the cap; nothing more is to be pushed then. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  /** The events that this chunk completes, in order. */
  push(chunk: Buffer): ServerSentEvent[] {
    this.#parser.feed(chunk.toString('latin1'));
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** The data of an event that the end of the stream cut off, or undefined where there is none. */
  end(): Buffer | undefined {
    return this.#overflowed ? undefined : this.push(Buffer.from('\n\n'))[0]?.data;
  }

  #take({ data, event, id }: EventSourceMessage): void {
    if (id !== undefined && id !== '') this.lastId = id;
    if (data.length > this.#cap) this.#overflowed = true;
    else this.#events.push({ data: Buffer.from(data, 'latin1'), type: event ?? null });
  }
}
