/** A message as server-sent events, in the order and the shapes of the Messages API. */
import type { ContentBlock } from './model.js';
import type { EstimatedUsage } from './usage.js';

/** A message as the Messages API returns it. */
export interface MessageBody {
  id: string;
  type: 'message';
  role: 'assistant';
  model: string;
  content: ContentBlock[];
  stop_reason: 'end_turn' | 'tool_use';
  stop_sequence: null;
  usage: EstimatedUsage;
}

/** The whole event stream of a message, from `message_start` to `message_stop`. */
export function eventStream(message: MessageBody): string {
  const { content, stop_reason, stop_sequence, usage } = message;
  const opening = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const events = [
    { type: 'message_start', message: opening },
    ...content.flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function blockEvents(block: ContentBlock, index: number) {
  const [content_block, deltas] = opened(block);
  return [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** A block before anything was said in it, and the deltas that fill it. */
function opened(block: ContentBlock): [ContentBlock, object[]] {
  if (block.type === 'text') {
    return [{ ...block, text: '' }, chunks(block.text).map((text) => ({ type: 'text_delta', text }))];
  }
  const json = chunks(JSON.stringify(block.input));
  return [{ ...block, input: {} }, json.map((partial_json) => ({ type: 'input_json_delta', partial_json }))];
}

/** Parts of at most 80 characters; a surrogate pair is never split. */
function chunks(text: string): string[] {
  return text.match(/.{1,80}/gsu) ?? [];
}
