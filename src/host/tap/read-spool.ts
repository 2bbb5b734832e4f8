/** Spools read back: frames as they were written, up to where their writer was killed. */
import { z } from 'zod';
import { jsonOf } from '../../events/answer.js';
import type { Frame } from './spool.js';

const direction = z.enum(['to_server', 'to_client']);
const at_ms = z.number();
const frame: z.ZodType<Frame> = z.discriminatedUnion('kind', [
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

/** A frame as it is read back; chunks have their bytes. */
export type SpoolFrame = { frame: Frame; bytes: Buffer };

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
