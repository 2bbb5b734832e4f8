/** `measure tap` as a program: passes every byte on at once, and hands copies to a thread that writes the log. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Problem } from '../../events/problem.js';
import { newRunId, Store } from '../../events/store.js';
import { now } from './clock.js';
import { environmentOf } from './environment.js';
import { Listener } from './listener.js';
import { pass } from './pass.js';
import { Spool } from './spool.js';

/** What a person asked for. */
export interface TapOptions {
  store: string;
  /** Part of the run's id. */
  name: string;
  /** Variables that the server is handed beside the usual few; null for the whole environment. */
  handedOn: string[] | null;
  /** Folder that the server is started in. */
  cwd: string;
  /** Folder for a spool in place of a log; null for a log. */
  spool: string | null;
  command: [string, ...string[]];
}

/** Signals that are handed on to the server. */
const FORWARDED = [
  ...(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGCONT'] as const),
];

/**
 * Runs the command in place of this process, as far as a host can tell: stdin, stdout, end of file, signals and exit
 * code pass through, stderr is the server's own, and so is the environment unless it is cut down. Ends this process.
 *
 * Exit codes of its own: 2 for bad arguments, 3 where there can be no log, 127 where there is no such command, and 126
 * where it may not be run. `thread` is the file of the logging thread.
 */
export async function main(args: string[], thread: URL): Promise<void> {
  try {
    await tap(readArguments(args), thread);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exit;
  }
}

async function tap(options: TapOptions, thread: URL): Promise<void> {
  const { store, name, handedOn, cwd, command, spool } = options;
  const run = newRunId(`tap-${name}`, new Date());
  if (spool === null) new Store(store).createRun(run);
  const started_ms = now();
  const [program, ...rest] = command;
  // First of all, so that the server does not wait for anything of ours.
  const env = environmentOf(handedOn);
  const child = spawn(program, rest, { env, cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  const opened = { command, env_names: Object.keys(env).sort(), at_ms: started_ms };
  const listener =
    spool === null
      ? new Listener(thread, { store, run, name, handedOn, command, started_ms, cwd })
      : new Spool(spool, run, opened);
  const forwarded: NodeJS.Signals[] = [];
  const release = forwardSignals(child, forwarded);
  const ended = await pass(child, listener);
  await listener.end({ ...ended, forwarded });
  release();
  if (ended.error !== null) refuse(program, ended.error);
  else if (ended.signal !== null) endBy(ended.signal);
  else process.exit(ended.exit_code ?? 0);
}

/** What a terminal sends to each process of its foreground, the server too. */
const FROM_TERMINALS: NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGHUP'];

/** Whether a terminal signals this process and its children; where the system does not tell, whether we write to one. */
function isInForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    // Behind the name, which may hold anything: state, parent, process group, session, terminal, its foreground group.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[2] === fields[5];
  } catch {
    return process.stderr.isTTY;
  }
}

/** How long a signal to this process may take to end it, in milliseconds. */
const SIGNAL_MS = 200;

/** Ends this process by a signal; by the exit code that a shell gives it, where Node ignores that signal (SIGPIPE). */
function endBy(signal: NodeJS.Signals): void {
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(128 + constants.signals[signal]), SIGNAL_MS);
}

function forwardSignals(child: ChildProcess, forwarded: NodeJS.Signals[]): () => void {
  const hand = (signal: NodeJS.Signals) => {
    forwarded.push(signal);
    if (!FROM_TERMINALS.includes(signal) || !isInForeground()) child.kill(signal);
  };
  for (const signal of FORWARDED) process.on(signal, hand);
  return () => {
    for (const signal of FORWARDED) process.off(signal, hand);
  };
}

function refuse(program: string, error: Error): void {
  const code = 'code' in error ? error.code : '';
  process.stderr.write(`measure tap: ${program} cannot be started: ${error.message}\n`);
  process.exit(code === 'ENOENT' ? 127 : 126);
}

function readArguments(args: string[]): TapOptions {
  const at = args.indexOf('--');
  const { values, positionals } = parse(at < 0 ? args : args.slice(0, at));
  const [program, ...rest] = at < 0 ? positionals : args.slice(at + 1);
  if (program === undefined || (at >= 0 && positionals.length > 0))
    throw misused('there is no command to stand in front of');
  const command: [string, ...string[]] = [program, ...rest];
  const { store = process.env.MEASURE_STORE || 'runs', name = nameOf(command), env, cwd = '.' } = values;
  const spool = values.spool ?? null;
  const handedOn = env === undefined ? null : env.split(',').filter(Boolean);
  return { store, name, handedOn, cwd: resolve(cwd), command, spool };
}

const STRING = { type: 'string' } as const;

function parse(args: string[]) {
  const options = { store: STRING, name: STRING, env: STRING, cwd: STRING, spool: STRING };
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw misused(error instanceof Error ? error.message : String(error));
  }
}

/** A name for the server: that of its script or package, where a runner starts it. */
function nameOf([program, ...rest]: string[]): string {
  const runs = /^(node|npx|bunx?|deno|python3?|uvx?|sh|bash)$/.test(basename(program ?? ''));
  const what = runs ? rest.find((argument) => !argument.startsWith('-')) : undefined;
  return basename(what ?? program ?? '').replace(/\.(m?js|ts|py|sh)$/, '');
}

function misused(what: string): Problem {
  const todo =
    'measure tap [--store DIR] [--name NAME] [--spool DIR] [--env NAMES] [--cwd DIR] -- COMMAND [ARGUMENTS]';
  return new Problem({ code: 'INVALID_ARGUMENTS', what, todo });
}
