/** One turn against an endpoint that misbehaves: each fault has its code, its event, and a log that replays. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { sha256 } from '../events/bytes.js';
import type { Event } from '../events/event.js';
import { readEvents } from '../events/reader.js';
import {
  type Answer,
  message,
  openEndpoint,
  portOf,
  says,
  silence,
  status,
} from './endpoint.test.support.js';
import { endsOf, KEY, only, type Recorded, recordAt, typesOf, writeStudy } from './study.test.support.js';

const ANSWER = '{"answer":"6"}';
const OPENING = ['trial_open', 'message', 'handshake', 'catalog'];
const FAILED = [...OPENING, 'turn_request', 'fault', 'close'];

/** One trial for each answer, whatever became of those before. */
async function trials(
  test: TestContext,
  answers: Answer[],
  limits: Record<string, number> = {},
): Promise<Recorded> {
  const endpoint = await openEndpoint(test, answers);
  const study = writeStudy(test, { on_failure: 'continue' }, limits);
  return recordAt(test, endpoint.url, study, { repetitions: answers.length });
}

/** Code, status and bytes of each fault. */
function faultsOf({ events }: Recorded) {
  return only(events, 'fault').map(({ code, http_status, bytes }) => [code, http_status, bytes]);
}

describe('a request', () => {
  it('is on disk, with the hash of the very bytes that are sent, before it is sent', async (test) => {
    let log = '';
    const seen: Event[] = [];
    const endpoint = await openEndpoint(test, [
      (response, heard) => {
        seen.push(...readEvents(log).events);
        says(ANSWER)(response, heard);
      },
    ]);
    const onPlan = (_prepared: unknown, plan: { log: string }) => {
      log = plan.log;
    };
    await recordAt(test, endpoint.url, writeStudy(test), { onPlan });
    const bytes = endpoint.heard[0]?.bytes ?? Buffer.alloc(0);
    assert.deepEqual(typesOf(seen), [...OPENING, 'turn_request']);
    const [request] = only(seen, 'turn_request');
    assert.deepEqual([request?.request_bytes, request?.request_sha256], [bytes.length, sha256(bytes)]);
    assert.deepEqual([request?.turn, request?.attempt, request?.messages], [1, 1, 1]);
    assert.ok(bytes.length > 200);
  });

  it('carries the key, which stands nowhere else', async (test) => {
    const endpoint = await openEndpoint(test, [says(ANSWER)]);
    const { store } = await recordAt(test, endpoint.url, writeStudy(test));
    assert.equal(JSON.stringify(endpoint.heard[0]?.headers).includes(KEY), true);
    assert.equal(store.endsWith('runs'), true);
  });
});

describe('an endpoint that answers with an error status', () => {
  it('fails the trial at once where the study has no retries, and is asked once', async (test) => {
    const statuses = [400, 401, 429, 500, 529];
    const body = '{"type":"error","error":{"type":"some_error","message":"No."}}';
    const recorded = await trials(
      test,
      statuses.map((code) => status(code, body, { 'retry-after': '0' })),
    );
    assert.deepEqual(
      endsOf(recorded.receipt),
      statuses.map(() => ['failed', 'MODEL_HTTP_ERROR']),
    );
    assert.deepEqual(
      typesOf(recorded.events),
      statuses.flatMap(() => FAILED),
    );
    assert.deepEqual(
      faultsOf(recorded),
      statuses.map((code) => ['MODEL_HTTP_ERROR', code, 62]),
    );
    assert.match(only(recorded.events, 'fault')[1]?.message ?? '', /^the endpoint answered 401 .*No\./);
    assert.deepEqual(only(recorded.events, 'fault')[1]?.text, body);
    assert.deepEqual(
      recorded.replay.requests.map(({ holds }) => holds),
      statuses.map(() => true),
    );
  });

  it('is not followed elsewhere', async (test) => {
    const other = await openEndpoint(test, [says(ANSWER)]);
    const recorded = await trials(test, [
      status(307, '', { location: `${other.url}/v1/messages` }),
      status(304, ''),
    ]);
    assert.deepEqual(faultsOf(recorded), [
      ['MODEL_HTTP_ERROR', 307, 0],
      ['MODEL_HTTP_ERROR', 304, 0],
    ]);
    assert.equal(other.heard.length, 0);
  });

  it('cannot put the key into the log by sending it back', async (test) => {
    const echo: Answer = (response, heard) =>
      status(401, `bad key: ${heard.headers.authorization}`)(response, heard);
    const { events } = await trials(test, [echo]);
    assert.equal(only(events, 'fault')[0]?.text, 'bad key: Bearer [redacted: ANTHROPIC_API_KEY]');
  });
});

describe('an endpoint that answers with nonsense', () => {
  const html = { 'content-type': 'text/html' };
  const plain = { 'content-type': 'text/plain' };

  it('gives no answer, and its bytes are kept', async (test) => {
    const deep = `{"content":${'['.repeat(1100)}${']'.repeat(1100)},"stop_reason":"end_turn"}`;
    const invalid = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    const recorded = await trials(test, [
      status(200, '<html>Sign in</html>', html),
      status(200, '<html>Sign in</html>'),
      status(200, ''),
      status(204, ''),
      status(200, '{}'),
      status(200, 'null'),
      status(200, '{"type":"error","error":{"message":"overloaded"}}'),
      status(200, '{"content":"6","stop_reason":"end_turn"}'),
      status(200, deep),
      status(200, invalid),
    ]);
    assert.deepEqual(endsOf(recorded.receipt), Array(10).fill(['failed', 'MODEL_BAD_RESPONSE']));
    assert.deepEqual(typesOf(recorded.events), Array(10).fill(FAILED).flat());
    const facts = faultsOf(recorded);
    assert.deepEqual(
      facts.map(([, code]) => code),
      [200, 200, 200, 204, 200, 200, 200, 200, 200, 200],
    );
    assert.deepEqual(
      facts.map(([, , bytes]) => bytes),
      [20, 20, 0, 0, 2, 4, 49, 40, 2237, 7],
    );
    const faults = only(recorded.events, 'fault');
    assert.deepEqual(
      faults.map(({ base64 }) => base64),
      [...Array(9).fill(null), invalid.toString('base64')],
    );
    assert.equal(faults[9]?.sha256, sha256(invalid));
  });

  it('gives an answer where only its content type is wrong', async (test) => {
    const body = JSON.stringify({ content: [{ type: 'text', text: ANSWER }], stop_reason: 'end_turn' });
    const { receipt } = await trials(test, [
      status(200, body, plain),
      status(200, body, { 'content-type': '' }),
    ]);
    assert.deepEqual(endsOf(receipt), [
      ['completed', null],
      ['completed', null],
    ]);
  });

  it('that never ends is given up', async (test) => {
    const recorded = await trials(test, [status(200, Buffer.alloc(33 * 1024 * 1024, 0x20))], {
      model_timeout_ms: 60_000,
    });
    const [fault] = only(recorded.events, 'fault');
    assert.deepEqual([fault?.code, fault?.text?.length], ['MODEL_BAD_RESPONSE', 4096]);
    assert.equal(fault?.message, 'the endpoint answered with a body of more than 33554432 bytes');
  });
});

describe('usage', () => {
  it('that is missing or makes no sense is not guessed: the totals say what they leave out', async (test) => {
    const text = [{ type: 'text', text: ANSWER }];
    const nulls = {
      input_tokens: 7,
      output_tokens: 3,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: null,
    };
    const { receipt, events } = await trials(test, [
      message('end_turn', text, { usage: undefined }),
      message('end_turn', text, { usage: { input_tokens: -1, output_tokens: 2 } }),
      message('end_turn', text, { usage: nulls }),
      message('end_turn', text, {
        usage: { ...nulls, cache_creation_input_tokens: 4, cache_read_input_tokens: 5 },
      }),
    ]);
    const totals = receipt.attempts.map(({ totals }) => [
      ...[totals.input_tokens, totals.output_tokens, totals.turns_without_usage, totals.usage_source],
    ]);
    assert.deepEqual(totals, [
      [0, 0, 1, 'none'],
      [0, 0, 1, 'none'],
      [7, 3, 0, 'provider'],
      [16, 3, 0, 'provider'],
    ]);
    assert.deepEqual(
      only(events, 'model_turn')
        .map(({ usage }) => usage)
        .slice(0, 3),
      [null, { input_tokens: -1, output_tokens: 2 }, nulls],
    );
  });
});

describe('a connection', () => {
  /** Sends the start of a message, then does something else. */
  const begins =
    (then: (response: Parameters<Answer>[0]) => void): Answer =>
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
      response.write('{"id":"msg_1",', () => then(response));
    };

  it('that breaks off is a failure with the bytes that came', async (test) => {
    const recorded = await trials(test, [
      (response) => response.destroy(),
      begins((response) => response.destroy()),
      (response) => response.socket?.end('HTTP/1.1 nonsense\r\n\r\n'),
    ]);
    assert.deepEqual(endsOf(recorded.receipt), Array(3).fill(['failed', 'MODEL_CONNECTION']));
    assert.deepEqual(faultsOf(recorded), [
      ['MODEL_CONNECTION', null, null],
      ['MODEL_CONNECTION', 200, 14],
      ['MODEL_CONNECTION', null, null],
    ]);
    assert.equal(only(recorded.events, 'fault')[1]?.sha256, sha256('{"id":"msg_1",'));
    assert.deepEqual(typesOf(recorded.events), Array(3).fill(FAILED).flat());
  });

  it('that is refused is a failure that says so', async (test) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const port = portOf(server.address());
    await new Promise((resolve) => server.close(resolve));
    const { events, receipt } = await recordAt(test, `http://127.0.0.1:${port}`, writeStudy(test));
    assert.deepEqual(endsOf(receipt), [['failed', 'MODEL_CONNECTION']]);
    assert.match(receipt.attempts[0]?.message ?? '', new RegExp(`ECONNREFUSED 127.0.0.1:${port}$`));
    assert.deepEqual(typesOf(events), FAILED);
  });

  it('that stays silent, or drips on past the time allowed, is a time-out', async (test) => {
    const drips = begins((response) => {
      const timer = setInterval(() => response.write(' '), 30);
      response.on('close', () => clearInterval(timer));
    });
    const recorded = await trials(test, [silence, begins(() => {}), drips], { model_timeout_ms: 500 });
    assert.deepEqual(endsOf(recorded.receipt), Array(3).fill(['failed', 'MODEL_TIMEOUT']));
    assert.deepEqual(faultsOf(recorded).slice(0, 2), [
      ['MODEL_TIMEOUT', null, null],
      ['MODEL_TIMEOUT', 200, 14],
    ]);
    assert.deepEqual(typesOf(recorded.events), Array(3).fill(FAILED).flat());
    const elapsed = recorded.receipt.attempts.map((trial) => (trial.elapsed_ms ?? 0) >= 500);
    assert.deepEqual(elapsed, [true, true, true]);
  });
});

describe('retries', () => {
  /** Milliseconds between the nth attempt and the next. */
  const gap = ({ events }: Recorded, at: number) => {
    const times = only(events, 'turn_request').map(({ mono_ns }) => mono_ns / 1e6);
    return (times[at + 1] ?? 0) - (times[at] ?? 0);
  };
  const run = async (test: TestContext, answers: Answer[], retries: number, model_timeout_ms = 30_000) => {
    const endpoint = await openEndpoint(test, answers);
    const recorded = await recordAt(test, endpoint.url, writeStudy(test, {}, { retries, model_timeout_ms }));
    return { ...recorded, calls: endpoint.heard.length };
  };
  const soon = { 'retry-after-ms': '5' };

  it('are as many as the study allows, each attempt an event', async (test) => {
    const recorded = await run(
      test,
      [status(529, '{}', soon), status(500, '{}', soon), status(503, '{}', soon)],
      2,
    );
    const attempt = ['turn_request', 'fault'];
    assert.deepEqual(typesOf(recorded.events), [...OPENING, ...attempt, ...attempt, ...attempt, 'close']);
    assert.deepEqual(
      only(recorded.events, 'turn_request').map(({ turn, attempt }) => [turn, attempt]),
      [
        [1, 1],
        [1, 2],
        [1, 3],
      ],
    );
    assert.deepEqual(
      only(recorded.events, 'fault').map(({ attempt, http_status }) => [attempt, http_status]),
      [
        [1, 529],
        [2, 500],
        [3, 503],
      ],
    );
    assert.deepEqual([recorded.calls, endsOf(recorded.receipt)], [3, [['failed', 'MODEL_HTTP_ERROR']]]);
  });

  it('may bring an answer, and the answer counts once', async (test) => {
    const recorded = await run(
      test,
      [status(409, '{}', soon), (response) => response.destroy(), says(ANSWER)],
      5,
    );
    assert.deepEqual([recorded.calls, endsOf(recorded.receipt)], [3, [['completed', null]]]);
    assert.deepEqual(
      recorded.receipt.attempts[0]?.turns.map(({ turn, attempts }) => [turn, attempts]),
      [[1, 3]],
    );
    assert.equal(recorded.receipt.attempts[0]?.totals.input_tokens, 10);
    assert.deepEqual(
      recorded.replay.requests.map(({ attempt, holds }) => [attempt, holds]),
      [
        [1, true],
        [2, true],
        [3, true],
      ],
    );
  });

  it('wait as long as Retry-After says, else half a second and more, but never longer than two minutes', async (test) => {
    const answers = [
      status(429, '{}', { 'retry-after': '0.7' }),
      silence,
      status(429, '{}', { 'retry-after': '121' }),
    ];
    const recorded = await run(test, answers, 5, 800);
    assert.equal(recorded.calls, 3);
    assert.ok(gap(recorded, 0) >= 699, `${gap(recorded, 0)} ms`);
    assert.ok(gap(recorded, 1) >= 1790, `${gap(recorded, 1)} ms`);
  });

  it('are not made where an input changed meanwhile', async (test) => {
    const study = writeStudy(test, {}, { retries: 3 });
    const changes: Answer = (response, heard) => {
      writeFileSync(join(study, 'fields.json'), '[ ]');
      status(500, '{}', soon)(response, heard);
    };
    const endpoint = await openEndpoint(test, [changes]);
    const { receipt } = await recordAt(test, endpoint.url, study);
    assert.deepEqual([endsOf(receipt), endpoint.heard.length], [[['failed', 'ALLOWLIST_CHANGED']], 1]);
  });

  it('are not made for what will not change', async (test) => {
    const recorded = await run(test, [status(400, '{}', soon)], 5);
    const nonsense = await run(test, [status(200, 'nonsense', soon)], 5);
    assert.deepEqual([recorded.calls, nonsense.calls], [1, 1]);
  });
});
