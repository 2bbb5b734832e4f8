/** Payloads: bytes in a form that a line can hold, and those that are too many for a line in blobs beside it. */
import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { jsonOf } from './answer.js';
import { sha256 } from './bytes.js';
import type { BodyOf, Event } from './event.js';
import type { exact } from './schema/envelope.js';

/** Bytes, exactly: as text, as base64, or by the name of a blob. */
export type Exact = z.infer<typeof exact>;

/** Payloads over this many bytes are kept as blobs: 256 KiB. */
export const INLINE_LIMIT = 256 * 1024;

/** Where blobs are kept, by their SHA-256. */
export interface Blobs {
  /** Keeps bytes, durably. */
  putBlob(bytes: Uint8Array): unknown;
  /** The bytes of that hash. Throws where they are not there, or are not those. */
  getBlob(hash: string): Buffer;
}

/** The bytes in the form that a line holds; over `INLINE_LIMIT` they are kept as a blob first. */
export function exactOf(bytes: Buffer, blobs: Pick<Blobs, 'putBlob'>): Exact {
  if (bytes.length > INLINE_LIMIT) {
    blobs.putBlob(bytes);
    return { as: 'blob', data: sha256(bytes) };
  }
  return isUtf8(bytes)
    ? { as: 'utf8', data: bytes.toString('utf8') }
    : { as: 'base64', data: bytes.toString('base64') };
}

/** The bytes again. Throws where they are in a blob that is not there. */
export function bytesOf({ as, data }: Exact, blobs: Pick<Blobs, 'getBlob'>): Buffer {
  if (as === 'blob') return blobs.getBlob(data);
  return Buffer.from(data, as);
}

/**
 * A call as its line holds it: payloads over `INLINE_LIMIT` are kept as blobs, and its fields for them are empty. A
 * payload that is not the bytes of its stated hash (something was redacted, or is no valid text) stays in the line.
 */
export function withBlobs(call: BodyOf<'tool_call'>, blobs: Pick<Blobs, 'putBlob'>): BodyOf<'tool_call'> {
  const { content, content_bytes, model_facing_text: text } = call;
  const moved: NonNullable<typeof call.in_blobs> = [];
  if (content_bytes > INLINE_LIMIT && kept(JSON.stringify(content), call.content_sha256, blobs))
    moved.push('content');
  if ((call.model_facing_bytes ?? 0) > INLINE_LIMIT && kept(text, call.model_facing_sha256, blobs))
    moved.push('model_facing_text');
  if (moved.length === 0) return call;
  return {
    ...call,
    content: moved.includes('content') ? [] : content,
    model_facing_text: moved.includes('model_facing_text') ? null : text,
    in_blobs: moved,
  };
}

function kept(text: string | null, hash: string | null, blobs: Pick<Blobs, 'putBlob'>): boolean {
  if (text === null || /\p{Surrogate}/u.test(text)) return false;
  const bytes = Buffer.from(text, 'utf8');
  if (sha256(bytes) !== hash) return false;
  blobs.putBlob(bytes);
  return true;
}

/** An event with its payloads from blobs. Throws where a blob is not there, or is not what its hash says. */
export function hydrated(event: Event, blobs: Pick<Blobs, 'getBlob'>): Event {
  if (event.type !== 'tool_call' || event.in_blobs === undefined) return event;
  const whole = { ...event };
  for (const field of event.in_blobs) {
    if (field === 'content') whole.content = contentOf(blobs.getBlob(event.content_sha256));
    else if (event.model_facing_sha256 !== null)
      whole.model_facing_text = blobs.getBlob(event.model_facing_sha256).toString('utf8');
  }
  return whole;
}

function contentOf(bytes: Buffer): unknown[] {
  const value = jsonOf(bytes.toString('utf8'));
  return Array.isArray(value) ? value : [];
}
