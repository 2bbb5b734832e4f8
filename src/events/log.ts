/** The only writer of logs: one event, one line, one write, one sync. */
import { closeSync, constants, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { GENESIS, serialize } from './chain.js';
import { type Clock, systemClock } from './clock.js';
import { syncDirectory } from './durable.js';
import type { Event, EventBody } from './event.js';
import { parseLine } from './parse.js';
import { Problem } from './problem.js';
import { type LogLine, readLog } from './reader.js';
import { FORMAT_VERSION } from './schema/envelope.js';
import { onDisk, systemCode } from './system-error.js';

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
  /** Why nothing more can be written, null while it can. */
  #ended: Problem | null = null;

  private constructor(file: string, run: string, descriptor: number, head: Head, clock: Clock) {
    this.file = file;
    this.run = run;
    this.#descriptor = descriptor;
    this.#head = head;
    this.#clock = clock;
    this.#origin = clock.monotonic();
  }

  /** A new log, mode 0600. An existing file is never reused or truncated: that throws `LOG_EXISTS`. */
  static create(file: string, run: string, clock: Clock = systemClock): EventLog {
    const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
    const descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW);
    return orClose(descriptor, () => {
      onDisk({ code: 'LOG_UNWRITABLE', what: 'the new log cannot be made durable', file }, () =>
        syncDirectory(dirname(file)),
      );
      return new EventLog(file, run, descriptor, { h: GENESIS, seq: 0 }, clock);
    });
  }

  /** An existing log of that run, to go on with, or a new one. A damaged or foreign log throws `LOG_DAMAGED`. */
  static continue(file: string, run: string, clock: Clock = systemClock): EventLog {
    const { O_APPEND, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
    const descriptor = openExisting(file, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor === null) return EventLog.create(file, run, clock);
    return orClose(descriptor, () => new EventLog(file, run, descriptor, headOf(file, run), clock));
  }

  /** The h of the last event, and how many there are. */
  get head(): { h: string; count: number } {
    return { h: this.#head.h, count: this.#head.seq };
  }

  /**
   * Writes one event and returns it as it will be read. It is durable when this returns; with `sync: false`, once a later
   * event or `sync()` is. A body that is not an event
   * throws before anything is written. Throws `LOG_WRITE_FAILED` where the disk fails, then and at every later call:
   * what reached the disk is no longer known.
   */
  append(body: EventBody, { sync = true }: { sync?: boolean } = {}): Event {
    if (this.#ended !== null) throw this.#ended;
    const { h, line } = serialize(this.#head.h, {
      ...body,
      ...{ v: FORMAT_VERSION, run: this.run, seq: this.#head.seq },
      at: this.#clock.now().toISOString(),
      mono_ns: Number(this.#clock.monotonic() - this.#origin),
    });
    const parsed = parseLine(line.subarray(0, -1));
    if (!('event' in parsed)) throw new Error(`this ${body.type} is not an event: ${parsed.detail}`);
    this.#write(line, sync);
    this.#head = { h, seq: this.#head.seq + 1 };
    return parsed.event;
  }

  /** Makes durable what was appended without. Throws as `append` does. */
  sync(): void {
    if (this.#ended !== null) throw this.#ended;
    this.#orEnd(() => fdatasyncSync(this.#descriptor));
  }

  /** Closes the file. Nothing can be appended afterwards. */
  close(): void {
    if (this.#ended?.code === 'LOG_CLOSED') return;
    this.#ended = closedLog(this.file);
    closeSync(this.#descriptor);
  }

  #write(line: Buffer, sync: boolean): void {
    this.#orEnd(() => {
      writeWhole(this.#descriptor, line);
      if (sync) fdatasyncSync(this.#descriptor);
    });
  }

  /** Where the disk fails once, the log is over. */
  #orEnd(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#ended = writeFailed(this.file, error);
      throw this.#ended;
    }
  }
}

/** Writes every byte, in as many writes as the kernel needs. */
function writeWhole(descriptor: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

/** Where a sound log of that run ends. */
function headOf(file: string, run: string): Head {
  let head: Head = { h: GENESIS, seq: 0 };
  for (const line of readLog(file)) {
    if (line.kind !== 'ok' || !line.newline) throw damaged(file, line);
    if (line.event.run !== run) throw foreign(file, run, line.event.run);
    head = { h: line.event.h, seq: line.event.seq + 1 };
  }
  return head;
}

function open(file: string, flags: number): number {
  try {
    return openSync(file, flags, 0o600);
  } catch (error) {
    throw cannotOpen(file, systemCode(error));
  }
}

function openExisting(file: string, flags: number): number | null {
  try {
    return openSync(file, flags);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw cannotOpen(file, systemCode(error));
  }
}

/** Does the rest of an opening; the descriptor is not left open where that fails. */
function orClose<T>(descriptor: number, action: () => T): T {
  try {
    return action();
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function cannotOpen(file: string, code: string): Problem {
  if (code === 'EEXIST') {
    return new Problem({
      code: 'LOG_EXISTS',
      what: 'this log exists already',
      todo: 'start a new run',
      file,
    });
  }
  const what = `${basename(file)} cannot be opened for writing (${code})`;
  const todo = 'check the folder, its permissions and its disk';
  return new Problem({ code: 'LOG_UNWRITABLE', what, todo, file, exit: 3 });
}

function damaged(file: string, line: LogLine): Problem {
  const kind = line.kind === 'ok' ? 'no newline ends it' : line.kind;
  const what = `this line is damaged (${kind}), so nothing can be chained to it`;
  const todo = 'keep the file and look at it before going on';
  return new Problem({ code: 'LOG_DAMAGED', what, todo, file, line: line.number, exit: 3 });
}

function foreign(file: string, run: string, found: string): Problem {
  const what = `this log belongs to ${found}, not to ${run}`;
  const todo = 'put the file back into the folder of its run';
  return new Problem({ code: 'LOG_DAMAGED', what, todo, file, exit: 3 });
}

function writeFailed(file: string, error: unknown): Problem {
  const what = `an event could not be made durable (${systemCode(error)}), so the run stops`;
  const todo = 'check the disk; the events before it are safe';
  return new Problem({ code: 'LOG_WRITE_FAILED', what, todo, file, exit: 3 });
}

function closedLog(file: string): Problem {
  const todo = 'open it again';
  return new Problem({ code: 'LOG_CLOSED', what: 'this log was closed', todo, file, exit: 3 });
}
