/** The public-server study: a server from npm that nobody here wrote, recorded, replayed and graded. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gradeRun } from '../../analysis/grade.js';
import { isVerified, replayFile } from '../../events/replay.js';
import { type RunReceipt, trialsInOrder } from '../../events/run-receipt.js';
import { Store } from '../../events/store.js';
import type { TrialReceipt } from '../../events/trial-receipt.js';
import { type Recording, record } from '../record.js';

const STUDY = fileURLToPath(new URL('../../../data/public-server/', import.meta.url));
const MODULES = fileURLToPath(new URL('../../../node_modules/', import.meta.url));

describe('the public-server study', () => {
  const folder = mkdtempSync(join(tmpdir(), 'measure-public-'));
  const store = join(folder, 'runs');
  let recording: Recording;
  before(async () => {
    recording = await record({ study: STUDY, store, env: {} });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('replays to what was recorded', () => {
    const replayed = replayFile(recording.log);
    assert.equal(isVerified(replayed), true);
    assert.deepEqual(replayed.receipt, recording.receipt);
  });

  it('answers both questions right under every condition, on the required path', () => {
    const { trials } = gradeRun(new Store(store), recording.run, { keys: null, grader: 'test' });
    assert.deepEqual(
      trials.map(({ trial, verdict, tool_path }) => [trial, verdict, tool_path]),
      [
        ['latest-release/all-tools/plain/1', 'pass', 'pass'],
        ['latest-release/two-tools/plain/1', 'pass', 'pass'],
        ['latest-release/whole-files/plain/1', 'pass', 'pass'],
        ['owner-of-restore/all-tools/plain/1', 'pass', 'pass'],
        ['owner-of-restore/two-tools/plain/1', 'pass', 'pass'],
        ['owner-of-restore/whole-files/plain/1', 'pass', 'pass'],
      ],
    );
  });

  it('fails by its tool path alone where the key forbids what the model did', () => {
    const keys = join(folder, 'keys.json');
    const forbidden = '"forbidden": ["read_multiple_files"]';
    writeFileSync(
      keys,
      readFileSync(join(STUDY, 'tasks.json'), 'utf8').replace(/"forbidden": .*/, forbidden),
    );
    const { trials } = gradeRun(new Store(store), recording.run, { keys, grader: 'test' });
    assert.deepEqual(
      trials.filter(({ verdict }) => verdict === 'fail').map(({ trial, reasons }) => [trial, reasons]),
      [
        [
          'latest-release/whole-files/plain/1',
          ['tool path: it requires a reading that shows the newest release, and nothing written'],
        ],
      ],
    );
  });

  it('offers all tools of the server, or the two that a condition names', () => {
    const offered = (condition: string) => trialOf(recording.receipt, condition).tools?.names;
    assert.equal(offered('all-tools')?.length, 14);
    assert.deepEqual(offered('two-tools'), ['read_text_file', 'search_files']);
    assert.deepEqual(offered('whole-files'), ['read_multiple_files', 'directory_tree']);
  });

  it('makes the same calls with 14 tools as with two, and pays for the catalog on each turn', () => {
    const [all, two] = ['all-tools', 'two-tools'].map((name) => trialOf(recording.receipt, name));
    assert.deepEqual(
      all?.calls.map((call) => [call.tool, call.arguments, call.model_facing_sha256]),
      two?.calls.map((call) => [call.tool, call.arguments, call.model_facing_sha256]),
    );
    assert.equal(all?.turns.length, 3);
    const bytes = (trial?: TrialReceipt) => trial?.tools?.bytes ?? 0;
    assert.ok(bytes(all) > 4 * bytes(two), `${bytes(all)} and ${bytes(two)} bytes`);
    const requests = (trial?: TrialReceipt) => trial?.turns.map((turn) => turn.request_bytes ?? 0) ?? [];
    assert.deepEqual(
      requests(all).map((size, turn) => size - (requests(two)[turn] ?? 0)),
      Array(3).fill(bytes(all) - bytes(two)),
    );
  });

  it('reads a whole file where its head would do', () => {
    const read = (condition: string) => trialOf(recording.receipt, condition).calls[1];
    assert.equal(read('whole-files')?.model_facing_bytes, 3068);
    assert.equal(read('two-tools')?.model_facing_bytes, 325);
  });

  it('answers with what the file says, and with nothing where no file is', async () => {
    const copy = join(folder, 'copy');
    cpSync(STUDY, copy, { recursive: true });
    const edit = (file: string, from: string, to: string) =>
      writeFileSync(join(copy, file), readFileSync(join(copy, file), 'utf8').replace(from, to));
    edit('study.yaml', '{study_dir}/../../node_modules/', MODULES);
    edit('files/changelog.md', '## 2.4.1', '## 2.5.0-rc1');
    edit('tasks.json', '"name": "restore"', '"name": "absent"');
    const { receipt } = await record({ study: copy, store, env: {}, conditions: ['two-tools'] });
    assert.deepEqual(
      trialsInOrder(receipt).map(({ answer }) => answer),
      [
        { answer: '2.5.0-rc1', evidenceIds: ['changelog.md'], caveats: [] },
        { answer: 'not in the files that were read', evidenceIds: [], caveats: [] },
      ],
    );
  });
});

/** The trial of the first question under a condition. */
function trialOf(receipt: RunReceipt, condition: string): TrialReceipt {
  const trial = trialsInOrder(receipt).find(
    (each) => each.task === 'latest-release' && each.condition === condition,
  );
  assert.ok(trial);
  return trial;
}
