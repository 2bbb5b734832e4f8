/** Places in a JSON text, looked for only once something is wrong with it: a line, an array's element, the first error. */

/** The 1-based line of an offset in UTF-16 units. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** The offset where element `number` (from 1) of the outermost array begins, or the text's length if there is none. */
export function elementOffset(text: string, number: number): number {
  let depth = 0;
  let left = number;
  let begins = false;
  for (const { mark, offset } of tokensOf(text)) {
    if (begins) {
      left -= 1;
      if (left === 0) return offset;
    }
    if (mark === '[' || mark === '{') depth += 1;
    if (mark === ']' || mark === '}') depth -= 1;
    begins = depth === 1 && (mark === ',' || (mark === '[' && left === number));
  }
  return text.length;
}

/** The offset of the first token that cannot stand where it stands; the text's length if the text only stops early. */
export function errorOffset(text: string): number {
  const open: string[] = [];
  let want: Want | undefined = 'value';
  for (const { mark, offset } of tokensOf(text)) {
    want = after(want, mark, open);
    if (want === undefined) return offset;
  }
  return text.length;
}

/** What may come next: `first value` and `first key` also allow the closing bracket. */
type Want = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'end of value';

interface Token {
  /** The bracket, comma or colon itself, `"` for a string, `0` for any other value, empty for what is no token. */
  mark: string;
  offset: number;
}

/** One token that is no string, or a single stray character, after any white space. */
const TOKEN =
  /[ \t\n\r]*(?:(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[\]{}:,])|[^ \t\n\r])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function* tokensOf(text: string): Generator<Token> {
  const pattern = new RegExp(TOKEN);
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const token = found[1];
    const offset = pattern.lastIndex - (token?.length ?? 1);
    const mark = text.charAt(offset);
    const end = mark === '"' ? endOfString(text, offset) : pattern.lastIndex;
    pattern.lastIndex = end ?? text.length;
    const stray = end === undefined || (token === undefined && mark !== '"');
    yield { mark: stray ? '' : markOf(mark), offset };
  }
}

function markOf(first: string): string {
  return '[]{}:,"'.includes(first) ? first : '0';
}

/** The offset behind a string's closing quote; undefined if the string is cut, or holds a raw control character. */
function endOfString(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20) return undefined;
    if (unit === 0x22) return at + 1;
    if (unit !== 0x5c) continue;
    ESCAPE.lastIndex = at;
    if (!ESCAPE.test(text)) return undefined;
    at = ESCAPE.lastIndex - 1;
  }
  return undefined;
}

/** What may come after a token, or undefined if the token may not come here. Keeps the open brackets up to date. */
function after(want: Want, mark: string, open: string[]): Want | undefined {
  if (closes(want, mark, open)) {
    open.pop();
    return 'end of value';
  }
  switch (want) {
    case 'value':
    case 'first value':
      return afterValueStart(mark, open);
    case 'key':
    case 'first key':
      return mark === '"' ? 'colon' : undefined;
    case 'colon':
      return mark === ':' ? 'value' : undefined;
    case 'end of value':
      if (mark !== ',' || open.length === 0) return undefined;
      return open.at(-1) === '{' ? 'key' : 'value';
    default:
      return want satisfies never;
  }
}

function closes(want: Want, mark: string, open: readonly string[]): boolean {
  if (mark === ']') return open.at(-1) === '[' && (want === 'first value' || want === 'end of value');
  return mark === '}' && open.at(-1) === '{' && (want === 'first key' || want === 'end of value');
}

function afterValueStart(mark: string, open: string[]): Want | undefined {
  if (mark === '"' || mark === '0') return 'end of value';
  if (mark !== '{' && mark !== '[') return undefined;
  open.push(mark);
  return mark === '{' ? 'first key' : 'first value';
}
