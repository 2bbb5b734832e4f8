/** Specification: what the tables of `measure sql` say of a small run whose events are written out. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { EventBody } from '../../events/event.js';
import {
  catalog,
  close,
  fault,
  handshake,
  launch,
  launchEnd,
  message,
  modelTurn,
  RUN,
  runClose,
  runOpen,
  SOME,
  toolCall,
  trialOpen,
  turnRequest,
} from '../../events/events.test.support.js';
import { ask, emptyStore, grade, override, storeOf } from './store.test.support.js';
import { describeTables, TABLES } from './tables.js';

const TRIAL: EventBody[] = [
  ...[runOpen(), trialOpen(), handshake(), catalog(), turnRequest(), modelTurn(), toolCall(), close()],
];
const PLACE = {
  run: RUN,
  trial: 't/baseline',
  trial_attempt: 1n,
  purpose: 'trial',
  condition: 'baseline',
  task: 't',
};

describe('runs', () => {
  it('has a row a run, with its plan, its sums and its makers', async (test) => {
    const store = storeOf(test, [...TRIAL, runClose()]);
    assert.deepEqual(await ask(store, 'SELECT * EXCLUDE (head) FROM runs'), [
      {
        ...{ run: RUN, seq: 0n, opened_at: '2026-11-03T09:00:01.000Z', study: 'sample', study_sha256: SOME },
        ...{ study_path: '/studies/sample/study.yaml', host: 'scripted', model: 'model-1', endpoint: null },
        ...{ status: 'completed', failure: null, startup_code: null, signal: null, message: null },
        ...{ conditions: ['baseline', 'optimized'], repetitions: 1n, plan_order: 'listed', seed: 1n },
        ...{
          on_failure: 'stop',
          max_turns: 12n,
          max_tokens: 1024n,
          model_timeout_ms: 30000,
          tool_timeout_ms: 10000,
        },
        ...{ trials: 1n, completed: 1n, failed: 0n, skipped: 0n, turns: 1n, calls: 1n, input_tokens: 107n },
        ...{ output_tokens: 20n, usage_source: 'estimate', wire_bytes: 400n, model_facing_bytes: 11n },
        ...{ measure_version: '0.1.0', node_version: 'v20.20.2', platform: 'linux x64', git_commit: null },
        ...{ tokenizer: 'o200k_base', events: 9n, log: store.eventsFile(RUN), damaged_lines: 0n },
      },
    ]);
  });

  it('names the head of the log, which is the h of its last event', async (test) => {
    const store = storeOf(test, TRIAL);
    const sql = 'SELECT head = h AS same FROM runs JOIN events USING (run) WHERE events.seq = 7';
    assert.deepEqual(await ask(store, sql), [{ same: true }]);
  });

  it('calls a run without a run_close interrupted, whatever its start-up', async (test) => {
    const store = storeOf(test, [runOpen({ plan: null, limits: null, model: null })]);
    const sql = 'SELECT status, model, trials, seed, max_turns FROM runs';
    const row = { status: 'interrupted', model: null, trials: 0n, seed: null, max_turns: null };
    assert.deepEqual(await ask(store, sql), [row]);
  });
});

describe('trials', () => {
  it('has a row an attempt, with each usage figure and each size', async (test) => {
    const store = storeOf(test, TRIAL, [grade()]);
    assert.deepEqual(await ask(store, 'SELECT * FROM trials'), [
      {
        ...{
          run: RUN,
          seq: 1n,
          opened_at: '2026-11-03T09:00:02.000Z',
          trial: 't/baseline',
          attempt: 1n,
          final: true,
          incomplete: false,
        },
        ...{ purpose: 'trial', condition: 'baseline', task: 't', phrasing: 'plain', repetition: 1n },
        ...{ status: 'completed', failure: null, message: null, verdict: 'pass', graded: 'pass' },
        ...{ overridden: false, called: true, elapsed_ms: 200 },
        ...{ closed_how: 'stdin_end', exit_code: 0n, faults: 0n, turns: 1n, calls: 1n, input_tokens: 107n },
        ...{ uncached_input_tokens: 100n, cache_creation_input_tokens: 7n, cache_read_input_tokens: 0n },
        ...{ output_tokens: 20n, usage_source: 'estimate', turns_without_usage: 0n, wire_bytes: 400n },
        ...{
          content_bytes: 33n,
          model_facing_bytes: 11n,
          catalog_wire_bytes: 400n,
          catalog_model_facing_bytes: 80n,
        },
        ...{ prompt: 'How many are open?', answer_text: null, answer: null },
      },
    ]);
  });

  it('keeps both attempts of a resumed trial and marks the last, and never a probe', async (test) => {
    const store = storeOf(test, [
      ...[runOpen(), trialOpen(), turnRequest(), trialOpen({ attempt: 2 }), close()],
      ...[trialOpen({ trial: 'probe/warm', purpose: 'probe', task: null }), close({ trial: 'probe/warm' })],
    ]);
    assert.deepEqual(await ask(store, 'SELECT seq, trial, attempt, final, status FROM trials ORDER BY seq'), [
      { seq: 1n, trial: 't/baseline', attempt: 1n, final: false, status: 'in_doubt' },
      { seq: 3n, trial: 't/baseline', attempt: 2n, final: true, status: 'completed' },
      { seq: 5n, trial: 'probe/warm', attempt: 1n, final: false, status: 'completed' },
    ]);
  });

  it('has the answer as text and as JSON', async (test) => {
    const answer = modelTurn({
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: '{"answer":"6"}' }],
    });
    const store = storeOf(test, [runOpen(), trialOpen(), turnRequest(), answer, close()]);
    const sql = "SELECT answer_text, answer->>'answer' AS said FROM trials";
    assert.deepEqual(await ask(store, sql), [{ answer_text: '{"answer":"6"}', said: '6' }]);
  });
});

describe('handshakes and catalogs', () => {
  it('say what the server said of itself', async (test) => {
    const store = storeOf(test, [...TRIAL.slice(0, 2), handshake({ instructions: 'Überblick' })]);
    assert.deepEqual(await ask(store, 'SELECT * FROM handshakes'), [
      {
        ...{
          ...PLACE,
          seq: 2n,
          at: '2026-11-03T09:00:03.000Z',
          server_name: 'records',
          server_version: '1.0.0',
        },
        ...{ era: 'modern', protocol_version: '2026-07-28', request_bytes: 100n, wire_bytes: 400n },
        ...{
          instructions_bytes: 10n,
          elapsed_ms: 90.5,
          pid: 77n,
          argv: ['node', 'server.js'],
          url: null,
          program_path: null,
        },
        ...{ program_sha256: null, env_names: ['PATH'], attempts: '[]', client_capabilities: '{}' },
        ...{ server_capabilities: '{"tools":{}}', instructions: 'Überblick' },
      },
    ]);
  });

  it('say what the catalog weighs on the wire and before the model', async (test) => {
    assert.deepEqual(await ask(storeOf(test, TRIAL), 'SELECT * EXCLUDE (tools) FROM catalogs'), [
      {
        ...{ ...PLACE, seq: 3n, at: '2026-11-03T09:00:04.000Z', page: 1n, next_cursor: null, tool_count: 2n },
        ...{ request_bytes: 100n, wire_bytes: 400n, wire_sha256: SOME, elapsed_ms: 2, advertised_count: 1n },
        ...{ advertised_names: ['list_records'], advertised_bytes: 80n, advertised_sha256: SOME },
      },
    ]);
  });
});

describe('turns', () => {
  it('have the request and the answer in one row, at the place of the answer', async (test) => {
    const store = storeOf(test, TRIAL);
    assert.deepEqual(await ask(store, 'SELECT * FROM turns'), [
      {
        ...{ ...PLACE, seq: 5n, at: '2026-11-03T09:00:06.000Z', turn: 1n, attempt: 1n, state: 'answered' },
        ...{ request_seq: 4n, messages: 1n, request_bytes: 250n, request_sha256: SOME, response_bytes: 300n },
        ...{ response_sha256: SOME, http_status: 200n, elapsed_ms: 12.25, usage_source: 'estimate' },
        ...{ input_tokens: 107n, uncached_input_tokens: 100n, cache_creation_input_tokens: 7n },
        ...{ cache_read_input_tokens: 0n, output_tokens: 20n, model: 'model-1', stop_reason: 'tool_use' },
        ...{ message_id: 'msg_1', request_id: 'req_1', text: '' },
        usage:
          '{"input_tokens":100,"output_tokens":20,"cache_creation_input_tokens":7,"cache_read_input_tokens":null}',
        content: '[{"type":"tool_use","id":"call_1","name":"list_records","input":{}}]',
      },
    ]);
  });

  it('that were not answered stay: failed where a fault says so, else in doubt', async (test) => {
    const failure = fault({ code: 'HTTP_529', turn: 1, attempt: 1, http_status: 529 });
    const events = [runOpen(), trialOpen(), turnRequest(), failure, turnRequest({ attempt: 2 })];
    const sql = 'SELECT seq, request_seq, attempt, state, input_tokens, text FROM turns ORDER BY seq';
    assert.deepEqual(await ask(storeOf(test, events), sql), [
      { seq: 2n, request_seq: 2n, attempt: 1n, state: 'failed', input_tokens: null, text: null },
      { seq: 4n, request_seq: 4n, attempt: 2n, state: 'in_doubt', input_tokens: null, text: null },
    ]);
  });

  it('of two attempts at a trial are two turns', async (test) => {
    const again = [trialOpen({ attempt: 2 }), turnRequest(), modelTurn()];
    const sql = 'SELECT trial_attempt, state FROM turns ORDER BY seq';
    assert.deepEqual(await ask(storeOf(test, [runOpen(), trialOpen(), turnRequest(), ...again]), sql), [
      { trial_attempt: 1n, state: 'in_doubt' },
      { trial_attempt: 2n, state: 'answered' },
    ]);
  });

  it('whose usage makes no sense have NULL tokens, not 0', async (test) => {
    const events = [runOpen(), trialOpen(), turnRequest(), modelTurn({ usage: { input_tokens: -1 } })];
    const sql = 'SELECT turns.input_tokens, turns_without_usage FROM turns, trials';
    assert.deepEqual(await ask(storeOf(test, events), sql), [
      { input_tokens: null, turns_without_usage: 1n },
    ]);
  });
});

describe('tool_calls', () => {
  it('have their sizes side by side, and what was asked and answered', async (test) => {
    assert.deepEqual(await ask(storeOf(test, TRIAL), 'SELECT * FROM tool_calls'), [
      {
        ...{
          ...PLACE,
          seq: 6n,
          at: '2026-11-03T09:00:07.000Z',
          turn: 1n,
          call_id: 'call_1',
          tool: 'list_records',
        },
        ...{
          arguments: '{}',
          is_error: false,
          error: null,
          error_code: null,
          elapsed_ms: 3.5,
          request_bytes: 100n,
          wire_bytes: 400n,
        },
        ...{ content_bytes: 33n, structured_bytes: 0n, model_facing_bytes: 11n, wire_sha256: SOME },
        ...{ content_sha256: SOME, model_facing_sha256: SOME, schema_verdict: 'unchecked' },
        ...{ asked_as: null, origin: 'server' },
        schema_detail: null,
        ...{ content: '[{"type":"text","text":"{\\"total\\":6}"}]', model_facing_text: '{"total":6}' },
      },
    ]);
  });

  it('take text that is not well formed, and JSON that holds it', async (test) => {
    const odd = toolCall({
      arguments: { a: 'x\ud800', b: '\\ud800', c: 1 },
      model_facing_text: 'y\udc00\0z',
    });
    const sql =
      "SELECT arguments->>'a' AS a, arguments->>'b' AS b, model_facing_text AS text FROM tool_calls";
    const row = { a: 'x\ufffd', b: '\\ud800', text: 'y\ufffd\0z' };
    assert.deepEqual(await ask(storeOf(test, [runOpen(), trialOpen(), odd]), sql), [row]);
  });
});

describe('faults', () => {
  it('have a row each, those of the run too', async (test) => {
    const events = [runOpen(), trialOpen(), fault(), fault({ trial: null, severity: 'error' })];
    const sql = 'SELECT seq, trial, condition, code, severity, bytes, text FROM faults ORDER BY seq';
    const said = { code: 'STRAY_LINE', bytes: 5n, text: 'hello' };
    assert.deepEqual(await ask(storeOf(test, events), sql), [
      { seq: 2n, trial: 't/baseline', condition: 'baseline', severity: 'warning', ...said },
      { seq: 3n, trial: null, condition: null, severity: 'error', ...said },
    ]);
  });
});

describe('messages', () => {
  it('have a row each, with their text where they have one', async (test) => {
    const line = { as: 'utf8' as const, data: '{"method":"ping"}' };
    const odd = { as: 'base64' as const, data: '/w==' };
    const events = [
      ...[runOpen(), trialOpen(), message({ raw: line, method: 'ping', bytes: 17 })],
      message({ direction: 'to_server', kind: 'other', method: null, raw: odd, bytes: 1 }),
    ];
    const sql = 'SELECT seq, condition, direction, kind, method, bytes, text FROM messages ORDER BY seq';
    const first = { direction: 'to_client', kind: 'request', method: 'ping', bytes: 17n, text: line.data };
    const second = { direction: 'to_server', kind: 'other', method: null, bytes: 1n, text: null };
    assert.deepEqual(await ask(storeOf(test, events), sql), [
      { seq: 2n, condition: 'baseline', ...first },
      { seq: 3n, condition: 'baseline', ...second },
    ]);
  });
});

describe('grades', () => {
  it('keep the verdicts that were superseded', async (test) => {
    const verdicts = [grade({ verdict: 'fail', answer: 'fail', reasons: ['answer: 5, not 6'] }), grade()];
    const sql =
      'SELECT seq, trial_attempt, condition, latest, verdict, answer, reasons FROM grades ORDER BY seq';
    const place = { trial_attempt: 1n, condition: 'baseline' };
    assert.deepEqual(await ask(storeOf(test, TRIAL, verdicts), sql), [
      { seq: 0n, ...place, latest: false, verdict: 'fail', answer: 'fail', reasons: ['answer: 5, not 6'] },
      { seq: 1n, ...place, latest: true, verdict: 'pass', answer: 'pass', reasons: [] },
    ]);
  });

  it('name the accepted form that an answer has', async (test) => {
    const matched = { form: '{"number":9}', text: '9' };
    const sql = 'SELECT matched_form, matched_text FROM grades';
    assert.deepEqual(await ask(storeOf(test, TRIAL, [grade({ matched })]), sql), [
      { matched_form: '{"number":9}', matched_text: '9' },
    ]);
  });

  it('judge one attempt: a later attempt has no verdict yet', async (test) => {
    const store = storeOf(test, [...TRIAL, trialOpen({ attempt: 2 })], [grade()]);
    assert.deepEqual(await ask(store, 'SELECT attempt, verdict FROM trials ORDER BY attempt'), [
      { attempt: 1n, verdict: 'pass' },
      { attempt: 2n, verdict: null },
    ]);
  });
});

describe('events', () => {
  it('are the log itself, a line a row', async (test) => {
    const store = storeOf(test, TRIAL);
    const sql = 'SELECT * EXCLUDE (h, line_bytes) FROM events WHERE seq = 7';
    assert.deepEqual(await ask(store, sql), [
      {
        ...{ run: RUN, seq: 7n, at: '2026-11-03T09:00:08.000Z', mono_ns: 8000000n, type: 'close' },
        ...{ trial: 't/baseline', line: 8n },
        body: '{"status":"completed","failure":null,"how":"stdin_end","exit_code":0,"signal":null,"elapsed_ms":200,"message":null,"stderr_tail":null}',
      },
    ]);
  });

  it('have the bytes of the whole file between them', async (test) => {
    const store = storeOf(test, TRIAL);
    const size = BigInt(readFileSync(store.eventsFile(RUN)).length);
    assert.deepEqual(await ask(store, 'SELECT sum(line_bytes) AS bytes FROM events'), [{ bytes: size }]);
  });
});

describe('the tables', () => {
  it('are there, empty, in a store without a run', async (test) => {
    const sql = `SELECT ${TABLES.map(({ name }) => `(SELECT count(*) FROM ${name}) AS ${name}`).join(', ')}`;
    assert.deepEqual(await ask(emptyStore(test), sql), [
      {
        ...{
          runs: 0n,
          trials: 0n,
          handshakes: 0n,
          catalogs: 0n,
          turns: 0n,
          tool_calls: 0n,
          messages: 0n,
          faults: 0n,
        },
        ...{ launches: 0n, grades: 0n, overrides: 0n, events: 0n },
      },
    ]);
  });

  it('are described in docs/sql.md in the same words', () => {
    assert.equal(readFileSync(new URL('../../../docs/sql.md', import.meta.url), 'utf8'), describeTables());
  });

  it('are described with a meaning for each column, and units where there are any', () => {
    assert.match(describeTables(), /^## tool_calls\n\nOne row a tool call/m);
    assert.match(describeTables(), /^\| wire_bytes +\| BIGINT, bytes +\| Response on the wire/m);
    assert.deepEqual(
      TABLES.flatMap(({ columns }) => columns.filter(({ meaning }) => meaning === '')),
      [],
    );
  });
});

describe('overrides', () => {
  it('stand over grades, and the superseded ones are kept', async (test) => {
    const verdicts = [grade(), override(), override({ verdict: 'undecided', author: 'Bob' })];
    const store = storeOf(test, TRIAL, verdicts);
    const sql =
      'SELECT seq, trial, trial_attempt, condition, task, stands, verdict, author FROM overrides ORDER BY seq';
    const place = { trial: 't/baseline', trial_attempt: 1n, condition: 'baseline', task: 't' };
    assert.deepEqual(await ask(store, sql), [
      { seq: 1n, ...place, stands: false, verdict: 'fail', author: 'Ada' },
      { seq: 2n, ...place, stands: true, verdict: 'undecided', author: 'Bob' },
    ]);
    assert.deepEqual(await ask(store, 'SELECT verdict, graded, overridden FROM trials'), [
      { verdict: 'undecided', graded: 'pass', overridden: true },
    ]);
  });

  it('stand no more where they were taken back, or are of another answer', async (test) => {
    const back = storeOf(test, TRIAL, [grade(), override(), override({ verdict: null, reason: 'no' })]);
    const other = storeOf(test, TRIAL, [grade(), override({ answer_sha256: SOME })]);
    const sql = 'SELECT verdict, overridden FROM trials';
    assert.deepEqual(await ask(back, sql), [{ verdict: 'pass', overridden: false }]);
    assert.deepEqual(await ask(other, sql), [{ verdict: 'pass', overridden: false }]);
  });
});

describe('launches', () => {
  it('have how they ended, by what the host says and by its own log', async (test) => {
    const store = storeOf(test, [runOpen(), trialOpen(), launch(), launchEnd(), close()]);
    const sql =
      'SELECT seq, launch, home, outcome, exit_code, connect_ms, servers, input_tokens, output_tokens, cost_usd FROM launches';
    assert.deepEqual(await ask(store, sql), [
      {
        ...{ seq: 2n, launch: 1n, home: 'fresh', outcome: 'answered', exit_code: 0n, connect_ms: 638 },
        servers: '[{"name":"notes","status":"connected"}]',
        ...{ input_tokens: 94n, output_tokens: 7n, cost_usd: 0.5 },
      },
    ]);
  });

  it('have none where that is not known', async (test) => {
    const store = storeOf(test, [runOpen(), trialOpen(), launch()]);
    assert.deepEqual(await ask(store, 'SELECT launch, outcome, servers, input_tokens FROM launches'), [
      { launch: 1n, outcome: null, servers: null, input_tokens: null },
    ]);
  });
});
