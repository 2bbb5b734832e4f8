/** How a server is ended: in stages, with everything that it started, whatever it does about it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CloseWaits, ServerProcess } from './child.js';
import { livingMembers } from './group.js';
import { program } from './stand-in.test.support.js';

const waits = { stdin_end_ms: 300, sigterm_ms: 300 };

/** A running process that has written its first output, and what was heard of it. */
async function started(code: string, wait: CloseWaits = waits) {
  const heard = { over: 0, left: [] as number[], stdin: '' };
  let ready: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const listener = {
    data: () => ready(),
    over: () => heard.over++,
    stdinFailed: (error: Error) => {
      heard.stdin = error.message;
    },
    leftBehind: (pids: number[]) => heard.left.push(...pids),
  };
  const child = new ServerProcess({ argv: program(code), env: {}, cwd: '/' }, listener, wait);
  await child.start();
  await first;
  return { child, heard, pid: child.pid ?? 0 };
}

const STAY = `setInterval(() => 0, 1000); console.log('up');`;
const GRANDCHILD = `require('node:child_process').spawn(process.execPath, ['-e', "setInterval(() => 0, 1000)"], { stdio: 'inherit' });`;

describe('a server', () => {
  it('that ends with its stdin is left to do so', async () => {
    const { child, heard } = await started(
      `process.stdin.on('end', () => process.exit(4)).resume(); console.log('up')`,
      {
        stdin_end_ms: 5000,
        sigterm_ms: 5000,
      },
    );
    const { how, exit_code, signal } = await child.close();
    assert.deepEqual([how, exit_code, signal, heard.over], ['stdin_end', 4, null, 1]);
  });

  it('that ignores the end of its stdin gets SIGTERM', async () => {
    const { child } = await started(STAY);
    const { how, exit_code, signal } = await child.close();
    assert.deepEqual([how, exit_code, signal], ['sigterm', null, 'SIGTERM']);
  });

  it('that ignores SIGTERM gets SIGKILL', async () => {
    const { child, pid } = await started(`process.on('SIGTERM', () => 0); ${STAY}`);
    const { how, signal, elapsed_ms } = await child.close();
    assert.deepEqual([how, signal, livingMembers(pid)], ['sigkill', 'SIGKILL', []]);
    assert.ok(elapsed_ms >= 590 && elapsed_ms < 3000);
  });

  it('that exits leaves no process behind, even one that holds its stdout', async () => {
    const { child, heard, pid } = await started(
      `${GRANDCHILD} console.log('up'); process.stdin.on('end', () => process.exit(0)).resume()`,
    );
    const { how, exit_code } = await child.close();
    assert.deepEqual([how, exit_code, heard.left.length, livingMembers(pid)], ['stdin_end', 0, 1, []]);
  });

  it('that is stopped by SIGTERM takes its own children along', async () => {
    const { child, heard, pid } = await started(`${GRANDCHILD} ${STAY}`);
    const { how } = await child.close();
    assert.deepEqual([how, heard.left, livingMembers(pid)], ['sigterm', [], []]);
  });

  it('can be killed at once with its whole group, and says so when it is closed afterwards', async () => {
    const { child, pid } = await started(`process.on('SIGTERM', () => 0); ${GRANDCHILD} ${STAY}`);
    child.killNow();
    const { how, signal } = await child.close();
    assert.deepEqual([how, signal, livingMembers(pid)], ['sigkill', 'SIGKILL', []]);
  });

  it('is closed once, however often it is asked', async () => {
    const { child } = await started(STAY);
    assert.equal(await child.close(), await child.close());
  });

  it('that closes its stdin breaks a write, not this process', async () => {
    const { child, heard } = await started(`require('node:fs').closeSync(0); ${STAY}`);
    await assert.rejects(child.write(Buffer.alloc(1_000_000)), { code: 'EPIPE' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.match(heard.stdin, /EPIPE/);
    await child.close();
  });

  it('that has gone already is said to have exited', async () => {
    const { child } = await started(`console.log('up')`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { how, exit_code } = await child.close();
    assert.deepEqual([how, exit_code], ['exited', 0]);
  });

  it('that could not be started has nothing to close', async () => {
    const listener = { data: () => 0, over: () => 0, stdinFailed: () => 0, leftBehind: () => 0 };
    const child = new ServerProcess({ argv: ['no-such-program'], env: {}, cwd: '/' }, listener);
    await assert.rejects(child.start(), { code: 'ENOENT' });
    child.killNow();
    assert.equal((await child.close()).how, 'not_started');
  });
});
