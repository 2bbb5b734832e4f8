/** Where launches live, and what is left of that. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { folderFor } from '../study.test.support.js';
import { clearWork, closePlace, emptyWork, openPlace, type Place, workRoot } from './home.js';

/** Of this file alone: whatever others launch at the same time has its working folders elsewhere. */
const temporary = mkdtempSync(join(tmpdir(), 'measure-home-'));
before(() => {
  process.env.TMPDIR = temporary;
});
after(() => rmSync(temporary, { recursive: true, force: true }));

/** Opens a place that is gone when the test ends. */
function open(test: TestContext, runFolder: string, key: string, kept = false): Place {
  const place = openPlace({ runFolder, key, kept });
  test.after(() => closePlace(place, { evidence: 'logged' }));
  return place;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('a place to launch in', () => {
  it('has a home below the run, and a working folder that tells nothing of it', (test) => {
    const run = folderFor(test);
    const { folder, home, tap, work, cwd, tmp } = open(test, run, 'q1/vague/bare/1 1 1');
    assert.equal(dirname(folder), join(run, 'claude-code'));
    assert.match(folder, /\/[0-9a-f]{12}$/);
    assert.deepEqual([home, tap], [join(folder, 'home'), join(folder, 'tap')]);
    assert.equal(dirname(work), tmpdir());
    assert.match(work, /\/work-\d+$/);
    assert.deepEqual([folder, home, work, cwd, tmp].map(modeOf), ['700', '700', '700', '700', '700']);
    assert.deepEqual(readdirSync(cwd), []);
  });

  it('is another for each launch; one after another work in the same folder', (test) => {
    const run = folderFor(test);
    const first = open(test, run, '1');
    const beside = open(test, run, '2');
    assert.notEqual(beside.work, first.work);
    closePlace(first, { evidence: 'logged' });
    const next = open(test, run, '3');
    assert.equal(next.work, first.work);
    assert.notEqual(next.home, first.home);
  });

  it('is the same again where it is kept, with what the home holds and without what the last left to work on', (test) => {
    const run = folderFor(test);
    const first = open(test, run, 'q1/vague', true);
    writeFileSync(join(first.home, 'state'), 'known');
    writeFileSync(join(first.cwd, 'left'), '');
    const again = open(test, run, 'q1/vague', true);
    emptyWork(again);
    assert.deepEqual(again, first);
    assert.deepEqual([readdirSync(again.home), readdirSync(again.cwd)], [['state'], []]);
    assert.notEqual(open(test, run, 'q1/clear', true).cwd, first.cwd);
  });

  it('is gone when all of it is in the log, and keeps its evidence where it is not', (test) => {
    const run = folderFor(test);
    const [logged, killed] = [open(test, run, '1'), open(test, run, '2')];
    closePlace(logged, { evidence: 'logged' });
    closePlace(killed, { evidence: 'needed' });
    assert.deepEqual([logged.folder, logged.work, killed.folder, killed.work].map(existsSync), [
      ...[false, false],
      ...[true, false],
    ]);
  });

  it('whose process was killed is cleared of its working folder, unless that is another by now', (test) => {
    const run = folderFor(test);
    const [killed, other] = [open(test, run, '1'), open(test, run, '2')];
    rmSync(other.work, { recursive: true });
    mkdirSync(join(tmpdir(), 'between'));
    renameSync(join(tmpdir(), 'between'), other.work);
    clearWork(run);
    assert.deepEqual([killed.work, killed.home, other.work].map(existsSync), [false, true, true]);
  });

  it('is in no git repository, whose commits the model would be told', (test) => {
    const repository = folderFor(test);
    mkdirSync(join(repository, '.git'));
    process.env.TMPDIR = repository;
    test.after(() => {
      process.env.TMPDIR = temporary;
    });
    assert.throws(workRoot, { code: 'WORK_FOLDER', message: /set TMPDIR/ });
  });
});
