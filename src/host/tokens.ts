/** Tokens of a text, estimated by a local tokenizer: never a provider's figure, and always to be shown as an estimate. */
import { createRequire } from 'node:module';
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { z } from 'zod';
import { sha256 } from '../events/bytes.js';

const manifest = z.object({ version: z.string() });

/** The tokenizer by encoding, package and version. */
export const TOKENIZER = `cl100k_base (gpt-tokenizer ${packageVersion()})`;

/** Counts by the hash of the text: each turn repeats the conversation before it. Oldest out first. */
const counted = new Map<string, number>();
const COUNTED_LIMIT = 20_000;

/** Text like `<|endoftext|>` is text here, not a control token. */
const PLAIN = { disallowedSpecial: new Set<string>() };

/** How many tokens a text is, by `TOKENIZER`. This module takes a fifth of a second to load: import it late. */
export function estimateTokens(text: string): number {
  const key = sha256(text);
  const known = counted.get(key);
  if (known !== undefined) return known;
  const tokens = cutRuns(text).reduce((total, part) => total + countTokens(part, PLAIN), 0);
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
