/** Going on with a run that was ended from outside: nothing lost, nothing run twice unseen. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { readEvents } from '../events/reader.js';
import { isVerified, replayFile } from '../events/replay.js';
import { Store } from '../events/store.js';
import { type Answer, type Endpoint, message, openEndpoint, says, silence } from './endpoint.test.support.js';
import { record, resume } from './record.js';
import { folderFor, KEY, only, TOOL_SERVER, writeStudy } from './study.test.support.js';

const modules = new URL('.', import.meta.url).href;
const PROGRAM = `
import { record } from '${modules}record.js';
const [study, store] = process.argv.slice(1);
await record({ study, store });
`;
const ANSWER = '{"answer":"6","evidenceIds":["T1"],"caveats":[]}';

interface Killed {
  study: string;
  store: string;
  run: string;
  log: string;
  env: NodeJS.ProcessEnv;
  endpoint: Endpoint;
  child: ChildProcess;
}

/** A run of three trials whose second hangs at its model call. */
async function hanging(test: TestContext, then: Answer[]): Promise<Killed> {
  let reached = () => {};
  const called = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const hang: Answer = (response, heard) => {
    silence(response, heard);
    reached();
  };
  const endpoint = await openEndpoint(test, [says(ANSWER), hang, ...then]);
  const study = writeStudy(
    test,
    { servers: { tools: { command: TOOL_SERVER, protocol: 'legacy' } }, repetitions: 3 },
    { model_timeout_ms: 60_000 },
  );
  const store = join(folderFor(test), 'runs');
  const env = { PATH: process.env.PATH, ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: endpoint.url };
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, study, store], {
    env,
    stdio: 'ignore',
  });
  test.after(() => child.kill('SIGKILL'));
  await called;
  const run = new Store(store).resolveRun('latest');
  return { study, store, run, log: new Store(store).eventsFile(run), env, endpoint, child };
}

async function kill({ child }: Killed): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'close');
}

describe('a run that was killed', () => {
  it('goes on: what ended stays, what was under way is the next attempt, and both count', async (test) => {
    const held = await hanging(test, [says(ANSWER), says(ANSWER)]);
    const { store, env, log, endpoint } = held;
    await kill(held);
    const left: number[] = [];
    const { receipt } = await resume({
      store,
      run: 'latest',
      env,
      onPlan: (_prepared, plan) => left.push(plan.left),
    });
    assert.deepEqual(
      receipt.attempts.map(({ trial, attempt, status }) => `${trial} ${attempt} ${status}`),
      [
        't/only/plain/1 1 completed',
        't/only/plain/2 1 in_doubt',
        't/only/plain/2 2 completed',
        't/only/plain/3 1 completed',
      ],
    );
    assert.deepEqual([left, endpoint.heard.length, receipt.status], [[2], 4, 'completed']);
    const replayed = replayFile(log);
    assert.deepEqual([replayed.receipt, isVerified(replayed)], [receipt, true]);
    const events = readEvents(log).events;
    assert.deepEqual(only(events, 'run_resumed')[0]?.remaining, ['t/only/plain/2', 't/only/plain/3']);
    assert.deepEqual(only(events, 'run_close')[0]?.totals, {
      ...{ trials: 3, completed: 3, failed: 0, skipped: 0, turns: 3, calls: 0 },
      ...{
        input_tokens: 30,
        output_tokens: 15,
        usage_source: 'provider',
        wire_bytes: 0,
        model_facing_bytes: 0,
      },
    });
  });

  it('in the middle of a write goes on, and keeps the bytes that were cut off', async (test) => {
    const held = await hanging(test, [says(ANSWER), says(ANSWER)]);
    const { store, env, log, run } = held;
    await kill(held);
    appendFileSync(log, '{"h":"0123');
    const { receipt } = await resume({ store, run, env });
    assert.equal(receipt.status, 'completed');
    const [repaired] = only(readEvents(log).events, 'log_repaired');
    assert.equal(readFileSync(join(store, run, repaired?.quarantine ?? ''), 'utf8'), '{"h":"0123');
  });

  it('counts what it has spent before against the budget', async (test) => {
    const held = await hanging(test, [says(ANSWER)]);
    const { store, env, run } = held;
    await kill(held);
    const { receipt } = await resume({ store, run, env, budgetTokens: 100 });
    assert.match(receipt.attempts.at(-2)?.message ?? '', /tokens are spent/);
    assert.equal(receipt.failure, 'BUDGET_STOP');
  });
});

describe('going on is refused, with the log as it was,', () => {
  const refused = async (test: TestContext, code: string, change: (held: Killed) => void) => {
    const held = await hanging(test, []);
    await kill(held);
    change(held);
    const before = readFileSync(held.log);
    const { store, run, env } = held;
    await assert.rejects(resume({ store, run, env }), { code });
    assert.deepEqual(readFileSync(held.log), before);
  };

  it('where an input is another', (test) =>
    refused(test, 'RESUME_DIFFERS', ({ study }) => appendFileSync(join(study, 'snapshot.json'), '\n')));

  it('where the study is another', (test) =>
    refused(test, 'RESUME_DIFFERS', ({ study }) => appendFileSync(join(study, 'study.json'), '\n')));

  it('where more than the end of the log is damaged', (test) =>
    refused(test, 'LOG_DAMAGED', ({ log }) => writeFileSync(log, `x${readFileSync(log, 'utf8')}`)));

  it('while the run is under way', async (test) => {
    const held = await hanging(test, []);
    const { store, run, env } = held;
    await assert.rejects(resume({ store, run, env }), { code: 'RUN_LOCKED' });
    await kill(held);
  });

  it('where the run has ended', async (test) => {
    const endpoint = await openEndpoint(test, [says(ANSWER)]);
    const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: endpoint.url };
    const store = join(folderFor(test), 'runs');
    const { run } = await record({ study: writeStudy(test), store, env });
    await assert.rejects(resume({ store, run, env }), { code: 'RUN_ENDED', exit: 2 });
  });
});

describe('trials side by side', () => {
  it('are under way at once, each with a server of its own, in one log', async (test) => {
    const waiting: (() => void)[] = [];
    // Nobody is answered before three have asked.
    const together: Answer = (response, heard) => {
      waiting.push(() => message('end_turn', [{ type: 'text', text: ANSWER }])(response, heard));
      if (waiting.length === 3) for (const answer of waiting) answer();
    };
    const endpoint = await openEndpoint(test, [together, together, together, says(ANSWER)]);
    const study = writeStudy(test, { repetitions: 4 });
    const store = join(folderFor(test), 'runs');
    const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: endpoint.url };
    const { receipt, log } = await record({ study, store, env, concurrency: 3 });
    assert.deepEqual(
      receipt.attempts.map(({ status }) => status),
      ['completed', 'completed', 'completed', 'completed'],
    );
    const replayed = replayFile(log);
    assert.deepEqual([replayed.receipt, isVerified(replayed)], [receipt, true]);
    const { events } = readEvents(log);
    assert.equal(new Set(only(events, 'handshake').map(({ pid }) => pid)).size, 4);
    assert.equal(only(events, 'run_open')[0]?.plan?.concurrency, 3);
  });
});
