/** The hash chain: how an event becomes one line, and how a line is checked against bytes on disk. */
import { createHash } from 'node:crypto';
import { type EventType, fieldOrder } from './event.js';

/** The h that the first event of a log is chained to. */
export const GENESIS = '0'.repeat(64);

const OPENING = '{"h":"';
/** Bytes before the part of a line that its hash covers: `{"h":"`, 64 hex digits, `",`. */
export const PREFIX_BYTES = OPENING.length + 64 + 2;

/** h of a line: SHA-256 over the previous h as 64 hex digits, then the bytes that follow `{"h":"…",`. */
export function chainHash(previous: string, rest: Uint8Array): string {
  return createHash('sha256').update(previous).update(rest).digest('hex');
}

/** The h that a line states, or null where the line does not begin with one. */
export function statedHash(line: Uint8Array): string | null {
  const head = Buffer.from(line.buffer, line.byteOffset, Math.min(line.length, PREFIX_BYTES)).toString(
    'latin1',
  );
  const match = /^\{"h":"([0-9a-f]{64})",$/.exec(head);
  return match?.[1] ?? null;
}

/** Whether the h that a line states is the right one after `previous`. */
export function hashHolds(previous: string, line: Uint8Array): boolean {
  return statedHash(line) === chainHash(previous, line.subarray(PREFIX_BYTES));
}

/** Where the next line may begin that states an h, from a place on; the length of the bytes where none does. */
export function openingAfter(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(OPENING, from); at !== -1; at = bytes.indexOf(OPENING, at + 1)) {
    if (statedHash(bytes.subarray(at)) !== null) return at;
  }
  return bytes.length;
}

/**
 * The line of an event, with its newline, and its h. Fields are written in the order of the schema; those that it
 * does not know come last, so that the reader can refuse them.
 */
export function serialize(
  previous: string,
  fields: { type: EventType } & Record<string, unknown>,
): { h: string; line: Buffer } {
  const known = fieldOrder(fields.type).filter((name) => name in fields);
  const names = new Set([...known, ...Object.keys(fields)]);
  const ordered = Object.fromEntries([...names].map((name) => [name, fields[name]]));
  const rest = Buffer.from(escapeSeparators(JSON.stringify(ordered)).slice(1), 'utf8');
  const h = chainHash(previous, rest);
  return { h, line: Buffer.concat([Buffer.from(`${OPENING}${h}",`), rest, Buffer.from('\n')]) };
}

/** U+2028 and U+2029 end a line for some readers: they are written as escapes. */
function escapeSeparators(json: string): string {
  return json.replace(/[\u2028\u2029]/g, (separator) => (separator === '\u2028' ? '\\u2028' : '\\u2029'));
}
