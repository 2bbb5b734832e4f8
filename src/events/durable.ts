/** Directories and files that are on the disk when the call returns. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemCode } from './system-error.js';

/** Makes the entries of a directory durable. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Creates one directory, mode 0700; throws EEXIST where it exists. */
export function reserveDirectory(directory: string): void {
  mkdirSync(directory, { mode: 0o700 });
  syncDirectory(dirname(directory));
}

/** Creates a directory and those above it that are missing, mode 0700, each of them durable. */
export function ensureDirectory(directory: string): void {
  try {
    reserveDirectory(directory);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(directory) === directory) throw error;
    ensureDirectory(dirname(directory));
    reserveOrFind(directory);
  }
}

/**
 * Writes a file that did not exist from its parts, whole or not at all. A file of the same bytes is left; of others,
 * throws EEXIST. The parts must be there to be gone through again.
 */
export function writeOnce(file: string, parts: Iterable<string | Uint8Array>): void {
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
  try {
    writeDraft(draft, parts);
    linkSync(draft, file);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST' || !readFileSync(file).equals(whole(parts))) throw error;
  } finally {
    unlinkIfThere(draft);
  }
  syncDirectory(dirname(file));
}

/** As `reserveDirectory`, where another process may be doing the same. A parent that leads nowhere throws. */
function reserveOrFind(directory: string): void {
  try {
    reserveDirectory(directory);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

function whole(parts: Iterable<string | Uint8Array>): Buffer {
  return Buffer.concat([...parts].map((part) => Buffer.from(part)));
}

function writeDraft(draft: string, parts: Iterable<string | Uint8Array>): void {
  const descriptor = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    for (const part of parts) {
      const bytes = typeof part === 'string' ? Buffer.from(part, 'utf8') : part;
      let written = 0;
      while (written < bytes.length) written += writeSync(descriptor, bytes, written);
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function unlinkIfThere(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
