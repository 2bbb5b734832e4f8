/** Where values stand in a JSON text, so that they can be measured as they were sent. For valid JSON only. */

/** From the first unit of a value to behind its last. */
export interface Span {
  start: number;
  end: number;
}

/** A member of an object: its key, and where its value stands. */
export interface Member {
  key: string;
  value: Span;
}

/** The members of the object that begins at `at`, in their order, repeated keys included. */
export function membersOf(json: string, at: number): Member[] {
  const members: Member[] = [];
  for (let key = afterBlanks(json, at + 1); json[key] === '"'; ) {
    const colon = afterBlanks(json, endOfValue(json, key));
    const value = spanAt(json, colon + 1);
    const name: unknown = JSON.parse(json.slice(key, endOfValue(json, key)));
    members.push({ key: String(name), value });
    key = afterComma(json, value.end);
  }
  return members;
}

/** The elements of the array that begins at `at`. */
export function elementsOf(json: string, at: number): Span[] {
  const elements: Span[] = [];
  for (let next = afterBlanks(json, at + 1); next < json.length && json[next] !== ']'; ) {
    const element = spanAt(json, next);
    elements.push(element);
    next = afterComma(json, element.end);
  }
  return elements;
}

/** Behind the value that begins at `at`; the length of the text where the value does not end. */
export function endOfValue(json: string, at: number): number {
  const first = json[at];
  if (first === '"') return endOfString(json, at);
  if (first !== '{' && first !== '[') return endOfWord(json, at);
  let depth = 0;
  // What lies between is passed over by the engine: results can be many megabytes long.
  const marks = /["{}[\]]/g;
  marks.lastIndex = at;
  for (let mark = marks.exec(json); mark !== null; mark = marks.exec(json)) {
    if (mark[0] === '"') marks.lastIndex = endOfString(json, mark.index);
    else depth += mark[0] === '{' || mark[0] === '[' ? 1 : -1;
    if (depth === 0) return mark.index + 1;
  }
  return json.length;
}

function spanAt(json: string, at: number): Span {
  const start = afterBlanks(json, at);
  return { start, end: endOfValue(json, start) };
}

function afterComma(json: string, at: number): number {
  const comma = afterBlanks(json, at);
  return json[comma] === ',' ? afterBlanks(json, comma + 1) : comma;
}

function afterBlanks(json: string, at: number): number {
  let here = at;
  while (json[here] === ' ' || json[here] === '\t' || json[here] === '\n' || json[here] === '\r') here += 1;
  return here;
}

function endOfString(json: string, at: number): number {
  const marks = /["\\]/g;
  marks.lastIndex = at + 1;
  for (let mark = marks.exec(json); mark !== null; mark = marks.exec(json)) {
    if (mark[0] === '"') return mark.index + 1;
    marks.lastIndex = mark.index + 2;
  }
  return json.length;
}

function endOfWord(json: string, at: number): number {
  let here = at;
  while (here < json.length && !',]} \t\n\r'.includes(json[here] ?? '')) here += 1;
  return Math.max(here, at + 1);
}
