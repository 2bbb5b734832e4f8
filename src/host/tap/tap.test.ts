/** The tap as a host sees it: every byte, the end, signals and exit codes; and the log that is left. */
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type LogLine, readEvents } from '../../events/reader.js';
import { isVerified, replayFile } from '../../events/replay.js';
import { Store } from '../../events/store.js';
import { filesHolding } from '../study.test.support.js';

const PROGRAM = fileURLToPath(new URL('../../../bin/run.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'measure-tap-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let stores = 0;

interface Tapped {
  tap: ChildProcessWithoutNullStreams;
  store: Store;
  /** What came of it, once it has ended. */
  ended: Promise<{ code: number | null; signal: string | null; stdout: Buffer; stderr: string }>;
}

/** Starts a tap before a command. */
const start = (...command: string[]) => startWith([], {}, command);

/** The same with flags, and variables beside our own. */
function startWith(flags: string[], env: Record<string, string>, command: string[]): Tapped {
  stores += 1;
  const store = new Store(join(folder, `runs-${stores}`));
  const args = [PROGRAM, 'tap', '--store', store.root, ...flags, '--', ...command];
  const tap = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  tap.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  tap.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const ended = new Promise<Awaited<Tapped['ended']>>((resolve) => {
    tap.once('close', (code, signal) =>
      resolve({ code, signal, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() }),
    );
  });
  return { tap, store, ended };
}

/** Before a program for node. */
const before = (code: string) => start(process.execPath, '-e', code);

function logOf(store: Store) {
  const file = store.eventsFile(store.resolveRun('latest'));
  const { events, damage }: { events: ReturnType<typeof readEvents>['events']; damage: LogLine[] } =
    readEvents(file);
  assert.deepEqual(damage, []);
  return { events, replayed: replayFile(file) };
}

const closeOf = (store: Store) => logOf(store).events.find((event) => event.type === 'close');

describe('a tap', { concurrency: 2 }, () => {
  it('passes every byte both ways, whatever it is', async () => {
    const odd = Buffer.concat([
      Buffer.from('{"a":1}\r\n\n\xef\xbb\xbfno json\n'),
      Buffer.from([0xff, 0x00, 0x0a, 0xfe]),
      Buffer.alloc(5_000_000, 'x'),
      Buffer.from('\nno newline at the end'),
    ]);
    const { tap, store, ended } = before('process.stdin.pipe(process.stdout)');
    tap.stdin.end(odd);
    const { code, stdout } = await ended;
    assert.equal(code, 0);
    assert.ok(stdout.equals(odd));
    const faults = logOf(store).events.filter((event) => event.type === 'fault');
    assert.equal(
      faults.filter(({ message }) => message.startsWith('from the client: ')).length * 2,
      faults.length,
    );
    assert.equal(isVerified(logOf(store).replayed), true);
  });

  it('keeps every byte for a host that reads late, though the server has ended', async () => {
    const { tap, ended } = before('process.stdout.write("x".repeat(1_500_000))');
    tap.stdout.pause();
    await delay(1000);
    tap.stdout.resume();
    assert.equal((await ended).stdout.length, 1_500_000);
  });

  it('shows the end of an output at once, though the server lives on, and of an input that nobody reads', async () => {
    const { tap, ended } = before(
      'require("node:fs").closeSync(1); process.stdin.destroy(); setTimeout(() => process.exit(4), 3000)',
    );
    const [closed, refused] = [once(tap.stdout, 'end'), once(tap.stdin, 'error')];
    tap.stdin.write('x'.repeat(1_000_000));
    const write = setInterval(() => tap.stdin.write('more\n'), 100);
    await Promise.all([closed, refused]);
    clearInterval(write);
    assert.equal(tap.exitCode, null);
    assert.equal((await ended).code, 4);
  });

  it('ends as the server ends: with its code', async () => {
    const { store, ended } = before('process.stderr.write("gone"); process.exit(7)');
    const { code, signal, stderr } = await ended;
    assert.deepEqual([code, signal, stderr], [7, null, 'gone']);
    const close = closeOf(store);
    assert.deepEqual(close?.type === 'close' ? [close.exit_code, close.signal, close.how] : [], [
      7,
      null,
      'exited',
    ]);
  });

  it('or by its signal', async () => {
    const { ended } = before('process.kill(process.pid, "SIGKILL")');
    const { code, signal } = await ended;
    assert.deepEqual([code, signal], [null, 'SIGKILL']);
  });

  it('or, where Node ignores that signal, by the code that stands for it', async () => {
    const { ended } = start('sh', '-c', 'kill -PIPE $$');
    const { code, signal } = await ended;
    assert.deepEqual([code, signal], [141, null]);
  });

  it('hands signals on, and lets the server decide what they mean', async () => {
    const { tap, ended } = before(
      'process.on("SIGTERM", () => process.exit(9)); console.log("ready"); process.stdin.resume()',
    );
    tap.stdout.once('data', () => tap.kill('SIGTERM'));
    assert.equal((await ended).code, 9);
  });

  it('tells how a session ended, and what signals the host sent', async () => {
    const { tap, store, ended } = before(
      'process.on("SIGUSR2", () => console.log("reloaded")); console.log("ready"); process.stdin.resume()',
    );
    tap.stdout.once('data', () => {
      tap.kill('SIGUSR2');
      tap.stdout.once('data', () => tap.stdin.end());
    });
    await ended;
    const close = closeOf(store);
    assert.deepEqual(close?.type === 'close' ? [close.how, close.message] : [], [
      ...['stdin_end', 'the host signalled SIGUSR2'],
    ]);
  });

  it('hands on the end of stdin', async () => {
    const { tap, store, ended } = before('process.stdin.resume().on("end", () => console.log("over"))');
    tap.stdin.end();
    assert.equal((await ended).stdout.toString(), 'over\n');
    const close = closeOf(store);
    assert.equal(close?.type === 'close' ? close.how : null, 'stdin_end');
  });

  const KEYS = {
    ANTHROPIC_API_KEY: 'sk-test-0123456789',
    TOKEN_OF_TOOL: 'for the tool',
    OTHER: 'not for it',
  };
  const TELL = [process.execPath, '-e', 'console.log(JSON.stringify(process.env))'];

  it('hands on the whole environment', async () => {
    const { stdout } = await startWith([], KEYS, TELL).ended;
    const { ANTHROPIC_API_KEY, TOKEN_OF_TOOL, OTHER } = JSON.parse(stdout.toString());
    assert.deepEqual({ ANTHROPIC_API_KEY, TOKEN_OF_TOOL, OTHER }, KEYS);
  });

  it('or, where it is told to, the usual few variables and those that are named', async () => {
    const { store, ended } = startWith(['--env', 'TOKEN_OF_TOOL,NOT_SET'], KEYS, TELL);
    const env = JSON.parse((await ended).stdout.toString());
    assert.deepEqual([env.PATH, env.TOKEN_OF_TOOL], [process.env.PATH, KEYS.TOKEN_OF_TOOL]);
    const extra = Object.keys(env).filter(
      (name) => !/^(PATH|HOME|LANG|LC_ALL|TMPDIR|USER|LOGNAME|SHELL|TERM)$/.test(name),
    );
    assert.deepEqual(extra.sort(), ['MEASURE_SERVER', 'TOKEN_OF_TOOL']);
    assert.deepEqual(filesHolding(store.root, KEYS.ANTHROPIC_API_KEY), []);
  });

  it('starts the server in the folder that it is told', async () => {
    const { stdout } = await startWith(['--cwd', folder], {}, [process.execPath, '-p', 'process.cwd()'])
      .ended;
    assert.equal(stdout.toString(), `${realpathSync(folder)}\n`);
  });

  it('that is killed leaves the log so far, and the server sees its end', async () => {
    const flag = join(folder, 'ended');
    const { tap, store, ended } = before(
      `process.stdin.resume().on('end', () => require('node:fs').writeFileSync(${JSON.stringify(flag)}, ''));
       console.log('{"jsonrpc":"2.0","method":"up"}')`,
    );
    const file = () => store.eventsFile(store.resolveRun('latest'));
    await until(() => store.runs().length > 0 && existsSync(file()) && readEvents(file()).events.length > 2);
    tap.kill('SIGKILL');
    await ended;
    await until(() => existsSync(flag));
    assert.deepEqual(
      readEvents(file()).events.map(({ type }) => type),
      ['run_open', 'trial_open', 'message'],
    );
  });

  it('before a command that is not there says so, and exits as a shell would', async () => {
    const { store, ended } = start('no-such-program-here');
    const { code, stderr } = await ended;
    assert.equal(code, 127);
    assert.match(stderr, /no-such-program-here cannot be started: .*ENOENT/);
    const close = closeOf(store);
    assert.equal(close?.type === 'close' ? close.failure : null, 'SERVER_START_FAILED');
  });

  it('that can keep no log does not start the server', async () => {
    writeFileSync(join(folder, 'file'), '');
    const args = ['tap', '--store', join(folder, 'file'), '--', process.execPath, '-e', 'console.log("up")'];
    const tap = spawn(process.execPath, [PROGRAM, ...args]);
    const out: Buffer[] = [];
    tap.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    const code = await new Promise((resolve) => tap.once('close', resolve));
    assert.deepEqual([code, out.length], [3, 0]);
  });
});

describe('a real client through a tap', () => {
  it('finds the server that is behind it', async () => {
    const everything = fileURLToPath(
      new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
    );
    const store = new Store(join(folder, 'real'));
    const args = [
      PROGRAM,
      'tap',
      '--store',
      store.root,
      '--name',
      'everything',
      '--',
      process.execPath,
      everything,
    ];
    const client = new Client({ name: 'host', version: '1' }, { capabilities: {} });
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
    const { tools } = await client.listTools();
    const { content } = await client.callTool({ name: 'echo', arguments: { message: 'é' } });
    await client.close();
    await until(() => logOf(store).replayed.receipt?.status === 'completed');
    const trial = logOf(store).replayed.receipt?.attempts[0];
    assert.match(store.resolveRun('latest'), /-tap-everything-/);
    assert.deepEqual(trial?.catalog.length, tools.length);
    assert.deepEqual(
      trial?.calls.map((call) => [call.tool, call.content]),
      [['echo', content]],
    );
    assert.equal(trial?.server?.name, 'mcp-servers/everything');
  });
});

/** Waits until something holds; a test that waits for ever is ended by its runner. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}
