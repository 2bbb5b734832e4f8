/** A Messages endpoint on loopback that answers request by request as a scene says. */
import { createServer } from 'node:http';

/** Starts it; gives its URL, and what closes it. `onRequest(step)` is told of each request as it comes. */
export async function startEndpoint(steps, onRequest) {
  let count = 0;
  let turns = 0;
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    if (request.method !== 'POST' || !request.url.startsWith('/v1/messages'))
      return response.writeHead(404).end();
    const step = steps[Math.min(count, steps.length - 1)];
    count += 1;
    if (step.blocks !== undefined) turns += 1;
    reply(response, step, turns);
    onRequest(step);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, requests: () => count, close };
}

function reply(response, step, turn) {
  if (step.hangs) return;
  if (step.status !== undefined) {
    const error = { type: step.error, message: step.message };
    const headers = { 'content-type': 'application/json', 'request-id': `req_${step.status}` };
    response.writeHead(step.status, headers).end(JSON.stringify({ type: 'error', error }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${turn}` });
  const events = eventsOf(step, turn).map(
    (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  if (step.failsAfter !== undefined) {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    response.end(
      `${events.slice(0, step.failsAfter).join('')}event: error\ndata: ${JSON.stringify(error)}\n\n`,
    );
    return;
  }
  if (step.cutAfter === undefined) return response.end(events.join(''));
  response.write(events.slice(0, step.cutAfter).join(''), () => response.destroy());
}

/** Usage of the n-th answer: no two turns are alike, so that a sum shows which were counted. */
export function usageOf(turn) {
  const cache = { cache_creation_input_tokens: 1000 * turn, cache_read_input_tokens: 100 * turn };
  return { input_tokens: turn, ...cache, output_tokens: 10 * turn };
}

function eventsOf({ blocks, stop, model = 'claude-sonnet-5' }, turn) {
  const usage = usageOf(turn);
  const message = {
    id: `msg_${turn}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
  };
  const isCall = blocks.some(({ type }) => type === 'tool_use');
  return [
    {
      type: 'message_start',
      message: { ...message, stop_sequence: null, usage: { ...usage, output_tokens: 1 } },
    },
    ...blocks.flatMap((block, index) => blockEvents({ ...block, ...idOf(block, turn, index) }, index)),
    {
      type: 'message_delta',
      delta: { stop_reason: stop ?? (isCall ? 'tool_use' : 'end_turn'), stop_sequence: null },
      usage,
    },
    { type: 'message_stop' },
  ];
}

const idOf = (block, turn, index) => (block.type === 'tool_use' ? { id: `toolu_${turn}_${index}` } : {});

function blockEvents(block, index) {
  const [empty, ...deltas] = {
    text: () => [
      { ...block, text: '' },
      { type: 'text_delta', text: block.text },
    ],
    tool_use: () => [
      { ...block, input: {} },
      { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
    ],
    thinking: () => [
      { ...block, thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: block.thinking },
      { type: 'signature_delta', signature: 'c2lnbmF0dXJl' },
    ],
  }[block.type]();
  return [
    { type: 'content_block_start', index, content_block: empty },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}
