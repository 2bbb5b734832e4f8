/** Repair: bytes after the last valid line of a log are moved out of it, and the log says so. Nothing else is changed. */
import { closeSync, constants, fdatasyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from './bytes.js';
import { syncDirectory, writeOnce } from './durable.js';
import type { BodyOf } from './event.js';
import { Problem } from './problem.js';
import { type LogLine, readLog } from './reader.js';
import { onDisk } from './system-error.js';

/** What would be moved: from `offset` to the end of the file. */
export interface Tail {
  offset: number;
  bytes: number;
  /** Whether the last valid line only lacks its newline. */
  lacksNewline: boolean;
}

/**
 * What stands behind the last valid line of a log; null where it ends with that. Damage before a valid line is beyond
 * repair: it throws `LOG_DAMAGED`.
 */
export function tailOf(file: string): Tail | null {
  let end = 0;
  let size = 0;
  let lacksNewline = false;
  let broken: LogLine | null = null;
  for (const line of readLog(file)) {
    size = line.offset + line.length;
    if (line.kind === 'ok' && line.detail === null) {
      if (broken !== null) throw beyondRepair(file, broken);
      end = size;
      lacksNewline = !line.newline;
    } else broken ??= line;
  }
  return size === end && !lacksNewline ? null : { offset: end, bytes: size - end, lacksNewline };
}

/**
 * Moves the tail into a file beside the log, then cuts it off. May break off at any step and be done again. Gives the
 * event that the log is to go on with; null where nothing had to be moved.
 */
export function repairTail(file: string): BodyOf<'log_repaired'> | null {
  const tail = tailOf(file);
  if (tail === null) return null;
  const facts = { code: 'LOG_UNWRITABLE', what: 'the log cannot be repaired', file };
  return onDisk(facts, () => cutOff(file, tail));
}

function cutOff(file: string, { offset, bytes, lacksNewline }: Tail): BodyOf<'log_repaired'> | null {
  const descriptor = openSync(file, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    if (bytes === 0) {
      if (lacksNewline) writeSync(descriptor, '\n', offset);
      fdatasyncSync(descriptor);
      return null;
    }
    const moved = Buffer.alloc(bytes);
    for (let read = 0; read < bytes; ) read += readSync(descriptor, moved, read, bytes - read, offset + read);
    const hash = sha256(moved);
    const quarantine = `quarantine-${offset}-${hash.slice(0, 16)}`;
    writeOnce(join(dirname(file), quarantine), [moved]);
    ftruncateSync(descriptor, offset);
    fdatasyncSync(descriptor);
    syncDirectory(dirname(file));
    return { type: 'log_repaired', offset, bytes, sha256: hash, quarantine };
  } finally {
    closeSync(descriptor);
  }
}

function beyondRepair(file: string, line: LogLine): Problem {
  const what = `this line is damaged (${line.kind}) and valid ones follow it, so it is not the end of a write`;
  const todo = 'keep the file as it is; `measure replay` shows what can still be read';
  return new Problem({ code: 'LOG_DAMAGED', what, todo, file, line: line.number, exit: 3 });
}
