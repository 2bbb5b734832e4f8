/** JSON in one form for each value, so that two texts can be compared: keys sorted, no blanks, numbers to the last digit. */
import { isSafeNumber } from 'lossless-json';
import { elementsOf, endOfValue, membersOf } from './json-spans.js';

/**
 * The same text for the same value: the order of keys, blanks, escapes and spellings of a number do not matter; of a
 * repeated key the last one counts. Numbers that JavaScript cannot hold stay as they are written. For valid JSON that is
 * not nested beyond `DEPTH_LIMIT` only.
 */
export function canonicalJson(json: string): string {
  const at = json.search(/[^ \t\r\n]/);
  switch (json[at]) {
    case '{':
      return object(json, at);
    case '[':
      return `[${elementsOf(json, at).map(({ start, end }) => canonicalJson(json.slice(start, end)))}]`;
    default:
      return scalar(json.slice(at, endOfValue(json, at)));
  }
}

function object(json: string, at: number): string {
  const members = new Map(membersOf(json, at).map(({ key, value }) => [key, value]));
  const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : 1));
  const written = sorted.map(
    ([key, { start, end }]) => `${JSON.stringify(key)}:${canonicalJson(json.slice(start, end))}`,
  );
  return `{${written}}`;
}

function scalar(token: string): string {
  if (token.startsWith('"')) return JSON.stringify(JSON.parse(token));
  return /^[-\d]/.test(token) && isSafeNumber(token) ? String(Number(token)) : token;
}
