/** What a model was told of a server that was not connected, as the transcript of its session has it. */
import { jsonOf } from '../../events/answer.js';

/** What was told, word for word, and in which trials; null: nothing was. */
export interface Told {
  text: string | null;
  trials: string[];
}

/**
 * Paragraphs of a transcript that speak of MCP servers, of a connection, and of this server by name: what the host sent, and
 * not what the model said. Each once, in the order in which they stand.
 */
export function toldIn(transcript: string, server: string): string[] {
  const texts = transcript
    .split('\n')
    .map((line) => jsonOf(line))
    .filter((value) => !isOfModel(value))
    .flatMap(stringsIn);
  const paragraphs = texts.flatMap((text) => text.split(/\n\s*\n/)).map((paragraph) => paragraph.trim());
  const named = new RegExp(`(?<![\\w-])${server.replaceAll(/[^\w]/g, '\\$&')}(?![\\w-])`);
  const found = paragraphs.filter(
    (text) => /\bMCP servers?\b/i.test(text) && /\bconnect/i.test(text) && named.test(text),
  );
  return [...new Set(found)];
}

/** Groups trials by what they were told, the most frequent first. */
export function groupTold(trials: { trial: string; told: string[] }[]): Told[] {
  const groups = new Map<string | null, string[]>();
  for (const { trial, told } of trials) {
    const text = told.length === 0 ? null : told.join('\n\n');
    groups.set(text, [...(groups.get(text) ?? []), trial]);
  }
  return [...groups]
    .map(([text, group]) => ({ text, trials: group }))
    .sort((a, b) => b.trials.length - a.trials.length);
}

function isOfModel(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'assistant';
}

/** Every text below a value. What comes from outside is nested no deeper than `jsonOf` allows. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}
