/** Token usage of the scripted model: an estimate by a real tokenizer over the real request. */
import { estimateTokens } from '../tokens.js';
import type { ContentBlock } from './model.js';
import { loadedTools } from './offer.js';
import { blocksOf, type CountableRequest, type RequestBlock } from './request.js';

/** Usage as the Messages API reports it. Counts are tokens; the scripted model has no prompt cache. */
export interface EstimatedUsage {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: 0;
  cache_read_input_tokens: 0;
}

export { TOKENIZER } from '../tokens.js';

/** Usage of a request and of the content that answers it. */
export function estimateUsage(request: CountableRequest, content: ContentBlock[]): EstimatedUsage {
  return {
    input_tokens: estimateInput(request),
    output_tokens: sumOf(content.map(textOf)),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
}

/**
 * Input tokens of a request: its system text, each tool as JSON, and each block of each message, counted apart. A
 * deferred tool counts once a reference has brought it into the conversation.
 */
export function estimateInput(request: CountableRequest): number {
  const { system = [], tools = [], messages } = request;
  const loaded = loadedTools(request);
  const systemTexts = typeof system === 'string' ? [system] : system.map(({ text }) => text);
  const present = tools.filter(({ name, defer_loading }) => defer_loading !== true || loaded.has(name));
  const toolTexts = present.map((tool) => JSON.stringify(tool));
  const blockTexts = messages.flatMap((message) => blocksOf(message).map(textOf));
  return sumOf([...systemTexts, ...toolTexts, ...blockTexts]);
}

function sumOf(texts: string[]): number {
  return texts.reduce((total, text) => total + estimateTokens(text), 0);
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
