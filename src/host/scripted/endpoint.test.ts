/** Specification: the endpoint, through the real SDK and through plain HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { type ScriptedEndpoint, startScriptedModel } from './endpoint.js';
import { parseScript } from './script.js';

const SCRIPT = `
- for: lookup
  steps:
    - call: find
      text: "Looking, with a long text 🧭 that takes more than one delta to say: ${'far and wide '.repeat(6)}"
      arguments: { id: a, note: "${'x'.repeat(100)}" }
    - answer: '{"answer": last.place}'
`;
const TASKS = [{ id: 'T1', kind: 'lookup', prompt: 'Where is a?', task: {} }];

describe('the scripted endpoint', () => {
  let endpoint: ScriptedEndpoint;
  let client: Anthropic;
  before(async () => {
    endpoint = await startScriptedModel({
      script: parseScript(SCRIPT, 's.yaml'),
      tasks: TASKS,
      answer: 'json',
    });
    client = new Anthropic({ baseURL: endpoint.url, apiKey: 'none', maxRetries: 0 });
  });
  after(() => endpoint.close());

  it('binds loopback only', () => {
    assert.match(endpoint.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it('carries a conversation from the question to the answer', async () => {
    const first = await client.messages.create(asking());
    assert.equal(first.stop_reason, 'tool_use');
    const second = await client.messages.create(replying(first.content, '{"place":"here"}'));
    assert.equal(second.stop_reason, 'end_turn');
    assert.deepEqual(second.content, [{ type: 'text', text: '{"answer":"here"}' }]);
    assert.ok(second.usage.input_tokens > first.usage.input_tokens);
  });

  it('streams the same message as it returns whole', async () => {
    const whole = await client.messages.create(asking());
    const streamed = await client.messages.stream(asking()).finalMessage();
    assert.deepEqual(streamed.content, whole.content);
    assert.deepEqual(
      [streamed.id, streamed.stop_reason, streamed.usage.input_tokens, streamed.usage.output_tokens],
      [whole.id, whole.stop_reason, whole.usage.input_tokens, whole.usage.output_tokens],
    );
  });

  it('streams events in the order of the API', async () => {
    const text = await (await post('/v1/messages', { ...asking(), stream: true })).text();
    const names = Array.from(text.matchAll(/^event: (.*)$/gm), (match) => match[1]);
    assert.deepEqual(names, [
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it('gives equal requests equal bytes', async () => {
    const [one, two] = await Promise.all([post('/v1/messages', asking()), post('/v1/messages', asking())]);
    assert.equal(await one.text(), await two.text());
    assert.deepEqual([...one.headers], [...two.headers]);
    assert.match(one.headers.get('request-id') ?? '', /^req_[0-9a-f]{24}$/);
  });

  it('counts the tokens that the message then reports', async () => {
    const { max_tokens: _, ...countable } = asking();
    const counted = await client.messages.countTokens(countable);
    assert.equal(counted.input_tokens, (await client.messages.create(asking())).usage.input_tokens);
  });

  it('says that the script has ended as a failure of the API', async () => {
    const first = await client.messages.create(asking());
    const { messages } = replying(first.content, '{"place":"here"}');
    const more = [
      ...messages,
      { role: 'assistant' as const, content: 'here' },
      { role: 'user' as const, content: '?' },
    ];
    await assert.rejects(client.messages.create({ ...asking(), messages: more }), (error) => {
      assert.ok(error instanceof Anthropic.InternalServerError);
      assert.match(error.message, /"api_error","message":"SCRIPT_ENDED/);
      return true;
    });
  });

  it('refuses a question that it does not know', async () => {
    const messages = [{ role: 'user' as const, content: 'Who?' }];
    await assert.rejects(client.messages.create({ ...asking(), messages }), Anthropic.BadRequestError);
  });

  it('refuses a body that is not JSON', async () => {
    const response = await fetch(`${endpoint.url}/v1/messages`, { method: 'POST', body: '{"model":' });
    assert.equal(response.status, 400);
    assert.match(
      await response.text(),
      /^{"type":"error","error":{"type":"invalid_request_error","message":"the body /,
    );
  });

  it('takes a query with the path, and a look at whether anybody is there', async () => {
    assert.equal((await post('/v1/messages?beta=true', asking())).status, 200);
    const looked = await fetch(`${endpoint.url}/`, { method: 'HEAD' });
    assert.deepEqual([looked.status, await looked.text()], [404, '']);
  });

  it('has nothing else', async () => {
    const response = await fetch(`${endpoint.url}/v1/models`);
    assert.equal(response.status, 404);
    assert.deepEqual(await response.json(), {
      type: 'error',
      error: { type: 'not_found_error', message: 'nothing answers GET /v1/models here' },
    });
  });

  function post(path: string, body: object): Promise<Response> {
    return fetch(`${endpoint.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  }
});

function asking() {
  return {
    model: 'scripted',
    max_tokens: 100,
    system: 'Be exact.',
    messages: [{ role: 'user' as const, content: 'Where is a?' }],
    tools: [{ name: 'find', input_schema: { type: 'object' as const } }],
  };
}

function replying(
  said: Anthropic.ContentBlock[],
  content: string,
): Anthropic.MessageCreateParamsNonStreaming {
  const results = said.flatMap((block) =>
    block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content }] : [],
  );
  const talk = [
    { role: 'assistant' as const, content: said },
    { role: 'user' as const, content: results },
  ];
  return { ...asking(), messages: [...asking().messages, ...talk] };
}
