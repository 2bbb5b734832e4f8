/**
 * A spool: what passes, written into a file as it passes, for a host that kills its servers half a second after it asked
 * them to end. Frames of one line of JSON, some with bytes behind it; `heard.ts` makes events of them.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { jsonOf } from '../../events/answer.js';
import { ensureDirectory } from '../../events/durable.js';
import { now } from './clock.js';
import type { Direction, Ended, Hears } from './pass.js';

const direction = z.enum(['to_server', 'to_client']);
const at_ms = z.number();
const frame = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('opened'),
    command: z.array(z.string()),
    env_names: z.array(z.string()),
    at_ms,
  }),
  z.strictObject({ kind: z.literal('started'), pid: z.int(), at_ms }),
  z.strictObject({ kind: z.literal('chunk'), direction, length: z.int().nonnegative(), at_ms }),
  z.strictObject({ kind: z.literal('over'), direction, at_ms }),
  z.strictObject({ kind: z.literal('ended'), at_ms }),
]);

type Frame = z.infer<typeof frame>;

/** A frame as it is read back; chunks have their bytes. */
export type SpoolFrame = { frame: Frame; bytes: Buffer };

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

/** The frames of a spool, in order. One whose writer was killed in the middle of a frame ends before it. */
export function* readSpool(spool: Buffer): Generator<SpoolFrame> {
  for (let at = 0; at < spool.length; ) {
    const end = spool.indexOf(0x0a, at);
    const parsed = frame.safeParse(end < 0 ? undefined : jsonOf(spool.toString('utf8', at, end)));
    if (!parsed.success) return;
    const head = parsed.data;
    const length = head.kind === 'chunk' ? head.length : 0;
    const bytes = spool.subarray(end + 1, end + 1 + length);
    if (bytes.length < length) return;
    yield { frame: head, bytes };
    at = end + 1 + length;
  }
}
