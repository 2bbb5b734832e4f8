/** Directories and files that are on the disk when the call returns. */
import { closeSync, constants, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { sha256 } from './bytes.js';

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
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT') throw error;
    ensureDirectory(dirname(directory));
    ensureDirectory(directory);
  }
}

/** Writes a file that did not exist, whole or not at all. A file of the same bytes is left as it is. */
export function writeOnce(file: string, bytes: Uint8Array): void {
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
  const descriptor = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    let written = 0;
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
    fsyncSync(descriptor);
    linkSync(draft, file);
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (!exists || sha256(readFileSync(file)) !== sha256(bytes)) throw error;
  } finally {
    closeSync(descriptor);
    unlinkSync(draft);
  }
  syncDirectory(dirname(file));
}
