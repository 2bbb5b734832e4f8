/** The client of the SDK on its own: what it says of a call that brought no message. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type Answer, openEndpoint, says, silence, status } from './endpoint.test.support.js';
import { ModelFailure, openModelClient } from './messages.js';

const BODY = {
  model: 'm',
  max_tokens: 9,
  system: 's',
  messages: [{ role: 'user' as const, content: 'Ł' }],
  tools: [],
};

async function client(test: TestContext, answers: Answer[], count?: Answer, timeoutMs = 30_000) {
  const endpoint = await openEndpoint(test, answers, count);
  return { endpoint, opened: openModelClient({ baseURL: endpoint.url, apiKey: 'sk-1', timeoutMs }) };
}

async function failureOf(test: TestContext, answer: Answer, timeoutMs?: number): Promise<ModelFailure> {
  const { opened } = await client(test, [answer], undefined, timeoutMs);
  const failure = await opened
    .send(BODY, { onRequest: () => {}, signal: new AbortController().signal })
    .catch((error: unknown) => error);
  assert.ok(failure instanceof ModelFailure);
  return failure;
}

describe('a model call', () => {
  it('hands over the exact bytes before it sends them', async (test) => {
    const { endpoint, opened } = await client(test, [says('{}')]);
    const handed: Buffer[] = [];
    const onRequest = (bytes: Buffer) => {
      handed.push(bytes);
      assert.equal(endpoint.heard.length, 0);
    };
    const reply = await opened.send(BODY, { onRequest, signal: new AbortController().signal });
    assert.deepEqual(handed, [endpoint.heard[0]?.bytes]);
    assert.equal(String(handed[0]), JSON.stringify(BODY));
    assert.deepEqual([reply.stop_reason, reply.request_id, reply.http_status], ['end_turn', 'req_1', 200]);
  });

  it('is not made where they cannot be stored', async (test) => {
    const { endpoint, opened } = await client(test, [says('{}')]);
    const full = new Error('the disk timed out');
    const onRequest = () => {
      throw full;
    };
    await assert.rejects(opened.send(BODY, { onRequest, signal: new AbortController().signal }), full);
    assert.equal(endpoint.heard.length, 0);
  });

  it('tells whether it may be tried again and whether it may have been billed', async (test) => {
    const facts = async (answer: Answer, timeoutMs?: number) => {
      const { retryable, may_be_billed } = await failureOf(test, answer, timeoutMs);
      return [retryable, may_be_billed];
    };
    assert.deepEqual(await facts(status(400, '{}')), [false, false]);
    assert.deepEqual(await facts(status(429, '{}')), [true, false]);
    assert.deepEqual(await facts(status(529, '{}')), [true, false]);
    assert.deepEqual(await facts(status(504, '{}')), [true, true]);
    assert.deepEqual(await facts(status(408, '{}')), [true, true]);
    assert.deepEqual(await facts(status(200, 'x')), [false, true]);
    assert.deepEqual(await facts(silence, 100), [true, true]);
    assert.deepEqual(await facts((response) => response.destroy()), [true, true]);
  });

  it('that reached nobody was not billed', async () => {
    const opened = openModelClient({ baseURL: 'http://127.0.0.1:2', apiKey: 'sk-1', timeoutMs: 30_000 });
    const failure = await opened
      .send(BODY, { onRequest: () => {}, signal: new AbortController().signal })
      .catch((error: unknown) => error);
    assert.ok(failure instanceof ModelFailure);
    assert.deepEqual(
      [failure.code, failure.retryable, failure.may_be_billed],
      ['MODEL_CONNECTION', true, false],
    );
  });

  it('writes nothing to stdout, whatever ANTHROPIC_LOG says', async (test) => {
    process.env.ANTHROPIC_LOG = 'debug';
    const debug = test.mock.method(console, 'debug', () => {});
    const info = test.mock.method(console, 'info', () => {});
    const { opened } = await client(test, [says('{}')]);
    await opened.send(BODY, { onRequest: () => {}, signal: new AbortController().signal });
    delete process.env.ANTHROPIC_LOG;
    assert.deepEqual([debug.mock.callCount(), info.mock.callCount()], [0, 0]);
  });
});

describe('a count of tokens', () => {
  const counted = async (test: TestContext, count?: Answer, timeoutMs?: number) => {
    const { endpoint, opened } = await client(test, [], count, timeoutMs);
    const tokens = await opened.countTokens(BODY, new AbortController().signal);
    return [tokens, endpoint.counted[0]?.bytes.toString()];
  };

  it('is asked for without the limit of the answer', async (test) => {
    const { max_tokens, ...rest } = BODY;
    assert.deepEqual(await counted(test, status(200, '{"input_tokens":12}')), [12, JSON.stringify(rest)]);
    assert.equal(max_tokens, 9);
  });

  it('is null for every other answer, and for one that never ends', async (test) => {
    const drips: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    };
    const first = async (answer?: Answer, timeoutMs?: number) => (await counted(test, answer, timeoutMs))[0];
    assert.equal(await first(), null);
    assert.equal(await first(status(200, '<html>')), null);
    assert.equal(await first(status(200, '{"input_tokens":1.5}')), null);
    assert.equal(await first(status(500, '{}')), null);
    assert.equal(await first(drips, 200), null);
  });
});
