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

/** What HTTP put around a response. */
const http = z.strictObject({
  status: count.describe('HTTP status'),
  content_type: z.string().nullable().describe('Content type of the response, null where it had none'),
  body_bytes: count.describe('Bytes of the whole response body, as far as it was read'),
  body_sha256: digest.describe('SHA-256 of those bytes'),
});

/** One JSON-RPC request and its response, as bytes on the wire without the newline. */
export const wire = z.strictObject({
  request_bytes: count.describe('Bytes of the request message, newline not counted'),
  request_sha256: digest.describe('SHA-256 of those bytes'),
  response_bytes: count.describe('Bytes of the response message, newline not counted'),
  response_sha256: digest.describe('SHA-256 of those bytes'),
  http: http.optional().describe('Over HTTP: the response that carried the message'),
});

/** Bytes, exactly, in a form that JSON can hold. */
export const exact = z.strictObject({
  as: z
    .enum(['utf8', 'base64', 'blob'])
    .describe(
      'utf8: `data` is the bytes as text; base64: they are not valid UTF-8; blob: over 256 KiB, kept in the store under the SHA-256 that `data` is',
    ),
  data: z.string().describe('Text, base64, or the name of a blob'),
});

/** The messages of one exchange, exactly as they crossed the wire, newlines left off. */
export const raw = z.strictObject({
  request: exact.describe('The request, exactly'),
  response: exact.nullable().describe('The response, exactly; null where none came'),
});
