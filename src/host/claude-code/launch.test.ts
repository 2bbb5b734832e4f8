/** A launch as a program sees it, with real processes. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { folderFor } from '../study.test.support.js';
import { marked } from '../wire/group.js';
import { launch } from './launch.js';

let launches = 0;

interface Given {
  timeoutMs?: number;
  /** The run is ended once the program has said something. */
  endsRun?: boolean;
}

/** Runs a program for node, or another, to its end, and gives what came of it. */
async function run(test: TestContext, program: string | [string, ...string[]], given: Given = {}) {
  const folder = folderFor(test);
  const [stdout, stderr] = [join(folder, 'out'), join(folder, 'err')];
  const marker = `MEASURE_TEST=${process.pid}-${launches++}`;
  const abort = new AbortController();
  const poll = setInterval(() => {
    if (given.endsRun === true && existsSync(stdout) && statSync(stdout).size > 0) abort.abort();
  }, 20);
  const launched = await launch({
    argv: typeof program === 'string' ? [process.execPath, '-e', program] : program,
    ...{ cwd: folder, stdout, stderr, marker, signal: abort.signal },
    ...{ env: { MEASURE_TEST: marker.slice(marker.indexOf('=') + 1) }, timeoutMs: 20_000, ...given },
  });
  clearInterval(poll);
  assert.deepEqual(marked(marker), []);
  const { elapsed_ms: _, ...exit } = launched.exit;
  return { ...launched, exit, stdout: readFileSync(stdout), stderr: readFileSync(stderr, 'utf8') };
}

/** A shell that does this on SIGTERM, and waits. */
const shell = (onTerm: string): [string, ...string[]] => [
  '/bin/sh',
  '-c',
  `trap '${onTerm}' TERM; while :; do sleep 0.1; done`,
];

describe('a launch', { concurrency: 2 }, () => {
  it('gives output, exit code, and an end of stdin at once', async (test) => {
    const code =
      'process.stdin.on("data", () => 0).on("end", () => { console.log("out"); console.error("err"); process.exitCode = 3 })';
    const { exit, stdout, stderr, left } = await run(test, code);
    assert.deepEqual(exit, { exit_code: 3, signal: null, how: 'exited' });
    assert.deepEqual([stdout.toString(), stderr, left], ['out\n', 'err\n', []]);
  });

  it('has only the environment that it is given', async (test) => {
    const { stdout } = await run(test, 'process.stdout.write(Object.keys(process.env).join())');
    assert.equal(stdout.toString(), 'MEASURE_TEST');
  });

  it('keeps a flood out of our memory', async (test) => {
    const before = process.memoryUsage.rss();
    const { stdout } = await run(
      test,
      'const { writeSync } = require("node:fs"); for (let i = 0; i < 60; i++) writeSync(1, Buffer.alloc(1e6))',
    );
    assert.equal(stdout.length, 60_000_000);
    assert.ok(process.memoryUsage.rss() - before < 150_000_000);
  });

  it('that takes too long is asked to end', async (test) => {
    const { exit } = await run(test, shell('exit 9'), { timeoutMs: 1000 });
    assert.deepEqual(exit, { exit_code: 9, signal: null, how: 'timeout' });
  });

  it('and is killed where it does not', async (test) => {
    const { exit } = await run(test, shell(''), { timeoutMs: 1000 });
    assert.deepEqual(exit, { exit_code: null, signal: 'SIGKILL', how: 'timeout' });
  });

  it('leaves nothing behind: neither in its group nor in a session of its own', async (test) => {
    const code = `const { spawn } = require('node:child_process');
      const start = (detached) => spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e3)'], { detached, stdio: 'ignore' }).pid;
      console.log(JSON.stringify([start(false), start(true)])); process.exit(0)`;
    const { left, stdout } = await run(test, code);
    assert.deepEqual(left, JSON.parse(stdout.toString()));
  });

  it('is killed at once, with all it started, when the run is ended', async (test) => {
    const code = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e3)'], { detached: true });
      setInterval(() => 0, 1e3); console.log('up')`;
    const { exit } = await run(test, code, { endsRun: true });
    assert.deepEqual(exit, { exit_code: null, signal: 'SIGKILL', how: 'interrupted' });
  });

  it('that cannot be started says why', async (test) => {
    const folder = folderFor(test);
    const spec = {
      env: {},
      cwd: folder,
      timeoutMs: 1000,
      marker: 'A=1',
      signal: new AbortController().signal,
    };
    const at = (name: string) => ({
      stdout: join(folder, `${name}.out`),
      stderr: join(folder, `${name}.err`),
    });
    const gone = await launch({ ...spec, argv: ['/no/such/program'], ...at('gone') });
    assert.match(gone.error?.message ?? '', /ENOENT/);
    const large = await launch({ ...spec, argv: [process.execPath, 'x'.repeat(200_000)], ...at('large') });
    assert.match(large.error?.message ?? '', /E2BIG/);
    assert.equal(large.exit.how, 'exited');
  });
});
