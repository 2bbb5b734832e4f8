/** Token counts out of a provider's usage block. */
import { z } from 'zod';

export interface Usage {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  output_tokens: number;
}

export const NO_USAGE: Usage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

const tokens = z.int().nonnegative();
const usageSchema = z.object({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_creation_input_tokens: tokens.nullish(),
  cache_read_input_tokens: tokens.nullish(),
});

/** The four counts of a usage block, absent cache figures as 0; null where it is not one (nothing is guessed). */
export function usageOf(verbatim: unknown): Usage | null {
  const parsed = usageSchema.safeParse(verbatim);
  if (!parsed.success) return null;
  return {
    input_tokens: parsed.data.input_tokens,
    cache_creation_input_tokens: parsed.data.cache_creation_input_tokens ?? 0,
    cache_read_input_tokens: parsed.data.cache_read_input_tokens ?? 0,
    output_tokens: parsed.data.output_tokens,
  };
}

/** All input tokens: Anthropic's `input_tokens` leaves out what was written to or read from the prompt cache. */
export function totalInput(usage: Usage): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
  };
}
