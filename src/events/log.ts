/** The only writer of logs: one event, one line, one write, one sync. */
import { closeSync, constants, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { GENESIS, serialize } from './chain.js';
import { type Clock, systemClock } from './clock.js';
import { syncDirectory } from './durable.js';
import { type Event, type EventBody, eventSchema } from './event.js';
import { Problem } from './problem.js';
import { readLog } from './reader.js';
import { FORMAT_VERSION } from './schema/envelope.js';

/** Where a log stands: what the next event is chained to. */
interface Head {
  h: string;
  seq: number;
}

/** An open log. It is the only one that stamps events, with the clock that it was given. */
export class EventLog {
  readonly file: string;
  readonly run: string;
  readonly #descriptor: number;
  readonly #clock: Clock;
  readonly #origin: bigint;
  #head: Head;

  private constructor(file: string, run: string, descriptor: number, head: Head, clock: Clock) {
    this.file = file;
    this.run = run;
    this.#descriptor = descriptor;
    this.#head = head;
    this.#clock = clock;
    this.#origin = clock.monotonic();
  }

  /** A new log. An existing file is never reused or truncated: that throws `LOG_EXISTS`. */
  static create(file: string, run: string, clock: Clock = systemClock): EventLog {
    const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
    try {
      const descriptor = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      syncDirectory(dirname(file));
      return new EventLog(file, run, descriptor, { h: GENESIS, seq: 0 }, clock);
    } catch (error) {
      throw cannotOpen(file, error);
    }
  }

  /** An existing log, to go on with, or a new one. A damaged log throws `LOG_DAMAGED`. */
  static continue(file: string, run: string, clock: Clock = systemClock): EventLog {
    let head: Head = { h: GENESIS, seq: 0 };
    let descriptor: number;
    try {
      descriptor = openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return EventLog.create(file, run, clock);
      throw cannotOpen(file, error);
    }
    for (const line of readLog(file)) {
      if (line.kind !== 'ok' || !line.newline) {
        closeSync(descriptor);
        throw damaged(file, line.number, line.kind);
      }
      head = { h: line.event.h, seq: line.event.seq + 1 };
    }
    return new EventLog(file, run, descriptor, head, clock);
  }

  /** The h of the last event, and how many there are. */
  get head(): { h: string; count: number } {
    return { h: this.#head.h, count: this.#head.seq };
  }

  /** Writes one event and returns it as stamped. It is durable when this returns; otherwise this throws. */
  append(body: EventBody): Event {
    const stamped = {
      v: FORMAT_VERSION,
      run: this.run,
      seq: this.#head.seq,
      at: this.#clock.now().toISOString(),
      mono_ns: Number(this.#clock.monotonic() - this.#origin),
      ...body,
    };
    const { h, line } = serialize(this.#head.h, stamped);
    const event = eventSchema.parse({ h, ...stamped });
    writeWhole(this.#descriptor, line);
    fdatasyncSync(this.#descriptor);
    this.#head = { h, seq: this.#head.seq + 1 };
    return event;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** Writes every byte, in as many writes as the kernel needs. */
function writeWhole(descriptor: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
}

function cannotOpen(file: string, error: unknown): Problem {
  const code = codeOf(error);
  if (code === 'EEXIST') {
    return new Problem({ code: 'LOG_EXISTS', what: 'this log exists already', todo: 'start a new run', file });
  }
  const what = `${basename(file)} cannot be opened for writing (${code})`;
  return new Problem({ code: 'LOG_UNWRITABLE', what, todo: 'check the folder, its permissions and its disk', file, exit: 3 });
}

function damaged(file: string, line: number, kind: string): Problem {
  const what = `this line is damaged (${kind}), so nothing can be chained to it`;
  return new Problem({ code: 'LOG_DAMAGED', what, todo: 'keep the file and look at it before going on', file, line, exit: 3 });
}
