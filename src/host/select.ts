/** What of a tool result the model is sent. */
import { z } from 'zod';

/** What the model is sent where a result holds no text. */
export const EMPTY_TOOL_CONTENT = 'EMPTY_TOOL_CONTENT';

const textBlock = z.object({ type: z.literal('text'), text: z.string() });

/**
 * The model-facing text of a result: its text blocks, joined by newlines, without the fields of `leaveOut`.
 * Only the top level of a JSON object loses fields; other text, and errors, pass as they are.
 */
export function modelFacingText(content: unknown[], isError: boolean, leaveOut: string[]): string {
  const texts = content.flatMap((block) => {
    const parsed = textBlock.safeParse(block);
    return parsed.success ? [parsed.data.text] : [];
  });
  return texts.map((text) => (isError || leaveOut.length === 0 ? text : without(text, leaveOut))).join('\n');
}

function without(text: string, leaveOut: string[]): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return text;
  return JSON.stringify(
    Object.fromEntries(Object.entries(value).filter(([name]) => !leaveOut.includes(name))),
  );
}
