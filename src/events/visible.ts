/** Text that others wrote, made safe for a terminal. */

const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * The text on one line: what moves the cursor, changes colours, reorders text or cannot be seen stands as an escape
 * (control, format and separator characters, halves of surrogate pairs).
 */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => ESCAPES[character] ?? escaped(character),
  );
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
