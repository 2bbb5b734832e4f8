/** A recording from study to log: frozen inputs, secrets, failed start-ups, and what happens when inputs change. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { z } from 'zod';
import { textOf } from '../events/answer.js';
import { sha256 } from '../events/bytes.js';
import { Problem } from '../events/problem.js';
import { isVerified, replayFile } from '../events/replay.js';
import { Store } from '../events/store.js';
import { initStudy } from '../study/init.js';
import { type Answer, openEndpoint, says, uses } from './endpoint.test.support.js';
import { type RecordOptions, record } from './record.js';
import {
  endsOf,
  filesHolding,
  folderFor,
  KEY,
  only,
  recordAt,
  typesOf,
  writeStudy,
} from './study.test.support.js';

const ANSWER = '{"answer":"6"}';

describe('frozen inputs', () => {
  it('are in the store by their hash, and the run names each of them', async (test) => {
    const endpoint = await openEndpoint(test, [says(ANSWER)]);
    const study = writeStudy(test);
    const { events, store } = await recordAt(test, endpoint.url, study);
    const inputs = only(events, 'run_open')[0]?.inputs ?? [];
    const [definition, tasks] = ['study.json', 'tasks.json'].map((name) => readFileSync(join(study, name)));
    rmSync(study, { recursive: true });
    assert.deepEqual(
      inputs.map(({ name, sha256: hash }) => [name, hash]),
      [
        ['study', sha256(definition ?? '')],
        ['tasks', sha256(tasks ?? '')],
        ['snapshot', sha256('[]')],
        ['fields', sha256('[]')],
      ],
    );
    const blobs = inputs.map(({ sha256: hash }) => new Store(store).getBlob(hash).toString());
    assert.deepEqual(blobs, [String(definition), String(tasks), '[]', '[]']);
    assert.deepEqual(
      inputs.map(({ blob, sha256: hash }) => blob.endsWith(hash)),
      [true, true, true, true],
    );
  });
});

describe('an input that changes in the middle of a trial', () => {
  /** A study whose file changes while the model answers with a final answer. */
  const changes = async (test: TestContext, name: string, answer = says(ANSWER)) => {
    const study = writeStudy(test);
    const change: Answer = (response, heard) => {
      writeFileSync(join(study, name), ' []');
      answer(response, heard);
    };
    const endpoint = await openEndpoint(test, [change]);
    return recordAt(test, endpoint.url, study, { repetitions: 2 });
  };

  it('fails it with a code of its own, and no answer is taken', async (test) => {
    const [snapshot, fields] = [await changes(test, 'snapshot.json'), await changes(test, 'fields.json')];
    const [tasks, study] = [await changes(test, 'tasks.json'), await changes(test, 'study.json')];
    assert.deepEqual(endsOf(snapshot.receipt), [
      ['failed', 'SOURCE_CHANGED'],
      ['skipped', 'PRIOR_FAILURE'],
    ]);
    assert.deepEqual(endsOf(fields.receipt)[0], ['failed', 'ALLOWLIST_CHANGED']);
    assert.deepEqual(endsOf(tasks.receipt)[0], ['failed', 'TASKS_CHANGED']);
    assert.deepEqual(endsOf(study.receipt)[0], ['failed', 'INPUT_CHANGED']);
    assert.match(
      snapshot.receipt.attempts[0]?.message ?? '',
      /snapshot\.json is no longer the frozen input$/,
    );
  });

  it('fails it before the tool is called', async (test) => {
    const { events, receipt } = await changes(test, 'snapshot.json', uses(['echo', { text: 'x' }]));
    assert.deepEqual(endsOf(receipt)[0], ['failed', 'SOURCE_CHANGED']);
    assert.equal(only(events, 'tool_call').length, 0);
  });

  it('fails it so too where the server is the one to see it first, or the file is gone', async (test) => {
    const study = join(folderFor(test), 'copy');
    initStudy(study);
    const gone: Answer = (response, heard) => {
      rmSync(join(study, 'snapshot.json'));
      uses(['list_records', {}])(response, heard);
    };
    const endpoint = await openEndpoint(test, [gone]);
    const choice = { model: 'm', conditions: ['baseline'], tasks: ['lookup'] };
    const { receipt, events } = await recordAt(test, endpoint.url, study, choice);
    assert.deepEqual(endsOf(receipt), [['failed', 'SOURCE_CHANGED']]);
    assert.deepEqual(typesOf(events).slice(-2), ['model_turn', 'close']);
  });

  it('between trials fails the next one before its server starts', async (test) => {
    const study = writeStudy(test, { on_failure: 'continue' });
    const endpoint = await openEndpoint(test, [says(ANSWER)]);
    const onEvent: RecordOptions['onEvent'] = ({ type }) =>
      writeFileSync(
        join(study, 'fields.json'),
        type === 'close' ? '[ ]' : readFileSync(join(study, 'fields.json')),
      );
    const { receipt, events } = await recordAt(test, endpoint.url, study, { repetitions: 2, onEvent });
    assert.deepEqual(endsOf(receipt), [
      ['completed', null],
      ['failed', 'ALLOWLIST_CHANGED'],
    ]);
    assert.deepEqual([only(events, 'handshake').length, only(events, 'close')[1]?.how], [1, 'not_started']);
  });
});

describe('the key', () => {
  it('reaches neither a server nor a log, nor do other credentials in the environment', async (test) => {
    const leaks = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_AUTH_TOKEN: 'token-not-to-be-seen-1' };
    const headers = 'x-secret-token: header-not-to-be-seen-1';
    Object.assign(process.env, { ...leaks, ANTHROPIC_CUSTOM_HEADERS: headers });
    test.after(() => {
      for (const name of [...Object.keys(leaks), 'ANTHROPIC_CUSTOM_HEADERS']) delete process.env[name];
    });
    const echo: Answer = (response, heard) => says(JSON.stringify(heard.headers))(response, heard);
    const endpoint = await openEndpoint(test, [uses(['environment', {}]), echo]);
    process.env.ANTHROPIC_BASE_URL = endpoint.url;
    const { events, store } = await recordAt(test, endpoint.url, writeStudy(test), { env: process.env });
    delete process.env.ANTHROPIC_BASE_URL;
    const told = only(events, 'tool_call')[0]?.model_facing_text ?? '';
    assert.deepEqual(
      [told.includes('PATH'), told.includes('ANTHROPIC'), told.includes('not-to-be')],
      [true, false, false],
    );
    assert.equal(endpoint.heard[0]?.headers['x-secret-token'], 'header-not-to-be-seen-1');
    assert.deepEqual(filesHolding(store, 'not-to-be-seen'), []);
    assert.deepEqual(
      only(events, 'handshake')[0]?.env_names.filter((name) => name.startsWith('ANTHROPIC')),
      [],
    );
  });

  it('never comes back out of a model either: what is sent next is what the log has', async (test) => {
    const endpoint = await openEndpoint(test, [uses(['echo', { text: `say ${KEY}` }]), says(ANSWER)]);
    await recordAt(test, endpoint.url, writeStudy(test));
    assert.equal(endpoint.heard[1]?.bytes.includes(KEY), false);
    assert.equal(endpoint.heard[1]?.bytes.includes('say [redacted: ANTHROPIC_API_KEY]'), true);
  });
});

describe('the endpoint', () => {
  it('is recorded by its origin alone', async (test) => {
    const endpoint = await openEndpoint(test, [says(ANSWER)]);
    const { events } = await recordAt(test, `${endpoint.url}/some/path`, writeStudy(test));
    assert.equal(only(events, 'run_open')[0]?.runtime.endpoint, endpoint.url);
    assert.equal(endpoint.heard[0]?.path, '/some/path/v1/messages');
  });
});

describe('a start-up that fails', () => {
  /** The problem that is thrown, and the receipt that it leaves. */
  const start = async (test: TestContext, study: string, more: Partial<RecordOptions> = {}) => {
    const store = join(folderFor(test), 'runs');
    const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };
    const thrown = await record({ study, store, env, ...more }).then(
      () => null,
      (error: unknown) => error,
    );
    const replay = replayFile(new Store(store).eventsFile(new Store(store).resolveRun('latest')));
    assert.equal(isVerified(replay), true);
    assert.deepEqual(filesHolding(store, 'hunter2'), []);
    const { status, failure, startup_code, message, attempts, open } = replay.receipt ?? {};
    assert.deepEqual([status, failure, attempts, open?.plan], ['failed', 'STARTUP_FAILED', [], null]);
    assert.ok(thrown instanceof Error);
    assert.equal(message, thrown.message);
    assert.equal(thrown instanceof Problem ? thrown.code : null, startup_code);
    return { code: startup_code, message, path: open?.study.path };
  };

  it('leaves a whole log that says what and where', async (test) => {
    const study = writeStudy(test);
    writeFileSync(join(study, 'study.json'), '{\n"name": 5\n}');
    const bad = await start(test, study);
    assert.equal(bad.code, 'INVALID_STUDY');
    assert.match(bad.message ?? '', /study\.json:2: INVALID_STUDY: `name`/);
    assert.equal(bad.path, study);
  });

  it('for want of an input, a key, a model, a condition or a script has a code of its own', async (test) => {
    const without = writeStudy(test);
    rmSync(join(without, 'snapshot.json'));
    assert.equal((await start(test, without)).code, 'INPUT_MISSING');
    const study = writeStudy(test, { model: undefined });
    assert.equal((await start(test, study)).code, 'MODEL_REQUIRED');
    assert.equal((await start(test, study, { model: 'm', env: {} })).code, 'API_KEY_REQUIRED');
    assert.equal((await start(test, study, { model: 'm', conditions: ['none'] })).code, 'CONDITION_UNKNOWN');
    assert.equal((await start(test, study, { host: 'scripted' })).code, 'SCRIPT_REQUIRED');
    assert.equal((await start(test, join(study, 'absent'))).code, 'INPUT_MISSING');
    const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: 'http://me:hunter2@127.0.0.1:9' };
    assert.equal((await start(test, study, { model: 'm', env })).code, 'BASE_URL_INVALID');
  });

  it('by an error that nobody foresaw leaves a whole log, too', async (test) => {
    const onPlan = () => {
      throw new TypeError('nobody foresaw this');
    };
    assert.deepEqual((await start(test, writeStudy(test), { onPlan })).code, null);
  });
});

describe('the records study with its scripted model', () => {
  it('runs without a key, against the real server, and its optimized text lacks two fields and nothing else', async (test) => {
    const study = join(folderFor(test), 'copy');
    initStudy(study);
    const choice = { conditions: ['baseline', 'optimized'], seed: 3, env: {} };
    const { events, receipt } = await recordAt(test, '', study, choice);
    assert.deepEqual([receipt.status, receipt.attempts.length], ['completed', 7]);
    assert.deepEqual(only(events, 'run_open')[0]?.runtime.endpoint, null);
    assert.deepEqual(
      new Set(only(events, 'model_turn').map((turn) => turn.usage_source)),
      new Set(['estimate']),
    );
    const calls = only(events, 'tool_call').filter(({ turn }) => turn !== null);
    const optimized = calls.filter(({ trial }) => trial.includes('/optimized/'));
    assert.ok(optimized.length >= 4);
    assert.deepEqual(
      optimized.map((call) => call.model_facing_text),
      optimized.map(selected),
    );
    assert.deepEqual(
      calls.filter(({ trial }) => trial.includes('/baseline/')).map((call) => call.model_facing_text),
      calls.filter(({ trial }) => trial.includes('/baseline/')).map(({ content }) => textOf(content)),
    );
    assert.deepEqual(
      calls.map((call) => call.content_bytes),
      calls.map(({ content }) => JSON.stringify(content).length),
    );
  });
});

/** What the select control leaves of a result: everything but the cache disposition and the full source hash. */
function selected({ content }: { content: unknown[] }): string {
  const { cache, sourceHash, ...rest } = z.looseObject({}).parse(JSON.parse(textOf(content)));
  assert.equal(typeof sourceHash, 'string');
  assert.notEqual(cache, null);
  return JSON.stringify(rest);
}
