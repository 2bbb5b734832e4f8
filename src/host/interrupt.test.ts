/** A run that is ended from outside, by a signal or by SIGKILL: what it leaves must replay. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { readEvents } from '../events/reader.js';
import { replayFile } from '../events/replay.js';
import { Store } from '../events/store.js';
import { openEndpoint, silence } from './endpoint.test.support.js';
import { folderFor, only as onlyType, typesOf, writeStudy } from './study.test.support.js';
import { livingMembers } from './wire/group.js';
import { standIn } from './wire/stand-in.test.support.js';

const modules = new URL('.', import.meta.url).href;
/** Records a study in a process of its own, and tells how that ended. */
const PROGRAM = `
import { record } from '${modules}record.js';
import { signalExit } from '${modules}signals.js';
const [study, store] = process.argv.slice(1);
const { signal, receipt } = await record({ study, store });
process.stdout.write(JSON.stringify({ signal, status: receipt.status, trial: receipt.attempts[0]?.status }));
process.exitCode = signal === null ? 0 : signalExit(signal);
`;

/** A server with a child of its own; neither of them ends with its stdin. */
const FAMILY = standIn(
  `reply(message.id, { tools: [] })`,
  `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
   setInterval(() => {}, 1000);`,
);

interface Held {
  child: ChildProcess;
  log: string;
  output: () => string;
  group: number;
}

/** Starts a run and comes back when its first model call hangs at the endpoint. */
async function hold(test: TestContext, command: string[], repetitions = 2): Promise<Held> {
  let reached = () => {};
  const called = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const endpoint = await openEndpoint(test, [
    (response, heard) => {
      silence(response, heard);
      reached();
    },
  ]);
  const study = writeStudy(
    test,
    { servers: { tools: { command, protocol: 'legacy' } }, repetitions },
    { model_timeout_ms: 60_000 },
  );
  const store = join(folderFor(test), 'runs');
  const env = { PATH: process.env.PATH, ANTHROPIC_API_KEY: 'sk-1', ANTHROPIC_BASE_URL: endpoint.url };
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, study, store], { env });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  test.after(() => child.kill('SIGKILL'));
  await called;
  const log = new Store(store).eventsFile(new Store(store).resolveRun('latest'));
  const group = onlyType(readEvents(log).events, 'handshake')[0]?.pid ?? 0;
  return { child, log, output: () => output, group };
}

const OPEN = ['trial_open', 'message', 'handshake', 'catalog', 'turn_request'];

describe('a run that a signal ends', { concurrency: 3 }, () => {
  const ended = async (test: TestContext, signal: NodeJS.Signals, code: number) => {
    const { child, log, output, group } = await hold(test, FAMILY);
    assert.equal(livingMembers(group).length, 2);
    child.kill(signal);
    await once(child, 'close');
    assert.deepEqual([child.exitCode, child.signalCode], [code, null]);
    assert.equal(output(), JSON.stringify({ signal, status: 'interrupted', trial: 'in_doubt' }));
    assert.deepEqual(livingMembers(group), []);
    const { receipt, damage, requests } = replayFile(log);
    assert.deepEqual(typesOf(readEvents(log).events), [...OPEN, 'run_interrupted']);
    assert.deepEqual([receipt?.status, receipt?.signal, damage], ['interrupted', signal, []]);
    assert.deepEqual(
      receipt?.attempts.map(({ status }) => status),
      ['in_doubt'],
    );
    assert.deepEqual(
      requests.map(({ holds }) => holds),
      [true],
    );
  };

  it('says so in its log, leaves no server, and has its last call in doubt: SIGINT', (test) =>
    ended(test, 'SIGINT', 130));
  it('SIGTERM', (test) => ended(test, 'SIGTERM', 143));
  it('SIGHUP', (test) => ended(test, 'SIGHUP', 129));
});

describe('a run that is killed', () => {
  it('leaves a log that replays, its last call in doubt, and its server ends with it', async (test) => {
    const { child, log, group } = await hold(test, standIn('reply(message.id, { tools: [] })'));
    child.kill('SIGKILL');
    await once(child, 'close');
    const { receipt, damage } = replayFile(log);
    assert.deepEqual(typesOf(readEvents(log).events), OPEN);
    assert.deepEqual(
      [receipt?.status, receipt?.attempts[0]?.status, damage],
      ['interrupted', 'in_doubt', []],
    );
    await delay(300);
    assert.deepEqual(livingMembers(group), []);
  });
});
