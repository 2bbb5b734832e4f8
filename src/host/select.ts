/** What of a tool result the model is sent. */
import { joinedText, textsOf } from '../events/answer.js';
import { DEPTH_LIMIT, deeperThan } from '../events/depth.js';
import { cutFields, saysTheSame } from './json-text.js';

/** What the model is sent where a result holds no text. */
export const EMPTY_TOOL_CONTENT = 'EMPTY_TOOL_CONTENT';

/**
 * The model-facing text of a result: its text blocks, joined by newlines, without the fields of `leaveOut`.
 * Only the top level of a JSON object loses fields; other text, and errors, pass as they are.
 */
export function modelFacingText(content: unknown[], isError: boolean, leaveOut: string[]): string {
  if (isError || leaveOut.length === 0) return joinedText(content);
  return textsOf(content)
    .map((text) => without(text, leaveOut))
    .join('\n');
}

/**
 * An object is written again as JSON. One that would come out changed (a number beyond 53 bits, a key twice, keys that
 * JavaScript reorders), or too deep to be written, has the fields cut out of its text instead.
 */
function without(text: string, leaveOut: string[]): string {
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return text;
  if (deeperThan(Buffer.from(text, 'utf8'), DEPTH_LIMIT)) return cutFields(text, leaveOut);
  const again = JSON.stringify(value);
  if (again !== text && !saysTheSame(text, again)) return cutFields(text, leaveOut);
  return JSON.stringify(
    Object.fromEntries(Object.entries(value).filter(([name]) => !leaveOut.includes(name))),
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
