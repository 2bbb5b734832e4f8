/** The unit of a number in prose: after it (`5 ms`, `64K`, `30-second`), or before it (`$5`, `tokens: 5`). */
import type { NumberToken } from './numbers.js';

const PERCENT = ['%', 'percent', 'per cent', 'pct'];
/** Marks of Markdown, and what may stand between a number and its unit. */
const BETWEEN = /^[*_`]*(?:[-\u2011]|\s*)[*_`]*/u;
const WORD = /[\p{L}\p{N}_]/u;

/** Whether letters touch the end of a number: `5ms`, `64K`, `5th`. Without their unit these are no 5 and no 64. */
export function isGlued(text: string, { end }: NumberToken): boolean {
  return /^(?:\p{L}|_[\p{L}\p{N}])/u.test(text.slice(end, end + 4));
}

/** Whether a number has one of these units, in any case; `%` is also `percent`. */
export function hasUnit(text: string, token: NumberToken, units: string[]): boolean {
  const spellings = units
    .flatMap((unit) => (PERCENT.includes(unit.toLowerCase()) ? PERCENT : [unit]))
    .map((unit) => unit.toLowerCase());
  return spellings.some((unit) => follows(text, token.end, unit) || precedes(text, token.start, unit));
}

function follows(text: string, end: number, unit: string): boolean {
  const rest = text.slice(end, end + unit.length + 24);
  const after = rest.slice(BETWEEN.exec(rest)?.[0].length ?? 0);
  const next = after.slice(unit.length, unit.length + 1);
  return after.toLowerCase().startsWith(unit) && !(isWordy(unit.at(-1)) && WORD.test(next));
}

/** A currency stands directly before, or with a space; anything else with a colon, an equals sign or a table's line. */
function precedes(text: string, start: number, unit: string): boolean {
  const before = text.slice(Math.max(0, start - unit.length - 24), start).toLowerCase();
  const gap = isCurrency(unit) ? /\s*[:=|]?[\s*_`]*$/u : /[*_`]*\s*[:=|][\s*_`]*$/u;
  const found = gap.exec(before);
  if (found === null || !before.slice(0, found.index).endsWith(unit)) return false;
  const previous = before.slice(0, found.index - unit.length).slice(-1);
  return !(isWordy(unit[0]) && WORD.test(previous));
}

function isCurrency(unit: string): boolean {
  return /^(?:\p{Sc}|usd|eur|gbp|chf|jpy)$/u.test(unit);
}

function isWordy(character: string | undefined): boolean {
  return character !== undefined && WORD.test(character);
}
