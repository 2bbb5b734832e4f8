/** Token usage of the scripted model: an estimate by a real tokenizer over the real request. */
import { createRequire } from 'node:module';
import { z } from 'zod';
import { sha256 } from '../../events/bytes.js';
import type { ContentBlock } from './model.js';
import { blocksOf, type CountableRequest, type RequestBlock } from './request.js';

/** Usage as the Messages API reports it. Counts are tokens; the scripted model has no prompt cache. */
export interface EstimatedUsage {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: 0;
  cache_read_input_tokens: 0;
}

const manifest = z.object({ version: z.string() });

/** The tokenizer by encoding, package and version. Loaded at the first count only. */
export const TOKENIZER = `cl100k_base (gpt-tokenizer ${packageVersion()})`;

/** Usage of a request and of the content that answers it. */
export async function estimateUsage(
  request: CountableRequest,
  content: ContentBlock[],
): Promise<EstimatedUsage> {
  return {
    input_tokens: await estimateInput(request),
    output_tokens: await countParts(content.map(textOf)),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
}

/** Input tokens of a request: its system text, each tool as JSON, and each block of each message, counted apart. */
export async function estimateInput({
  system = [],
  tools = [],
  messages,
}: CountableRequest): Promise<number> {
  const systemTexts = typeof system === 'string' ? [system] : system.map(({ text }) => text);
  const toolTexts = tools.map((tool) => JSON.stringify(tool));
  const blockTexts = messages.flatMap((message) => blocksOf(message).map(textOf));
  return countParts([...systemTexts, ...toolTexts, ...blockTexts]);
}

/** The text that stands for a block. Ids and flags, which a provider renders in its own way, are left out. */
function textOf(block: RequestBlock | ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'tool_use':
      return JSON.stringify({ name: block.name, input: block.input });
    case 'tool_result':
      return typeof block.content === 'string' ? block.content : (block.content ?? []).map(textOf).join('\n');
    case 'other':
      return JSON.stringify(block.block);
    default:
      return block satisfies never;
  }
}

/** Counts by the hash of the text: each turn repeats the conversation before it. Oldest out first. */
const counted = new Map<string, number>();
const COUNTED_LIMIT = 20_000;

async function countParts(texts: string[]): Promise<number> {
  const { countTokens } = await import('gpt-tokenizer/encoding/cl100k_base');
  const count = (part: string) => countTokens(part, PLAIN);
  return texts.reduce((total, text) => total + countOnce(text, count), 0);
}

/** Text like `<|endoftext|>` is text here, not a control token. */
const PLAIN = { disallowedSpecial: new Set<string>() };

function countOnce(text: string, count: (part: string) => number): number {
  const key = sha256(text);
  const known = counted.get(key);
  if (known !== undefined) return known;
  const tokens = cutRuns(text).reduce((total, part) => total + count(part), 0);
  const [oldest] = counted.size < COUNTED_LIMIT ? [] : counted.keys();
  if (oldest !== undefined) counted.delete(oldest);
  counted.set(key, tokens);
  return tokens;
}

/** 256 letters, blanks or signs without a break. The tokenizer's time is quadratic in the length of such a run. */
const LONG_RUN = /\p{L}{256}|\s{256}|[^\s\p{L}\p{N}]{256}/gu;

/** The text in parts that end where a long run is cut; joined they are the text. */
function cutRuns(text: string): string[] {
  const ends = Array.from(text.matchAll(LONG_RUN), (match) => match.index + match[0].length);
  return [...ends, text.length].map((end, at) => text.slice(ends[at - 1] ?? 0, end));
}

function packageVersion(): string {
  return manifest.parse(createRequire(import.meta.url)('gpt-tokenizer/package.json')).version;
}
