/** One launch of a program in a process group of its own: its output in files, an end in time, and nothing left behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Gate } from '../wire/gate.js';
import { killMarked, signalGroup, sweepGroup } from '../wire/group.js';
import { elapsedSince } from '../wire/time.js';

/** What to start. Exactly this environment, nothing is added. */
export interface LaunchSpec {
  argv: readonly [string, ...string[]];
  env: Record<string, string>;
  cwd: string;
  /** Files for its output, which must not exist yet. */
  stdout: string;
  stderr: string;
  timeoutMs: number;
  /**
   * A `NAME=value` of its environment that no other process here has: what carries it belongs to the launch, in sessions
   * of its own too, as the command's shells are.
   */
  marker: string;
  /** Aborted when the run is ended: the launch is killed at once. */
  signal: AbortSignal;
}

/** How a launch ended. */
export interface LaunchExit {
  exit_code: number | null;
  signal: string | null;
  how: 'exited' | 'timeout' | 'interrupted';
  elapsed_ms: number;
}

export interface Launched {
  exit: LaunchExit;
  /** Why it could not be started, else null. */
  error: Error | null;
  /** Processes that outlived it and were killed. */
  left: number[];
}

/** What the program is given to end after SIGTERM, in milliseconds. */
const SIGTERM_WAIT_MS = 5000;
/** What its servers are given to end after it. */
const SERVERS_WAIT_MS = 3000;
/** A process that survives SIGKILL this long hangs in the kernel; nobody can end it. */
const SIGKILL_WAIT_MS = 5000;

/** Runs a program to its end. Never rejects: what could not be started says so. */
export async function launch(spec: LaunchSpec): Promise<Launched> {
  const started = performance.now();
  const child = start(spec);
  if (child instanceof Error) return notStarted(child, started);
  const ended = new Gate();
  let error: Error | null = null;
  child.once('exit', () => ended.open());
  child.once('error', (failure) => {
    error = failure;
    ended.open();
  });
  const how = await untilEnd(child, ended, spec);
  if (child.pid === undefined) return notStarted(error ?? new Error('no process'), started);
  const left = await sweepGroup(child.pid, spec.marker, how === 'interrupted' ? 0 : SERVERS_WAIT_MS);
  const { exitCode: exit_code, signalCode: signal } = child;
  return { exit: { exit_code, signal, how, elapsed_ms: elapsedSince(started) }, error: null, left };
}

/** Its output goes into files, so that no flood fills our memory and a crash of ours loses none of it. */
function start({ argv: [command, ...args], env, cwd, stdout, stderr }: LaunchSpec): ChildProcess | Error {
  const files = [stdout, stderr].map((file) => openSync(file, 'wx', 0o600));
  try {
    return spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', ...files] });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    for (const file of files) closeSync(file);
  }
}

function notStarted(error: Error, started: number): Launched {
  const exit = { exit_code: null, signal: null, how: 'exited', elapsed_ms: elapsedSince(started) } as const;
  return { exit, error, left: [] };
}

async function untilEnd(
  { pid }: ChildProcess,
  ended: Gate,
  { timeoutMs, signal, marker }: LaunchSpec,
): Promise<LaunchExit['how']> {
  const kill = () => {
    if (pid !== undefined) signalGroup(pid, 'SIGKILL');
    killMarked(marker);
  };
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  const inTime = await ended.within(timeoutMs);
  if (!inTime && !signal.aborted) await endGroup(pid, ended);
  signal.removeEventListener('abort', kill);
  if (signal.aborted) return 'interrupted';
  return inTime ? 'exited' : 'timeout';
}

async function endGroup(pid: number | undefined, ended: Gate): Promise<void> {
  if (pid === undefined) return;
  signalGroup(pid, 'SIGTERM');
  if (await ended.within(SIGTERM_WAIT_MS)) return;
  signalGroup(pid, 'SIGKILL');
  await ended.within(SIGKILL_WAIT_MS);
}
