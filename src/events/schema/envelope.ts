/** What every event line carries, whatever its type, and the small shapes that several events share. */
import { z } from 'zod';

/** The version of the event format that this code writes. */
export const FORMAT_VERSION = 1;

export const digest = z.string().regex(/^[0-9a-f]{64}$/);
export const count = z.int().nonnegative();
export const milliseconds = z.number().nonnegative();
/** Any JSON value, passed through by reference so that it is kept exactly. */
export const verbatim = z.unknown();

/** Stamped by the log writer alone; first in every line, in this order. */
export const envelope = {
  h: digest.describe(
    'SHA-256 over the previous h (64 hex digits) and every byte of this line after the first comma',
  ),
  v: z.literal(FORMAT_VERSION).describe('Version of this format'),
  run: z.string().min(1).describe('Run id: UTC time, study name and 64 random bits'),
  seq: count.describe('Place of the event in its log, dense from 0; this is the order of events'),
  at: z.iso.datetime().describe('Wall clock, UTC, milliseconds; for people, never for durations'),
  mono_ns: count.describe('Monotonic clock in nanoseconds since this writer opened the log'),
};

export const trial = z
  .string()
  .min(1)
  .describe(
    'Trial id: task, condition, phrasing and repetition joined by "/" (probes: "probe/" and their name)',
  );

/** One JSON-RPC request and its response, as bytes on the wire without the newline. */
export const wire = z.strictObject({
  request_bytes: count.describe('Bytes of the request line, newline not counted'),
  request_sha256: digest.describe('SHA-256 of those bytes'),
  response_bytes: count.describe('Bytes of the response line, newline not counted'),
  response_sha256: digest.describe('SHA-256 of those bytes'),
});
