/** What notes a folder holds, by its directory entries alone. */
import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../events/system-error.js';
import { NOTE_LIMIT } from './read-file.js';
import { tooLarge } from './refusal.js';

/** What was found. Paths are relative to the root, with `/`. */
export interface Scan {
  /** Notes, and the state in which each is. */
  notes: Map<string, string>;
  /** What is left out although it looks like a note or a folder of notes, and why. */
  leftOut: Map<string, string>;
}

const NOTE_NAME = /\.(?:md|markdown)$/i;

/** Names below the root that are never looked at: hidden ones, and installed packages. */
const isPassedOver = (name: string) => name.startsWith('.') || name === 'node_modules';

/**
 * Looks at a folder and all below it, or at a single file; `''` is the root itself. `visit` is called with each folder
 * before its entries are read. Symbolic links are not followed, whatever they point to. What is not there has no notes.
 */
export function scan(root: string, path: string, visit: (folder: string) => void): Scan {
  const found: Scan = { notes: new Map(), leftOut: new Map() };
  if (path.split('/').some(isPassedOver)) return found;
  const waiting = [path];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entry = look(root, next, found);
    if (entry === undefined) continue;
    if (entry.isDirectory()) waiting.push(...enter(root, next, visit, found));
    else takeFile(next, entry, found);
  }
  return found;
}

/** Whether a path is a folder or lies below it; all paths lie below the root, which is `''`. */
export function isWithin(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** The state of a file: another one where its content may be another. */
export function stateOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino}-${size}-${mtimeMs}-${ctimeMs}`;
}

function takeFile(path: string, stat: Stats, { notes, leftOut }: Scan): void {
  if (!stat.isFile() || !NOTE_NAME.test(path)) return;
  if (stat.size <= NOTE_LIMIT) notes.set(path, stateOf(stat));
  else leftOut.set(path, tooLarge(stat.size));
}

/** The entries of a folder that may be notes or hold some. */
function enter(root: string, folder: string, visit: (folder: string) => void, found: Scan): string[] {
  visit(folder);
  try {
    return readdirSync(join(root, folder), { withFileTypes: true })
      .filter(mayMatter)
      .map(({ name }) => (folder === '' ? name : `${folder}/${name}`));
  } catch (error) {
    if (!isGone(error)) found.leftOut.set(folder, `this folder cannot be read (${systemCode(error)})`);
    return [];
  }
}

function mayMatter(entry: Dirent): boolean {
  if (isPassedOver(entry.name)) return false;
  return entry.isDirectory() || (entry.isFile() && NOTE_NAME.test(entry.name));
}

function look(root: string, path: string, { leftOut }: Scan): Stats | undefined {
  try {
    return lstatSync(join(root, path));
  } catch (error) {
    // A name that is not UTF-8 comes with this character, and cannot be asked for.
    if (path.includes('\ufffd')) leftOut.set(path, 'its name is not valid UTF-8');
    else if (!isGone(error)) leftOut.set(path, `it cannot be looked at (${systemCode(error)})`);
    return undefined;
  }
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemCode(error));
}
