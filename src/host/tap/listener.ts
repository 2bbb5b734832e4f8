/** The main thread's end of the logging thread: copies go over, and a count of what is still to be written. */
import { Worker } from 'node:worker_threads';
import { now } from './clock.js';
import type { Direction, Ended, Hears } from './pass.js';

/** What the thread has to know of the session. */
export interface Session {
  store: string;
  run: string;
  name: string;
  /** Variables that the server is handed beside the usual few; null for the whole environment. */
  handedOn: string[] | null;
  command: [string, ...string[]];
  cwd: string;
  started_ms: number;
}

/** What the thread is told, in order. Times are of `now`. */
export type Told =
  | { kind: 'started'; pid: number; at_ms: number }
  | { kind: 'chunk'; direction: Direction; bytes: Uint8Array<ArrayBuffer>; at_ms: number }
  | { kind: 'over'; direction: Direction; at_ms: number }
  | { kind: 'end'; exit: Omit<Ended, 'error'>; error: string | null; forwarded: string[]; at_ms: number };

/** What the thread says: so many bytes are written, or the log is complete. */
export type Said = { kind: 'logged'; bytes: number } | { kind: 'closed' };

/** More bytes than this do not wait to be logged: reading pauses. */
const MOST_WAITING = 8 * 1024 * 1024;

/** How long a server may start up alone, in milliseconds, before the thread that logs it does. */
const HEAD_START_MS = 300;
/** Copies go over once nothing has passed for so long, so that logging does not compete with a call that is under way; */
const QUIET_MS = 50;
/** at the latest after so long, */
const LATEST_MS = 1000;
/** or once they are so many bytes. */
const MOST_HELD = 4 * 1024 * 1024;

/**
 * Sends everything to the thread, which is started once the server has said something, or had time to. A thread that
 * fails says so on stderr, and the bytes go on passing.
 */
export class Listener implements Hears {
  readonly #thread: URL;
  readonly #session: Session;
  readonly #over: Promise<void>;
  readonly #quiet: NodeJS.Timeout;
  #finish: () => void = () => undefined;
  #worker: Worker | null = null;
  #spoken = false;
  #held: Told[] = [];
  #heldBytes = 0;
  readonly #mostWaiting: number;
  #waiting = 0;
  #failed = false;
  #waiters: (() => void)[] = [];

  /** With more than `mostWaiting` bytes to be logged, it is not ready for more. */
  constructor(thread: URL, session: Session, mostWaiting: number = MOST_WAITING) {
    this.#mostWaiting = mostWaiting;
    this.#thread = thread;
    this.#session = session;
    this.#over = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#quiet = setTimeout(() => this.#whenQuiet(), QUIET_MS);
  }

  started(pid: number): void {
    this.#tell({ kind: 'started', pid, at_ms: now() });
  }

  chunk(direction: Direction, chunk: Buffer): void {
    if (this.#failed) return;
    const bytes = Uint8Array.from(chunk);
    this.#waiting += bytes.length;
    this.#heldBytes += bytes.length;
    this.#spoken ||= direction === 'to_client';
    this.#tell({ kind: 'chunk', direction, bytes, at_ms: now() });
  }

  over(direction: Direction): void {
    this.#tell({ kind: 'over', direction, at_ms: now() });
  }

  isReady(): boolean {
    return this.#waiting <= this.#mostWaiting || this.#failed;
  }

  async ready(): Promise<void> {
    if (this.isReady()) return;
    await new Promise<void>((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  /** Completes the log. */
  async end({ error, exit_code, signal, forwarded }: Ended & { forwarded: string[] }): Promise<void> {
    const exit = { exit_code, signal };
    this.#tell({ kind: 'end', exit, error: error?.message ?? null, forwarded, at_ms: now() });
    this.#flush();
    clearTimeout(this.#quiet);
    await this.#over;
    await this.#worker?.terminate();
  }

  #tell(told: Told): void {
    this.#held.push(told);
    this.#quiet.refresh();
    if (this.#heldBytes > MOST_HELD || this.#age() > LATEST_MS) this.#flush();
  }

  /** Milliseconds that the oldest of what is held has waited. */
  #age(): number {
    const [oldest] = this.#held;
    return oldest === undefined ? 0 : now() - oldest.at_ms;
  }

  #whenQuiet(): void {
    if (this.#spoken || now() - this.#session.started_ms > HEAD_START_MS) this.#flush();
    else this.#quiet.refresh();
  }

  #flush(): void {
    const worker = this.#worker ?? this.#start();
    const chunks = this.#held.flatMap((told) => (told.kind === 'chunk' ? [told.bytes.buffer] : []));
    if (this.#held.length > 0) worker.postMessage(this.#held, chunks);
    this.#held = [];
    this.#heldBytes = 0;
  }

  #start(): Worker {
    const worker = new Worker(this.#thread, { workerData: this.#session });
    worker.on('message', (said: Said) => {
      if (said.kind === 'closed') this.#finish();
      else this.#logged(said.bytes);
    });
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', () => this.#finish());
    this.#worker = worker;
    return worker;
  }

  #logged(bytes: number): void {
    this.#waiting -= bytes;
    if (this.isReady()) this.#wake();
  }

  /** Both directions may be waiting. */
  #wake(): void {
    for (const wake of this.#waiters.splice(0)) wake();
  }

  #fail(error: Error): void {
    this.#failed = true;
    process.stderr.write(`measure tap: the log ends here, the server goes on: ${error.message}\n`);
    this.#wake();
    this.#finish();
  }
}
