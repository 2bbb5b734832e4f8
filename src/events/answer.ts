/** The final text of a model, and JSON out of text that others wrote. */
import { DEPTH_LIMIT, deeperThan } from './depth.js';

/** The text blocks of a message, joined as the answer is read. */
export function textOf(content: unknown[]): string {
  return textsOf(content).join('');
}

/** The text blocks of a tool result, joined by newlines, as a model is sent them. */
export function joinedText(content: unknown[]): string {
  return textsOf(content).join('\n');
}

/** The text of each text block, in order. */
export function textsOf(content: unknown[]): string[] {
  return content.flatMap((block) => {
    if (typeof block !== 'object' || block === null || !('type' in block) || block.type !== 'text') return [];
    return 'text' in block && typeof block.text === 'string' ? [block.text] : [];
  });
}

/** The value of a JSON text, undefined where it is none, or is nested too deeply to be handled. */
export function jsonOf(text: string | null): unknown {
  if (text === null || deeperThan(Buffer.from(text, 'utf8'), DEPTH_LIMIT)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
