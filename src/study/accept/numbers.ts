/** Numbers as they stand in prose: whole tokens, never a part of a longer number, a date, a version or a name. */

export interface NumberToken {
  value: number;
  /** As it stands, with its sign. */
  text: string;
  /** Places in the text, in UTF-16 units. */
  start: number;
  end: number;
}

/** What may stand between groups of three digits. */
const GROUP = "[,'’_\\u00a0\\u2009\\u202f]";
/** Three parts or more with the same sign between them: a date, or a number of another kind. */
const DATE = '\\d+([-/])\\d+(?:\\1\\d+)+';
/** Groups with plain spaces between: one number, or several. */
const SPACED = '(?<![\\d.,])\\d{1,3}(?: \\d{3})+(?!\\d)(?:\\.\\d+)?';
/** Digits that anything joins: a number, or a version, a time, an address, which are none. */
const CLUMP = new RegExp(
  `${DATE}|${SPACED}|(?<![\\p{L}\\p{N}.])\\.\\d+|\\d+(?:(?:${GROUP}|[.:])\\d+)*`,
  'gu',
);
const NUMBER = new RegExp(`^(?:\\d{1,3}(?:(${GROUP})\\d{3}(?:\\1\\d{3})*)?|\\d*)(?:\\.\\d+)?$`, 'u');
const EXPONENT = /^[eE][-+]?\d+(?![\p{L}\p{N}])/u;
const SIGN = /(?<![\p{L}\p{N})\]%])[-+−]$/u;
/** A letter or digit, or one with an underscore or a hyphen between: `v5`, `foo_5`, `GPT-5`. */
const NAME = /(?:[\p{L}\p{N}]|[\p{L}\p{N}]_|\p{L}-)$/u;

/** Every number of a text, in order. `1,242`, `1 242` with a no-break space, `1242.00` and `1.242e3` are all 1242. */
export function numbersIn(text: string): NumberToken[] {
  const markers = listMarkers(text);
  return [...text.matchAll(CLUMP)].flatMap((match) => {
    const token = markers.has(match.index) ? null : tokenOf(text, match[0], match.index);
    return token === null ? [] : [token];
  });
}

function tokenOf(text: string, clump: string, at: number): NumberToken | null {
  // 24 units say what stands before: nothing here looks further.
  const before = text.slice(Math.max(0, at - 24), at);
  const sign = SIGN.exec(before)?.[0] ?? '';
  const after = text.slice(at + clump.length, at + clump.length + 24);
  // A digit of another kind goes on with the number: 5², 5½.
  if (!NUMBER.test(clump) || /^\p{N}/u.test(after) || (sign === '' && NAME.test(before))) return null;
  const exponent = EXPONENT.exec(after)?.[0] ?? '';
  const digits = clump.replaceAll(new RegExp(GROUP, 'gu'), '') + exponent;
  return {
    value: Number(digits) * (sign === '' || sign === '+' ? 1 : -1),
    text: sign + clump + exponent,
    start: at - sign.length,
    end: at + clump.length + exponent.length,
  };
}

/** Where the numbers of a numbered list begin: lines that begin `1.`, `2.` and so on, at least two of them. */
function listMarkers(text: string): Set<number> {
  const found = [...text.matchAll(/^([ \t>]*)(\d{1,3})[.)][ \t]+\S/gm)];
  const isList = found.length > 1 && found.some((match) => match[2] === '1');
  return new Set(isList ? found.map((match) => match.index + (match[1]?.length ?? 0)) : []);
}
