/** A server process: started as its own process group, always drained, and ended with everything that it started. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { MARK } from './environment.js';
import { Gate } from './gate.js';
import { killMarked, signalGroup, sweepGroup } from './group.js';
import { QUIET_MS, whenQuiet } from './quiet.js';
import { Tail } from './tail.js';
import { elapsedSince } from './time.js';

/** What to start: exactly this environment, nothing is added. */
export interface ChildSpec {
  argv: readonly [string, ...string[]];
  env: Record<string, string>;
  cwd: string;
}

/** Milliseconds that a closing server is given after the end of its stdin, and again after SIGTERM. */
export interface CloseWaits {
  stdin_end_ms: number;
  sigterm_ms: number;
}

const DEFAULT_WAITS: CloseWaits = { stdin_end_ms: 2000, sigterm_ms: 2000 };

/** How a process ended: one of the two is null, or both where it could not be seen. */
export interface ExitFacts {
  exit_code: number | null;
  signal: string | null;
}

/**
 * How a session ended. `exited`: the server had gone by itself; `not_started`: there never was a process; `session_end`:
 * over HTTP, where there is none.
 */
export interface CloseFacts extends ExitFacts {
  how: 'stdin_end' | 'sigterm' | 'sigkill' | 'exited' | 'not_started' | 'session_end';
  /** Milliseconds from the wish to close until the last process was gone. */
  elapsed_ms: number;
}

/** What the owner of a child hears of it. */
interface ChildListener {
  data(chunk: Buffer): void;
  /** Once: no more output will come, because the server exited or closed its stdout. */
  over(): void;
  /** The server no longer reads its stdin, though it was not asked to end. */
  stdinFailed(error: Error): void;
  /** Processes that outlived the server and were killed. */
  leftBehind(pids: number[]): void;
}

/** What a server's own children are given to notice that it is gone. */
const SWEEP_PATIENCE_MS = 100;
/** A process that survives SIGKILL this long hangs in the kernel; nobody can end it. */
const SIGKILL_WAIT_MS = 5000;

/** One child process from its start to the sweep of its group. */
export class ServerProcess {
  readonly #spec: ChildSpec;
  readonly #listener: ChildListener;
  readonly #waits: CloseWaits;
  readonly #stderr = new Tail();
  readonly #exited = new Gate();
  readonly #over = new Gate();
  readonly #mark: string;
  #child: ChildProcessWithoutNullStreams | undefined;
  #exit: ExitFacts | undefined;
  #received = 0;
  #killed = false;
  #ending = false;
  #swept: Promise<void> | undefined;
  #gone = false;
  #closed: Promise<CloseFacts> | undefined;

  constructor(spec: ChildSpec, listener: ChildListener, waits: CloseWaits = DEFAULT_WAITS) {
    this.#spec = spec;
    this.#mark = spec.env[MARK] ?? '';
    this.#listener = listener;
    this.#waits = waits;
  }

  /** Resolves once the process runs. Rejects with the error of the system where it cannot be started. */
  async start(): Promise<void> {
    const [command, ...args] = this.#spec.argv;
    const { cwd, env } = this.#spec;
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => this.#hear(chunk));
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    child.stdin.on('error', (error) => this.#stdinFailed(error));
    child.stdout.on('error', () => this.#awaitQuiet());
    child.stderr.on('error', (error) => this.#stderr.push(Buffer.from(error.message)));
    child.stdout.on('end', () => this.#awaitQuiet());
    child.once('exit', (exit_code, signal) => this.#onExit({ exit_code, signal }));
    child.once('close', () => this.#finish());
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.on('error', reject);
    });
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get stderr(): Readable | null {
    return this.#child?.stderr ?? null;
  }

  /** How the process ended; undefined while it runs, or where it never ran. */
  get exit(): ExitFacts | undefined {
    return this.#exit;
  }

  /** The last 8 KiB of stderr as text. */
  stderrTail(): string {
    return this.#stderr.text();
  }

  /** Resolves when the bytes are with the system. Rejects only after the end of the server has had time to be seen. */
  async write(bytes: Buffer): Promise<void> {
    const failure = await new Promise<Error | null | undefined>((resolve) => {
      if (this.#child === undefined) resolve(new Error('the server was not started'));
      else this.#child.stdin.write(bytes, resolve);
    });
    if (failure instanceof Error) {
      await this.#over.within(QUIET_MS);
      throw failure;
    }
  }

  /** Ends the server: stdin end, SIGTERM, SIGKILL, with the waits between; then its whole group. Never rejects. */
  close(): Promise<CloseFacts> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Sends SIGKILL to the whole group at once. For signal handlers; does nothing once the group is gone. */
  killNow(): void {
    if (this.pid === null || this.#gone) return;
    this.#killed = true;
    signalGroup(this.pid, 'SIGKILL');
    killMarked(this.#mark);
  }

  async #close(): Promise<CloseFacts> {
    const started = performance.now();
    const how = await this.#end();
    if (this.pid !== null) {
      await this.#over.opened;
      await this.#sweep(this.pid);
    }
    const exit = this.#exit ?? { exit_code: null, signal: null };
    return { how, ...exit, elapsed_ms: elapsedSince(started) };
  }

  async #end(): Promise<CloseFacts['how']> {
    const child = this.#child;
    if (child?.pid === undefined) return 'not_started';
    if (this.#exit !== undefined) return this.#killed ? 'sigkill' : 'exited';
    this.#ending = true;
    child.stdin.end();
    if (await this.#exited.within(this.#waits.stdin_end_ms)) return this.#killed ? 'sigkill' : 'stdin_end';
    signalGroup(child.pid, 'SIGTERM');
    if (await this.#exited.within(this.#waits.sigterm_ms)) return this.#killed ? 'sigkill' : 'sigterm';
    signalGroup(child.pid, 'SIGKILL');
    if (!(await this.#exited.within(SIGKILL_WAIT_MS))) this.#finish();
    return 'sigkill';
  }

  #onExit(exit: ExitFacts): void {
    this.#exit = exit;
    this.#exited.open();
    this.#awaitQuiet();
  }

  /** One chunk a turn of the event loop: under a flood, time-outs and signals still have theirs. */
  #hear(chunk: Buffer): void {
    this.#received += chunk.length;
    this.#child?.stdout.pause();
    this.#listener.data(chunk);
    setImmediate(() => this.#child?.stdout.resume());
  }

  /** A broken pipe is mostly the first sign of an exit, so it is a finding of its own only if the server lives on. */
  async #stdinFailed(error: Error): Promise<void> {
    const exited = await this.#exited.within(QUIET_MS);
    if (!exited && !this.#ending) this.#listener.stdinFailed(error);
  }

  /** `close` follows the exit at once, unless somebody else still holds the pipes: then silence must do. */
  #awaitQuiet(): void {
    const stop = whenQuiet(
      () => this.#received,
      () => this.#finish(),
    );
    this.#over.opened.then(stop);
  }

  #finish(): void {
    if (this.#over.isOpen) return;
    this.#over.open();
    this.#child?.stdout.removeAllListeners('data').resume();
    this.#listener.over();
    if (this.pid !== null && this.#exit !== undefined) this.#sweep(this.pid);
  }

  /** Ends what the server left running, once it is gone itself. */
  #sweep(group: number): Promise<void> {
    this.#swept ??= sweepGroup(group, this.#mark, SWEEP_PATIENCE_MS).then((pids) => {
      this.#gone = true;
      for (const stream of this.#child?.stdio ?? []) stream?.destroy();
      if (pids.length > 0) this.#listener.leftBehind(pids);
    });
    return this.#swept;
  }
}
