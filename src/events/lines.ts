/** From the bytes of a file to its lines. Every byte belongs to one line; lines are split on byte 0x0A only. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { Problem } from './problem.js';
import { systemCode } from './system-error.js';

/** Where a line, or a piece of a damaged one, lies in its file. */
export interface Place {
  /** 1-based line in the file. */
  number: number;
  /** Byte offset of its first byte. */
  offset: number;
  /** Bytes, newline included where there is one. */
  length: number;
  /** Whether a newline ends it. */
  newline: boolean;
}

/** A line with its bytes, the newline left off; null where they are too many to be held. */
export interface Line extends Place {
  bytes: Buffer | null;
}

/** The longest line that is held in memory: 256 MiB. */
export const LINE_LIMIT = 256 * 1024 * 1024;

const CHUNK = 1 << 20;
const NEWLINE = 0x0a;

/** Every line of a regular file, in order. Throws `LOG_UNREADABLE` where it cannot be read, a pipe or a folder too. */
export function* linesOf(file: string): Generator<Line> {
  const descriptor = openRegular(file);
  try {
    yield* split(chunksOf(descriptor, file));
  } finally {
    closeSync(descriptor);
  }
}

function* split(chunks: Iterable<Buffer>): Generator<Line> {
  let place = { number: 1, offset: 0 };
  let parts: Buffer[] = [];
  let held = 0;
  for (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const length = held + at - from + 1;
      yield { ...place, length, newline: true, bytes: join(parts, chunk.subarray(from, at), length - 1) };
      place = { number: place.number + 1, offset: place.offset + length };
      from = at + 1;
      parts = [];
      held = 0;
    }
    held += chunk.length - from;
    if (held <= LINE_LIMIT) parts.push(chunk.subarray(from));
    else parts = [];
  }
  if (held > 0) yield { ...place, length: held, newline: false, bytes: join(parts, Buffer.alloc(0), held) };
}

/** The bytes of a line from the chunks that it spans. */
function join(parts: Buffer[], last: Buffer, length: number): Buffer | null {
  if (length > LINE_LIMIT) return null;
  return parts.length === 0 ? last : Buffer.concat([...parts, last], length);
}

function* chunksOf(descriptor: number, file: string): Generator<Buffer> {
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const size = orUnreadable(file, () => readSync(descriptor, chunk, 0, CHUNK, null));
    if (size === 0) return;
    yield chunk.subarray(0, size);
  }
}

/** Opens without waiting: a pipe would block until somebody writes to it. */
function openRegular(file: string): number {
  const descriptor = orUnreadable(file, () => openSync(file, constants.O_RDONLY | constants.O_NONBLOCK));
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw unreadable(file, 'not a regular file');
}

function orUnreadable<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw unreadable(file, systemCode(error));
  }
}

function unreadable(file: string, reason: string): Problem {
  const what = `this log cannot be read (${reason}), which says nothing about what is in it`;
  return new Problem({
    code: 'LOG_UNREADABLE',
    what,
    todo: 'check that the file exists and may be read',
    file,
    exit: 3,
  });
}
