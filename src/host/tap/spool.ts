/**
 * A spool: what passes, written into a file as it passes, for a host that kills its servers half a second after it asked
 * them to end. Frames of one line of JSON, some with bytes behind it; `heard.ts` reads them and makes events of them.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDirectory } from '../../events/durable.js';
import { now } from './clock.js';
import type { Direction, Ended, Hears } from './pass.js';

/** What stands before the bytes of a frame. */
export type Frame =
  | { kind: 'opened'; command: string[]; env_names: string[]; at_ms: number }
  | { kind: 'started'; pid: number; at_ms: number }
  | { kind: 'chunk'; direction: Direction; length: number; at_ms: number }
  | { kind: 'over'; direction: Direction; at_ms: number }
  | { kind: 'ended'; at_ms: number };

const NO_BYTES = Buffer.alloc(0);

/**
 * Writes one session. Nothing waits in this process, so that a killed one loses nothing of what it passed on. Where the
 * file cannot be written, it ends this process, and with it the session: exit code 3.
 */
export class Spool implements Hears {
  readonly #descriptor: number;

  constructor(
    folder: string,
    name: string,
    opened: { command: string[]; env_names: string[]; at_ms: number },
  ) {
    ensureDirectory(folder);
    this.#descriptor = openSync(join(folder, `${name}.spool`), 'ax', 0o600);
    this.#write({ kind: 'opened', ...opened });
  }

  started(pid: number): void {
    this.#write({ kind: 'started', pid, at_ms: now() });
  }

  chunk(towards: Direction, bytes: Buffer): void {
    this.#write({ kind: 'chunk', direction: towards, length: bytes.length, at_ms: now() }, bytes);
  }

  over(towards: Direction): void {
    this.#write({ kind: 'over', direction: towards, at_ms: now() });
  }

  isReady(): boolean {
    return true;
  }

  async ready(): Promise<void> {}

  async end(_ended: Ended): Promise<void> {
    this.#write({ kind: 'ended', at_ms: now() });
    closeSync(this.#descriptor);
  }

  #write(head: Frame, bytes: Buffer = NO_BYTES): void {
    const whole = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes]);
    try {
      for (let at = 0; at < whole.length; ) at += writeSync(this.#descriptor, whole, at);
    } catch (error) {
      process.stderr.write(`measure tap: what passes cannot be kept: ${String(error)}\n`);
      process.exit(3);
    }
  }
}
