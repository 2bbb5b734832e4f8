/** How deeply JSON is nested, read off its bytes, so that no recursive reader has to find out. */

/** Deeper nesting than this is not an event: writing such a value as JSON again would overflow the stack. */
export const DEPTH_LIMIT = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether arrays and objects stand in one another more than `levels` deep in a JSON text. */
export function deeperThan(json: Uint8Array, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}

/** The place of the quote that ends a string, or the end of the text. */
function endOfString(json: Uint8Array, from: number): number {
  for (let at = from; at < json.length; at += 1) {
    if (json[at] === BACKSLASH) at += 1;
    else if (json[at] === QUOTE) return at;
  }
  return json.length;
}
