/** What passes through the proxy, and what is heard of it. The API is the scripted model, or a server that misbehaves. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { sha256 } from '../../events/bytes.js';
import { portOf } from '../endpoint.test.support.js';
import { startScriptedModel } from '../scripted/endpoint.js';
import { parseScript } from '../scripted/script.js';
import type { ProxiedAnswer } from './passage.js';
import { AnswerReader } from './proxied-answer.js';
import { type HearsCalls, type ProxiedRequest, startProxy } from './proxy.js';

const SCRIPT = parseScript(`- {for: t, steps: [{answer: '"${'word '.repeat(40)}"'}]}`, 's.yaml');
const TASKS = [{ id: 't', prompt: 'Where is a?', task: {} }];

async function scripted(test: TestContext): Promise<string> {
  const model = await startScriptedModel({ script: SCRIPT, tasks: TASKS, answer: 'text' });
  test.after(() => model.close());
  return model.url;
}

/** A server that answers so. */
async function serving(
  test: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${portOf(server.address())}`;
}

interface Heard {
  calls: ProxiedRequest[];
  answers: ProxiedAnswer[];
}

/** A proxy in front of it, and what it heard. */
async function proxy(test: TestContext, upstream: string, hears?: HearsCalls['call']) {
  const heard: Heard = { calls: [], answers: [] };
  const started = await startProxy(upstream, {
    call: (request) => {
      heard.calls.push(request);
      return hears?.(request) ?? ((answer) => heard.answers.push(answer));
    },
  });
  test.after(() => started.close());
  return { ...started, heard };
}

const ask = (more: object = {}) =>
  JSON.stringify({
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Where is a?' }],
    ...more,
  });

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/v1/messages?beta=true`, { method: 'POST', body, headers });

describe('the proxy', () => {
  it('passes a call and its answer on, byte for byte, and tells both', async (test) => {
    const upstream = await scripted(test);
    const { url, heard } = await proxy(test, upstream);
    const direct = await (await post(upstream, ask({ stream: true }))).text();
    const response = await post(url, ask({ stream: true }), { 'x-claude-code-session-id': 's-1' });
    assert.equal(await response.text(), direct);
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    assert.deepEqual(
      heard.calls.map(({ body, session }) => [body.toString(), session]),
      [[ask({ stream: true }), 's-1']],
    );
    const [answer] = heard.answers;
    assert.deepEqual(
      [answer?.http_status, answer?.response_bytes, answer?.response_sha256, answer?.broken],
      [200, direct.length, sha256(direct), null],
    );
    assert.match(answer?.message_id ?? '', /^msg_/);
    assert.match(answer?.request_id ?? '', /^req_/);
    assert.deepEqual(Object.keys(answer?.usage ?? {}), [
      ...['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'],
    ]);
    assert.ok(Number(answer?.usage?.output_tokens) > 1);
  });

  it('hears a call before it goes on', async (test) => {
    const order: string[] = [];
    const upstream = await serving(test, (request, response) => {
      order.push(`reached: ${request.headers['x-api-key']}`);
      response.end('{}');
    });
    const { url } = await proxy(test, upstream, () => {
      order.push('heard');
      return () => order.push('answered');
    });
    await (await post(url, ask(), { 'x-api-key': 'sk-1' })).text();
    assert.deepEqual(order.slice(0, 2), ['heard', 'reached: sk-1']);
  });

  it('passes each part of a stream on as it comes', async (test) => {
    let finish = () => {};
    const upstream = await serving(test, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"part":1}\n\n');
      finish = () => response.end('data: {"part":2}\n\n');
    });
    const { url } = await proxy(test, upstream);
    const reader = (await post(url, ask())).body?.getReader();
    const first = await reader?.read();
    assert.equal(Buffer.from(first?.value ?? []).toString(), 'data: {"part":1}\n\n');
    finish();
    const second = await reader?.read();
    assert.equal(Buffer.from(second?.value ?? []).toString(), 'data: {"part":2}\n\n');
  });

  it('passes what is no model call on unheard', async (test) => {
    const { url, heard } = await proxy(test, await scripted(test));
    const looked = await fetch(`${url}/`, { method: 'HEAD' });
    const counted = await fetch(`${url}/v1/messages/count_tokens`, { method: 'POST', body: ask() });
    assert.deepEqual([looked.status, counted.status, heard.calls], [404, 200, []]);
  });

  it('tells of an answer that is an error, or breaks off, or never begins', async (test) => {
    const overloaded = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
    const refusing = await proxy(
      test,
      await serving(test, (_, response) => response.writeHead(529).end(overloaded)),
    );
    assert.equal((await post(refusing.url, ask())).status, 529);
    assert.deepEqual(
      refusing.heard.answers.map(({ http_status, error, broken }) => [http_status, error, broken]),
      [[529, 'overloaded_error: Overloaded', null]],
    );
    const cutting = await proxy(
      test,
      await serving(test, (_, response) => {
        response
          .writeHead(200)
          .write('data: {"type":"message_start","message":{"id":"msg_1"}}\n\n', () => response.destroy());
      }),
    );
    await assert.rejects(post(cutting.url, ask()).then((response) => response.text()));
    const [cut] = cutting.heard.answers;
    assert.deepEqual([cut?.http_status, cut?.message_id], [200, 'msg_1']);
    assert.match(cut?.broken ?? '', /aborted|premature/i);
    const nobody = await proxy(test, 'http://127.0.0.1:9');
    await assert.rejects(post(nobody.url, ask()));
    assert.match(nobody.heard.answers[0]?.broken ?? '', /ECONNREFUSED/);
  });

  it('lets nothing on once a call could not be recorded', async (test) => {
    let reached = 0;
    const upstream = await serving(test, (_, response) => {
      reached += 1;
      response.end('{}');
    });
    const { url, failed } = await proxy(test, upstream, () => {
      throw new Error('the disk is full');
    });
    assert.equal((await post(url, ask())).status, 403);
    assert.equal((await post(url, ask())).status, 403);
    assert.deepEqual([reached, failed.aborted, String(failed.reason)], [0, true, 'Error: the disk is full']);
  });

  it('refuses a call that may not be made, in the words that it is given', async (test) => {
    const { url, failed } = await proxy(test, await scripted(test), () => 'BUDGET_STOP: enough is spent');
    const response = await post(url, ask());
    assert.equal(response.status, 403);
    assert.match(await response.text(), /"permission_error","message":"BUDGET_STOP: enough is spent"/);
    assert.equal(failed.aborted, false);
  });
});

describe('an answer', () => {
  const stream = [
    { type: 'message_start', message: { id: 'msg_1', usage: { input_tokens: 7, output_tokens: 1 } } },
    { type: 'content_block_delta', delta: { text: 'é' } },
    { type: 'message_delta', usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
  const bytes = Buffer.from(stream.map((each) => `data: ${JSON.stringify(each)}\n\n`).join(''));

  it('is read alike however it is cut into chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (places) => {
        const reader = new AnswerReader();
        const cuts = [0, ...places.sort((one, other) => one - other), bytes.length];
        for (const [at, cut] of cuts.slice(1).entries()) reader.push(bytes.subarray(cuts[at], cut));
        assert.deepEqual(reader.said(), {
          ...{ message_id: 'msg_1', usage: { input_tokens: 7, output_tokens: 5 }, error: null },
        });
      }),
    );
  });

  it('is read where it does not stream, and says nothing where it is something else', () => {
    const whole = new AnswerReader();
    whole.push(Buffer.from('{"type":"message","id":"msg_2",'));
    whole.push(Buffer.from('"usage":{"input_tokens":3}}'));
    assert.deepEqual(whole.said(), { message_id: 'msg_2', usage: { input_tokens: 3 }, error: null });
    fc.assert(
      fc.property(fc.uint8Array(), (any) => {
        const reader = new AnswerReader();
        reader.push(Buffer.from(any));
        assert.deepEqual(reader.said(), { message_id: null, usage: null, error: null });
      }),
    );
  });
});
