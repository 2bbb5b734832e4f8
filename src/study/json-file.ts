/** Reading a JSON file that is a study's input: bounded, and with the line of whatever is not JSON. */
import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { Problem } from '../events/problem.js';
import { errorOffset, lineOf } from './json-place.js';
import { shown } from './row.js';

/** The limit of a kind of file, and the codes of its problems. */
export interface FileKind {
  /** The most bytes that are read. */
  limit: number;
  /** The code for a file that cannot be read. */
  missing: string;
  /** The code for a file over the limit. */
  tooLarge: string;
  /** The code for a file that is not JSON. */
  invalid: string;
}

/** The exact bytes of a file. Throws a Problem of that kind if it is missing, unreadable, no file, or too large. */
export function readBounded(file: string, { limit, missing, tooLarge }: Omit<FileKind, 'invalid'>): Buffer {
  const todo = 'check the name and the permissions of the file';
  try {
    const facts = statSync(file);
    if (!facts.isFile()) throw new Problem({ code: missing, what: 'it is not a file', todo, file });
    if (facts.size <= limit) return readFileSync(file);
    const what = `it has ${facts.size} bytes, over the limit of ${limit}`;
    throw new Problem({ code: tooLarge, what, todo: 'give a smaller extract', file });
  } catch (error) {
    if (error instanceof Problem) throw error;
    const reason = error instanceof Error && 'code' in error ? error.code : error;
    const what = reason === 'ENOENT' ? 'there is no such file' : `it cannot be read (${reason})`;
    throw new Problem({ code: missing, what, todo, file });
  }
}

/** The text of UTF-8 bytes, byte order mark included. Throws `code` with the first line that is not UTF-8. */
export function textOfUtf8(bytes: Uint8Array, file: string, code: string): string {
  if (isUtf8(bytes)) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const what = 'this line is not valid UTF-8';
  throw new Problem({ code, what, todo: 'save the file as UTF-8', file, line: firstBadLine(bytes) });
}

/** The same without the byte order mark that some editors put first. */
export function decodeText(bytes: Uint8Array, file: string, code: string): string {
  return textOfUtf8(bytes, file, code).replace(/^\ufeff/, '');
}

function firstBadLine(bytes: Uint8Array): number {
  let line = 1;
  for (let from = 0; from < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, from);
    const to = end === -1 ? bytes.length : end;
    if (!isUtf8(bytes.subarray(from, to))) return line;
    from = to + 1;
  }
  return line;
}

/** The value of a JSON text. Throws a Problem of that kind with the line of the first thing that is not JSON. */
export function parseJson(text: string, file: string, { invalid }: FileKind): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { what, offset } = faultIn(text);
    const said = text.trim() === '' ? 'it is empty' : `it is not JSON: ${what}`;
    throw new Problem({
      code: invalid,
      what: said,
      todo: 'write a JSON array',
      file,
      line: lineOf(text, offset),
    });
  }
}

/** What keeps a text from being JSON, and at which offset; undefined if it is JSON. */
export function jsonFault(text: string): { what: string; offset: number } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return faultIn(text);
  }
}

function faultIn(text: string): { what: string; offset: number } {
  const offset = errorOffset(text);
  return { what: strayAt(text, offset), offset };
}

function strayAt(text: string, offset: number): string {
  if (offset === text.length) return 'it stops early';
  if (text.startsWith('\ufeff')) return 'it begins with a byte order mark';
  return `unexpected ${shown(text.slice(offset, offset + 20).split('\n')[0] ?? '')}`;
}
