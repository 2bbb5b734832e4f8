/** Valid JSON as text: its tokens, whether two texts say the same, and an object without some of its fields. */

/** The tokens of a JSON text in order: brackets, colons, commas, strings, numbers and words, without the blanks. */
function* tokens(json: string): Generator<string> {
  for (let at = 0; at < json.length; ) {
    const end = endOfToken(json, at);
    if (!BLANK.has(json[at] ?? '')) yield json.slice(at, end);
    at = end;
  }
}

const BLANK = new Set([' ', '\t', '\n', '\r']);
const PUNCTUATION = new Set(['{', '}', '[', ']', ':', ',']);

function endOfToken(json: string, from: number): number {
  const first = json[from] ?? '';
  if (BLANK.has(first) || PUNCTUATION.has(first)) return from + 1;
  if (first === '"') return endOfString(json, from + 1);
  let at = from + 1;
  while (at < json.length && !BLANK.has(json[at] ?? '') && !PUNCTUATION.has(json[at] ?? '')) at += 1;
  return at;
}

function endOfString(json: string, from: number): number {
  let at = from;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Whether two JSON texts hold the same values under the same keys in the same order, to the last digit. */
export function saysTheSame(json: string, other: string): boolean {
  const others = tokens(other);
  for (const token of tokens(json)) {
    const match = others.next();
    if (match.done === true || !sameToken(token, match.value)) return false;
  }
  return others.next().done === true;
}

function sameToken(a: string, b: string): boolean {
  if (a === b) return true;
  if (a.startsWith('"') && b.startsWith('"')) return JSON.parse(a) === JSON.parse(b);
  const [x, y] = [decimal(a), decimal(b)];
  return x !== null && y !== null && x === y;
}

/** A number as sign, digits and power of ten in one form for each value; null where the token is no number. */
function decimal(token: string): string | null {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let length = digits.length;
  while (digits[length - 1] === '0') length -= 1;
  const significant = digits.slice(0, length);
  if (significant === '') return `${sign}0`;
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}

/** A JSON object without these fields of its top level: every other token as it stands, the blanks left out. */
export function cutFields(json: string, leaveOut: string[]): string {
  const kept: string[] = [];
  for (const member of members(json)) {
    const [name = ''] = member;
    if (!leaveOut.includes(String(JSON.parse(name)))) kept.push(member.join(''));
  }
  return `{${kept.join(',')}}`;
}

/** The tokens of each field of an object: key, colon, and those of the value. */
function* members(json: string): Generator<string[]> {
  let depth = 0;
  let member: string[] = [];
  for (const token of tokens(json)) {
    if (token === '}' || token === ']') depth -= 1;
    const ends = depth === 0 || (depth === 1 && token === ',');
    if (ends && member.length > 0) yield member;
    if (ends) member = [];
    else if (depth > 0) member.push(token);
    if (token === '{' || token === '[') depth += 1;
  }
}
