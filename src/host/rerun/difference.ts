/** The first difference between two values, in a line that a person can read. */
import { jsonOf } from '../../events/answer.js';

/** The most of a value that is shown. */
const SHOWN = 60;
/** How much of a text stands before the place where it differs. */
const BEFORE = 20;

/**
 * Where two JSON values first differ and how: `rows[2].status: "open" → "closed"`. Strings that hold JSON are looked
 * into. Null where the values are equal; the order of keys does not matter.
 */
export function firstDifference(before: unknown, after: unknown, path = ''): string | null {
  if (Object.is(before, after)) return null;
  if (typeof before === 'string' && typeof after === 'string') return inText(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) return inList(before, after, path);
  if (isObject(before) && isObject(after)) return inObject(before, after, path);
  return said(path, short(before), short(after));
}

function inList(before: unknown[], after: unknown[], path: string): string | null {
  const length = Math.max(before.length, after.length);
  for (let at = 0; at < length; at += 1) {
    const found = firstDifference(before[at], after[at], `${path}[${at}]`);
    if (found !== null) return found;
  }
  return null;
}

function inObject(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  path: string,
): string | null {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const found = firstDifference(
      own(before, key),
      own(after, key),
      `${path}${path === '' ? '' : '.'}${key}`,
    );
    if (found !== null) return found;
  }
  return null;
}

function inText(before: string, after: string, path: string): string {
  const [a, b] = [jsonOf(before), jsonOf(after)];
  const inside = isObject(a) || Array.isArray(a) ? firstDifference(a, b) : null;
  if (inside !== null && b !== undefined) return `${path}: ${inside}`;
  let at = 0;
  while (before[at] === after[at]) at += 1;
  if (before.length <= SHOWN && after.length <= SHOWN) return said(path, short(before), short(after));
  return said(path, around(before, at), around(after, at), ` from character ${at + 1}`);
}

function around(text: string, at: number): string {
  const from = Math.max(0, at - BEFORE);
  const piece = text.slice(from, from + SHOWN);
  const rest = from + SHOWN < text.length ? '…' : '';
  return `${from > 0 ? '…' : ''}${JSON.stringify(piece)}${rest}`;
}

function said(path: string, before: string, after: string, where = ''): string {
  return `${path}${where}${path === '' && where === '' ? '' : ': '}${before} → ${after}`;
}

function short(value: unknown): string {
  if (value === undefined) return 'absent';
  const json = JSON.stringify(value);
  return json.length > SHOWN ? `${json.slice(0, SHOWN)}…` : json;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
