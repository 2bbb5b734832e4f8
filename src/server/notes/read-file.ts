/** Reading one note: the only place that opens a file of the folder. */

import type { Stats } from 'node:fs';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../events/system-error.js';

/** The largest note that is indexed and served: 4 MiB. */
export const NOTE_LIMIT = 4 * 1024 * 1024;

/** Why a note cannot be read. */
export type Unreadable =
  | { why: 'gone' | 'not_a_file' | 'elsewhere' }
  | { why: 'too_large'; bytes: number }
  | { why: 'failed'; code: string };

/** A file as it was when it was read. */
export interface Content {
  bytes: Uint8Array;
  stat: Stats;
}

/** Follows no link, waits for no writer, takes no terminal. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * The bytes of a file below `root`, which is a real path. Nothing is read that is not a regular file, or that lies
 * anywhere else than its path says, as behind a symbolic link, be it that a folder became one a moment ago.
 */
export function readFile(root: string, path: string): Content | Unreadable {
  const file = join(root, path);
  // Whatever has another spelling, as with `..`, names something else.
  if (file !== `${root === '/' ? '' : root}/${path}`) return { why: 'elsewhere' };
  let descriptor: number | undefined;
  try {
    // A pipe or device is not even opened.
    if (!lstatSync(file).isFile()) return { why: 'not_a_file' };
    descriptor = openSync(file, FLAGS);
    return readOpen(descriptor, file);
  } catch (error) {
    return refusalOf(systemCode(error));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function readOpen(descriptor: number, file: string): Content | Unreadable {
  const stat = fstatSync(descriptor);
  if (!stat.isFile()) return { why: 'not_a_file' };
  if (placeOf(descriptor, file, stat) !== file) return { why: 'elsewhere' };
  if (stat.size > NOTE_LIMIT) return { why: 'too_large', bytes: stat.size };
  const bytes = readWhole(descriptor, stat.size);
  return bytes.length > NOTE_LIMIT ? { why: 'too_large', bytes: bytes.length } : { bytes, stat };
}

/** The real path of an open file; undefined where it cannot be told. */
function placeOf(descriptor: number, file: string, { dev, ino }: Stats): string | undefined {
  if (process.platform === 'linux') return readlinkSync(`/proc/self/fd/${descriptor}`);
  const now = lstatSync(realpathSync(file));
  return now.dev === dev && now.ino === ino ? realpathSync(file) : undefined;
}

/** All that the file has, as far as one byte over the limit: it may grow while it is read. */
function readWhole(descriptor: number, expected: number): Uint8Array {
  let buffer = Buffer.allocUnsafe(expected + 1);
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null);
    length += count;
    if (count === 0 || length > NOTE_LIMIT) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
  }
}

function refusalOf(code: string): Unreadable {
  if (code === 'ENOENT' || code === 'ENOTDIR') return { why: 'gone' };
  return code === 'ELOOP' ? { why: 'not_a_file' } : { why: 'failed', code };
}
