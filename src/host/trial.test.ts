/** The loop of a trial, against a real endpoint and a real server process. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sha256 } from '../events/bytes.js';
import { message, openEndpoint, says, uses } from './endpoint.test.support.js';
import { endsOf, only, recordAt, TASK, typesOf, writeStudy } from './study.test.support.js';
import { standIn } from './wire/stand-in.test.support.js';

const ANSWER = '{"answer":"6"}';
const CALLED = ['trial_open', 'message', 'handshake', 'catalog', 'turn_request', 'model_turn'];

describe('a trial', () => {
  it('goes from handshake to answer, every step an event', async (test) => {
    const endpoint = await openEndpoint(test, [uses(['echo', { text: 'six' }]), says(ANSWER)]);
    const { events, receipt } = await recordAt(test, endpoint.url, writeStudy(test));
    assert.deepEqual(typesOf(events), [...CALLED, 'tool_call', 'turn_request', 'model_turn', 'close']);
    assert.deepEqual([receipt.status, endsOf(receipt)], ['completed', [['completed', null]]]);
    assert.deepEqual(receipt.attempts[0]?.answer, { answer: '6' });
    const { input_tokens, output_tokens, usage_source } = only(events, 'run_close')[0]?.totals ?? {};
    assert.deepEqual([input_tokens, output_tokens, usage_source], [20, 10, 'provider']);
  });

  it('sends the system text, the question, and the tools of its condition only', async (test) => {
    const endpoint = await openEndpoint(test, [says(ANSWER)]);
    const conditions = { only: { server: 'tools', tools: ['pid', 'echo'] } };
    const { events } = await recordAt(test, endpoint.url, writeStudy(test, { conditions }));
    const tool = (name: string) => ({ name, description: name, input_schema: { type: 'object' } });
    const tools = [tool('echo'), tool('pid')];
    const messages = [{ role: 'user', content: 'How many?' }];
    const body = { model: 'm', max_tokens: 1024, system: 'Answer in JSON.', messages, tools };
    assert.equal(endpoint.heard[0]?.bytes.toString(), JSON.stringify(body));
    const bytes = Buffer.from(JSON.stringify(tools));
    const advertised = { names: ['echo', 'pid'], bytes: bytes.length, sha256: sha256(bytes) };
    assert.deepEqual(only(events, 'catalog')[0]?.advertised, advertised);
  });

  it('has a fresh server process of its own', async (test) => {
    const asks = uses(['pid', {}]);
    const endpoint = await openEndpoint(test, [asks, says(ANSWER), asks, says(ANSWER), asks, says(ANSWER)]);
    const { events } = await recordAt(test, endpoint.url, writeStudy(test), { repetitions: 3 });
    const pids = only(events, 'handshake').map(({ pid }) => pid);
    assert.equal(new Set(pids).size, 3);
    const told = only(events, 'tool_call').map((call) => call.model_facing_text);
    assert.deepEqual(
      told,
      pids.map((pid) => JSON.stringify({ pid })),
    );
    assert.deepEqual(
      only(events, 'close').map(({ how, exit_code }) => [how, exit_code]),
      [
        ['stdin_end', 0],
        ['stdin_end', 0],
        ['stdin_end', 0],
      ],
    );
  });

  it('reads the catalog through its every page', async (test) => {
    const endpoint = await openEndpoint(test, [says(ANSWER)]);
    const command = standIn(`reply(message.id, message.params.cursor === 'next'
      ? { tools: [{ name: 'b', inputSchema: { type: 'object' }, _meta: { kept: 1 } }] }
      : { tools: [{ name: 'a', inputSchema: { type: 'object' } }, 'no tool'], nextCursor: 'next' })`);
    const study = writeStudy(test, { servers: { tools: { command, protocol: 'legacy' } } });
    const { events } = await recordAt(test, endpoint.url, study);
    const pages = only(events, 'catalog').map(({ page, next_cursor, advertised }) => [
      page,
      next_cursor,
      advertised?.names,
    ]);
    assert.deepEqual(pages, [
      [1, 'next', undefined],
      [2, null, ['a', 'b']],
    ]);
    assert.deepEqual(
      endpoint.heard[0]?.body.tools.map(({ name }) => name),
      ['a', 'b'],
    );
    assert.deepEqual(only(events, 'catalog')[1]?.tools, [
      { name: 'b', inputSchema: { type: 'object' }, _meta: { kept: 1 } },
    ]);
  });

  it('puts the question into its phrasing as it stands, whatever characters it holds', async (test) => {
    const endpoint = await openEndpoint(test, [says(ANSWER)]);
    const phrasings = { polite: 'Please: {question}' };
    const study = writeStudy(test, { phrasings }, {}, [{ ...TASK, id: 't', question: "$& $' {question}?" }]);
    await recordAt(test, endpoint.url, study);
    assert.equal(endpoint.heard[0]?.body.messages[0]?.content, "Please: $& $' {question}?");
  });

  it('ends after as many turns as the study allows, twelve by default', async (test) => {
    const endpoint = await openEndpoint(test, [uses(['echo', { text: 'again' }])]);
    const { receipt } = await recordAt(test, endpoint.url, writeStudy(test));
    assert.deepEqual(endsOf(receipt), [['failed', 'TURN_LIMIT']]);
    assert.deepEqual([endpoint.heard.length, receipt.attempts[0]?.calls.length], [12, 12]);
    assert.equal(receipt.attempts[0]?.answer, undefined);
  });
});

describe('tool results', () => {
  it('are one a tool_use, in order, with its id and its error flag', async (test) => {
    const asked = uses(['echo', { text: 'a' }], ['pid', {}], ['echo', { text: 'b' }]);
    const endpoint = await openEndpoint(test, [asked, says(ANSWER)]);
    const { events } = await recordAt(test, endpoint.url, writeStudy(test));
    const pid = JSON.stringify({ pid: only(events, 'handshake')[0]?.pid });
    const result = (id: string, content: string) => ({
      type: 'tool_result',
      tool_use_id: id,
      content,
      is_error: false,
    });
    assert.deepEqual(endpoint.heard[1]?.body.messages.slice(2), [
      { role: 'user', content: [result('call_1', 'a'), result('call_2', pid), result('call_3', 'b')] },
    ]);
    assert.deepEqual(endpoint.heard[1]?.body.messages[1], {
      role: 'assistant',
      content: only(events, 'model_turn')[0]?.content,
    });
  });

  it('lose the fields of `select` where the condition selects, and nowhere else', async (test) => {
    const text = '{"rows":[{"cache":1}],"cache":"miss","n":12345678901234567890}';
    const [asked, end] = [uses(['echo', { text }]), says(ANSWER)];
    const endpoint = await openEndpoint(test, [asked, end, asked, end]);
    const conditions = { whole: { server: 'tools' }, short: { server: 'tools', controls: ['select'] } };
    const { events } = await recordAt(
      test,
      endpoint.url,
      writeStudy(test, { conditions, select: ['cache'] }),
    );
    const calls = only(events, 'tool_call');
    const short = '{"rows":[{"cache":1}],"n":12345678901234567890}';
    assert.deepEqual(
      calls.map((call) => call.model_facing_text),
      [text, short],
    );
    assert.deepEqual(
      calls.map((call) => call.model_facing_bytes),
      [62, 47],
    );
    assert.deepEqual(
      calls.map((call) => call.model_facing_sha256),
      [sha256(text), sha256(short)],
    );
    assert.deepEqual(
      calls.map((call) => call.content),
      [[{ type: 'text', text }], [{ type: 'text', text }]],
    );
    assert.deepEqual(
      calls.map((call) => call.content_bytes),
      [99, 99],
    );
  });
});

describe('a stop of the model', () => {
  const stops: [string | null, string][] = [
    ['max_tokens', 'STOP_max_tokens'],
    ['refusal', 'STOP_refusal'],
    ['pause_turn', 'STOP_pause_turn'],
    ['stop_sequence', 'STOP_stop_sequence'],
    ['model_context_window_exceeded', 'STOP_model_context_window_exceeded'],
    ['something_new', 'STOP_UNKNOWN'],
    [null, 'STOP_UNKNOWN'],
  ];

  it('other than end_turn is a failure with a code of its own, though the text be an answer', async (test) => {
    const answers = stops.map(([reason]) => message(reason, [{ type: 'text', text: ANSWER }]));
    const endpoint = await openEndpoint(test, answers);
    const study = writeStudy(test, { on_failure: 'continue' });
    const { receipt, events } = await recordAt(test, endpoint.url, study, { repetitions: 7 });
    assert.deepEqual(
      endsOf(receipt),
      stops.map(([, code]) => ['failed', code]),
    );
    assert.deepEqual(
      receipt.attempts.map((trial) => trial.answer),
      stops.map(() => undefined),
    );
    assert.deepEqual(
      only(events, 'model_turn').map((turn) => turn.stop_reason),
      stops.map(([reason]) => reason),
    );
    assert.deepEqual(
      only(events, 'run_close').map(({ status, failure }) => [status, failure]),
      [['failed', 'STOP_max_tokens']],
    );
  });

  it('for tool use without a tool, or with one that has no id, is a failure', async (test) => {
    const nameless = message('tool_use', [
      { type: 'tool_use', id: 'a', name: 'echo', input: {} },
      { type: 'tool_use' },
    ]);
    const endpoint = await openEndpoint(test, [
      message('tool_use', [{ type: 'text', text: ANSWER }]),
      nameless,
    ]);
    const study = writeStudy(test, { on_failure: 'continue' });
    const { receipt } = await recordAt(test, endpoint.url, study, { repetitions: 2 });
    assert.deepEqual(endsOf(receipt), [
      ['failed', 'EMPTY_TOOL_USE'],
      ['failed', 'MODEL_BAD_RESPONSE'],
    ]);
    assert.deepEqual(receipt.attempts[1]?.calls, []);
  });

  it('with text that is no JSON is no answer; text blocks are read as one', async (test) => {
    const halves = message('end_turn', [
      { type: 'text', text: '{"answer":' },
      { type: 'text', text: '"6"}' },
    ]);
    const endpoint = await openEndpoint(test, [says('Six.'), says(''), halves]);
    const study = writeStudy(test, { on_failure: 'continue' });
    const { receipt } = await recordAt(test, endpoint.url, study, { repetitions: 3 });
    assert.deepEqual(endsOf(receipt), [
      ['failed', 'NON_JSON_ANSWER'],
      ['failed', 'NON_JSON_ANSWER'],
      ['completed', null],
    ]);
    assert.deepEqual(
      [receipt.attempts[0]?.answer_text, receipt.attempts[2]?.answer],
      ['Six.', { answer: '6' }],
    );
  });
});

describe('a failed tool call', () => {
  it('ends the trial after the last call of its turn, and what the model would read is recorded', async (test) => {
    const asked = uses(['fail', {}], ['empty', {}], ['nosuch', {}], ['hang', {}], ['echo', { text: 'fine' }]);
    const endpoint = await openEndpoint(test, [asked]);
    const { receipt } = await recordAt(test, endpoint.url, writeStudy(test, {}, { tool_timeout_ms: 400 }));
    assert.deepEqual(endsOf(receipt), [['failed', 'TOOL_FAILURE']]);
    assert.equal(endpoint.heard.length, 1);
    const calls = receipt.attempts[0]?.calls ?? [];
    assert.deepEqual(
      calls.map(({ call_id, is_error }) => [call_id, is_error]),
      [
        ['call_1', true],
        ['call_2', true],
        ['call_3', true],
        ['call_4', true],
        ['call_5', false],
      ],
    );
    const texts = calls.map((call) => call.model_facing_text);
    assert.deepEqual(texts.slice(0, 3), [
      '{"cache":"miss"}',
      'EMPTY_TOOL_CONTENT',
      'TOOL_ERROR: UNADVERTISED_TOOL',
    ]);
    assert.match(texts[3] ?? '', /^TOOL_ERROR: CALL_TIMEOUT: no answer to tools\/call within 400 ms$/);
    assert.equal(receipt.attempts[0]?.message, 'fail: {"cache":"miss"}');
  });

  it('of a tool that the server has and the condition lacks never reaches the server', async (test) => {
    const endpoint = await openEndpoint(test, [uses(['die', {}])]);
    const conditions = { only: { server: 'tools', tools: ['echo'] } };
    const { receipt, events } = await recordAt(test, endpoint.url, writeStudy(test, { conditions }));
    assert.deepEqual(endsOf(receipt), [['failed', 'TOOL_FAILURE']]);
    assert.deepEqual(
      only(events, 'close').map(({ how, exit_code }) => [how, exit_code]),
      [['stdin_end', 0]],
    );
    assert.deepEqual(
      only(events, 'tool_call').map(({ wire, error }) => [wire, error]),
      [[null, 'UNADVERTISED_TOOL']],
    );
  });

  it('whose arguments are no object is not made', async (test) => {
    const endpoint = await openEndpoint(test, [uses(['echo', ['text']])]);
    const { receipt } = await recordAt(test, endpoint.url, writeStudy(test));
    const [call] = receipt.attempts[0]?.calls ?? [];
    assert.deepEqual([call?.error, call?.arguments], ['ARGUMENTS_NOT_AN_OBJECT', ['text']]);
  });
});

describe('after a failed trial', () => {
  const failing = says('no JSON');

  it('the others and the probes are skipped where the study stops, and nothing else happens', async (test) => {
    const endpoint = await openEndpoint(test, [failing]);
    const probes = { warm: { condition: 'only', tool: 'pid', arguments: {}, expect: [{}] } };
    const { events, receipt } = await recordAt(test, endpoint.url, writeStudy(test, { probes }), {
      repetitions: 3,
    });
    assert.deepEqual(endsOf(receipt), [
      ['failed', 'NON_JSON_ANSWER'],
      ['skipped', 'PRIOR_FAILURE'],
      ['skipped', 'PRIOR_FAILURE'],
      ['skipped', 'PRIOR_FAILURE'],
    ]);
    const skipped = ['trial_open', 'close', 'trial_open', 'close', 'trial_open', 'close'];
    assert.deepEqual(typesOf(events), [...CALLED, 'close', ...skipped]);
    assert.equal(endpoint.heard.length, 1);
    const { trials, completed, failed, skipped: left } = only(events, 'run_close')[0]?.totals ?? {};
    assert.deepEqual([trials, completed, failed, left], [3, 0, 1, 2]);
  });

  it('everything is run all the same where the study continues', async (test) => {
    const endpoint = await openEndpoint(test, [failing, says(ANSWER)]);
    const probes = { warm: { condition: 'only', tool: 'pid', arguments: {}, expect: [{}] } };
    const study = writeStudy(test, { probes, on_failure: 'continue' });
    const { receipt } = await recordAt(test, endpoint.url, study, { repetitions: 2 });
    assert.deepEqual(endsOf(receipt), [
      ['failed', 'NON_JSON_ANSWER'],
      ['completed', null],
      ['completed', null],
    ]);
    assert.deepEqual([receipt.status, receipt.failure], ['failed', 'NON_JSON_ANSWER']);
  });
});
