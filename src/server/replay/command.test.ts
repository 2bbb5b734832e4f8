/** `measure serve replay` as a study and a user meet it. */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse, stringify } from 'yaml';
import { measure, newFolder, STUDY } from '../../cli/run.test.support.js';
import { replayFile } from '../../events/replay.js';

const folder = newFolder();
const CHOICE = ['--condition', 'optimized', '--task', 'lookup', '--seed', '7'];
let run = '';

const only = (store: string) => readdirSync(join(folder, store)).find((name) => /^\d/.test(name)) ?? '';

/** The receipts of a run's trials, without times and without which program was run. */
function receiptsOf(store: string): unknown {
  const { receipt } = replayFile(join(folder, store, only(store), 'events.jsonl'));
  const text = JSON.stringify(receipt?.attempts, (key, value: unknown) =>
    ['elapsed_ms', 'argv', 'program_sha256'].includes(key) ? undefined : value,
  );
  return JSON.parse(text);
}

before(async () => {
  await measure(['record', STUDY, ...CHOICE], folder);
  run = only('runs');
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe('measure serve replay', () => {
  it('runs a study again, offline: the same receipts in everything but times', async () => {
    cpSync(STUDY, join(folder, 'again'), { recursive: true });
    const file = join(folder, 'again', 'study.yaml');
    const study = parse(readFileSync(file, 'utf8'));
    const command = [
      'measure',
      'serve',
      'replay',
      run,
      '--trial',
      '{trial}',
      '--store',
      join(folder, 'runs'),
    ];
    study.servers.records.command = command;
    writeFileSync(file, stringify(study));
    const args = ['record', 'again', ...CHOICE, '--store', 'replayed'];
    const { code, stdout } = await measure(args, folder);
    assert.match(stdout, /^trials: 1 completed, 0 failed, 0 skipped of 1$/m);
    assert.equal(code, 0);
    assert.deepEqual(receiptsOf('replayed'), receiptsOf('runs'));
  });

  it('says on stderr what is missing, and nothing on stdout', async () => {
    const trial = await measure(['serve', 'replay', run], folder);
    assert.deepEqual([trial.code, trial.stdout], [2, '']);
    assert.match(trial.stderr, /TRIAL_REQUIRED: this run has 2 trials, .* --trial: .*probe\/warm_cache$/m);
  });

  it('refuses a damaged recording with exit code 3', async () => {
    cpSync(join(folder, 'runs'), join(folder, 'damaged'), { recursive: true });
    const file = join(folder, 'damaged', run, 'events.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"is_error":false', '"is_error":true '));
    const args = ['serve', 'replay', run, '--trial', 'probe/warm_cache', '--store', 'damaged'];
    const { code, stdout, stderr } = await measure(args, folder);
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /events\.jsonl:\d+: RECORDING_DAMAGED: /);
  });
});
