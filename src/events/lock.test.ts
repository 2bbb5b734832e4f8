/** One writer a run, also across processes, and none where a process was killed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { folderFor } from './events.test.support.js';
import { holdingGrades, lockRun } from './lock.js';

const LOCKED = { code: 'RUN_LOCKED', exit: 3 };

describe('a lock', { skip: process.platform === 'linux' ? false : 'Linux only' }, () => {
  it('is held once, by whatever path, until it is given back', async (test) => {
    const folder = folderFor(test);
    const link = join(folderFor(test), 'link');
    symlinkSync(folder, link);
    const unlock = await lockRun(folder);
    await assert.rejects(lockRun(folder), LOCKED);
    await assert.rejects(lockRun(link), LOCKED);
    unlock();
    (await lockRun(link))();
  });

  it('on the verdicts of runs is another one, held while something is done, whatever comes of it', async (test) => {
    const [folder, other] = [folderFor(test), folderFor(test)];
    const unlock = await lockRun(folder);
    const inside = () => holdingGrades([folder], () => 'second');
    await assert.rejects(holdingGrades([other, folder, folder], inside), { code: 'GRADES_LOCKED', exit: 3 });
    assert.equal(await holdingGrades([folder, other], () => 'free again'), 'free again');
    unlock();
  });

  it('of a process that is killed is free', async (test) => {
    const folder = folderFor(test);
    const lock = JSON.stringify(new URL('./lock.js', import.meta.url).href);
    const program = `
      const { lockRun } = await import(${lock});
      await lockRun(${JSON.stringify(folder)});
      process.stdout.write('held');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    test.after(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    await assert.rejects(lockRun(folder), LOCKED);
    child.kill('SIGKILL');
    await once(child, 'close');
    (await lockRun(folder))();
  });
});
