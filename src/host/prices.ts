/** List prices of models. An unknown model has no price, never a price of 0. */
import { calcPrice } from '@pydantic/genai-prices';
import { totalInput, type Usage } from '../events/usage.js';

export interface ModelPrice {
  /** US dollars of one call at list price. */
  cost(usage: Usage): number;
  /** Tokens of the model's context window, null where unknown. */
  context_window: number | null;
}

/** The list price of a model of this provider, or null where it is not known. */
export function priceOf(model: string): ModelPrice | null {
  const known = price(model, { input_tokens: 1, output_tokens: 1 });
  if (known === null) return null;
  return {
    context_window: known.model.context_window ?? null,
    cost: (usage) =>
      price(model, {
        input_tokens: totalInput(usage),
        cache_write_tokens: usage.cache_creation_input_tokens,
        cache_read_tokens: usage.cache_read_input_tokens,
        output_tokens: usage.output_tokens,
      })?.total_price ?? Number.NaN,
  };
}

function price(model: string, usage: Parameters<typeof calcPrice>[0]): ReturnType<typeof calcPrice> {
  return calcPrice(usage, model, { providerId: 'anthropic' });
}
