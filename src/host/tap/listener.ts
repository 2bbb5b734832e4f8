/** The main thread's end of the logging thread: copies go over, and a count of what is still to be written. */
import { Worker } from 'node:worker_threads';
import { now } from './clock.js';
import type { Direction, Ended, Hears } from './pass.js';

/** What the thread has to know of the session. */
export interface Session {
  store: string;
  run: string;
  name: string;
  command: [string, ...string[]];
  cwd: string;
  started_ms: number;
}

/** What the thread is told, in order. Times are of `now`. */
export type Told =
  | { kind: 'started'; pid: number; at_ms: number }
  | { kind: 'chunk'; direction: Direction; bytes: Uint8Array; at_ms: number }
  | { kind: 'over'; direction: Direction; at_ms: number }
  | { kind: 'end'; exit: Omit<Ended, 'error'>; error: string | null; forwarded: string[]; at_ms: number };

/** What the thread says: so many bytes are written, or the log is complete. */
export type Said = { kind: 'logged'; bytes: number } | { kind: 'closed' };

/** More bytes than this do not wait to be logged: reading pauses. */
const MOST_WAITING = 64 * 1024 * 1024;

/** Sends everything to the thread. A thread that fails says so on stderr, and the bytes go on passing. */
export class Listener implements Hears {
  readonly #worker: Worker;
  readonly #over: Promise<void>;
  #waiting = 0;
  #failed = false;
  #wake: () => void = () => undefined;

  constructor(thread: URL, session: Session) {
    this.#worker = new Worker(thread, { workerData: session });
    this.#over = new Promise((resolve) => {
      this.#worker.on('message', (said: Said) => {
        if (said.kind === 'closed') resolve();
        else this.#logged(said.bytes);
      });
      this.#worker.on('error', (error) => this.#fail(error, resolve));
      this.#worker.on('exit', () => resolve());
    });
  }

  started(pid: number): void {
    this.#tell({ kind: 'started', pid, at_ms: now() });
  }

  chunk(direction: Direction, chunk: Buffer): void {
    if (this.#failed) return;
    const bytes = Uint8Array.from(chunk);
    this.#waiting += bytes.length;
    this.#tell({ kind: 'chunk', direction, bytes, at_ms: now() }, [bytes.buffer]);
  }

  over(direction: Direction): void {
    this.#tell({ kind: 'over', direction, at_ms: now() });
  }

  async ready(): Promise<void> {
    if (this.#waiting <= MOST_WAITING || this.#failed) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Completes the log. */
  async end({ error, exit_code, signal, forwarded }: Ended & { forwarded: string[] }): Promise<void> {
    const exit = { exit_code, signal };
    this.#tell({ kind: 'end', exit, error: error?.message ?? null, forwarded, at_ms: now() });
    await this.#over;
  }

  #tell(told: Told, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(told, transfer);
  }

  #logged(bytes: number): void {
    this.#waiting -= bytes;
    if (this.#waiting <= MOST_WAITING) this.#wake();
  }

  #fail(error: Error, resolve: () => void): void {
    this.#failed = true;
    process.stderr.write(`measure tap: the log ends here, the server goes on: ${error.message}\n`);
    this.#wake();
    resolve();
  }
}
