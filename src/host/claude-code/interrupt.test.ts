/** A run under the real Claude Code that is ended from outside in the middle of a tool call, and gone on with. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { readEvents } from '../../events/reader.js';
import { isVerified, replayFile } from '../../events/replay.js';
import { Store } from '../../events/store.js';
import { resume } from '../record.js';
import { folderFor, only, typesOf } from '../study.test.support.js';
import { marked } from '../wire/group.js';
import { standIn } from '../wire/stand-in.test.support.js';
import { CLAUDE, fakeClaude, WITHOUT, workFolders, writeClaudeStudy } from './claude.test.support.js';
import { markerOf } from './home.js';

const modules = new URL('..', import.meta.url).href;
/** Records a study in a process of its own. */
const PROGRAM = `
import { record } from '${modules}record.js';
import { signalExit } from '${modules}signals.js';
const [study, store, claude] = process.argv.slice(1);
const { signal } = await record({ study, store, claude, tasks: ['key'] });
process.exitCode = signal === null ? 0 : signalExit(signal);
`;

/** A server whose first call is never answered, and leaves a file that says so. */
const hanging = (flag: string) =>
  standIn(`
    const { existsSync, writeFileSync } = require('node:fs');
    if (message.method === 'tools/list')
      return reply(message.id, { tools: [{ name: 'find', inputSchema: { type: 'object' } }] });
    if (message.method !== 'tools/call')
      return send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no such method' } });
    if (existsSync('${flag}')) return reply(message.id, { content: [{ type: 'text', text: 'In drawer 3.' }] });
    writeFileSync('${flag}', '');`);

interface Held {
  measure: ChildProcess;
  store: Store;
  log: string;
}

/** Starts a run, and comes back when its first call hangs. */
async function hold(test: TestContext): Promise<Held> {
  const flag = join(folderFor(test), 'called');
  const study = writeClaudeStudy(test, { servers: { notes: { command: hanging(flag) } } });
  const store = new Store(join(folderFor(test), 'runs'));
  const args = ['--input-type=module', '-e', PROGRAM, study, store.root, CLAUDE?.named ?? ''];
  const measure = spawn(process.execPath, args, { stdio: 'inherit' });
  test.after(() => measure.kill('SIGKILL'));
  while (!existsSync(flag)) {
    assert.equal(measure.exitCode, null);
    await delay(50);
  }
  return { measure, store, log: store.eventsFile(store.resolveRun('latest')) };
}

/** Goes on with it, and gives how each attempt ended. */
async function goOn({ store, log }: Held): Promise<(string | number | null)[][]> {
  const { receipt } = await resume({ store: store.root, run: 'latest', claude: CLAUDE?.named });
  const replay = replayFile(log);
  assert.equal(isVerified(replay), true);
  assert.deepEqual(replay.receipt, receipt);
  return receipt.attempts.map(({ attempt, status, answer_text }) => [attempt, status, answer_text]);
}

after(() => assert.deepEqual(workFolders(), []));

describe('a run under Claude Code that is ended in the middle of a trial', { skip: WITHOUT }, () => {
  it('by a signal leaves no process, keeps its evidence, and can be gone on with', async (test) => {
    const held = await hold(test);
    const { measure, log } = held;
    assert.ok(marked(markerOf(dirname(log))).length >= 3);
    measure.kill('SIGINT');
    await once(measure, 'close');
    assert.equal(measure.exitCode, 130);
    assert.deepEqual(marked(markerOf(dirname(log))), []);
    assert.deepEqual(typesOf(readEvents(log).events), ['trial_open', 'launch', 'run_interrupted']);
    const [place = ''] = readdirSync(join(dirname(log), 'claude-code'));
    const left = readdirSync(join(dirname(log), 'claude-code', place)).sort();
    assert.deepEqual(
      left.map((name) => name.replace(/^[0-9a-f]{8}-1-1/, 'N')),
      ['N.mcp.json', 'N.stderr', 'N.stdout', 'home', 'tap', 'work'].sort(),
    );
    const other = fakeClaude(test, 'init();', '2.1.999');
    await assert.rejects(resume({ store: held.store.root, run: 'latest', claude: other }), {
      code: 'RESUME_DIFFERS',
      message: /Claude Code \(2\.\d+\.\d+, and 2\.1\.999 now\)/,
    });
    assert.deepEqual(await goOn(held), [
      [1, 'in_doubt', null],
      [2, 'completed', 'In drawer 3.'],
    ]);
  });

  it('by SIGKILL leaves processes and a working folder that the next one clears away', async (test) => {
    const held = await hold(test);
    const { measure, log } = held;
    measure.kill('SIGKILL');
    await once(measure, 'close');
    assert.deepEqual(await goOn(held), [
      [1, 'in_doubt', null],
      [2, 'completed', 'In drawer 3.'],
    ]);
    assert.deepEqual(marked(markerOf(dirname(log))), []);
    assert.equal(only(readEvents(log).events, 'launch').length, 2);
  });
});
