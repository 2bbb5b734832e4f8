/** Payloads: bytes in a form that a line can hold, and those that are too many for a line in blobs beside it. */
import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { joinedText, jsonOf } from './answer.js';
import { sha256 } from './bytes.js';
import type { BodyOf, Event } from './event.js';
import { jsonParts } from './json-parts.js';
import type { exact } from './schema/envelope.js';

/** Bytes, exactly: as text, as base64, or by the name of a blob. */
export type Exact = z.infer<typeof exact>;

/** Payloads over this many bytes are kept as blobs: 256 KiB. */
export const INLINE_LIMIT = 256 * 1024;

/** Where blobs are kept, by their SHA-256. */
export interface Blobs {
  /** Keeps bytes, durably. `hash` is theirs, where it is known. */
  putBlob(bytes: Uint8Array, hash?: string): unknown;
  /** The same for bytes that come in parts. */
  putParts(parts: Iterable<string | Uint8Array>, hash: string): unknown;
  /** The bytes of that hash. Throws where they are not there, or are not those. */
  getBlob(hash: string): Buffer;
}

/** Where blobs are put. */
export type KeepsBlobs = Pick<Blobs, 'putBlob' | 'putParts'>;

/** The bytes in the form that a line holds; over `INLINE_LIMIT` they are kept as a blob first. */
export function exactOf(bytes: Buffer, blobs: KeepsBlobs): Exact {
  if (bytes.length > INLINE_LIMIT) {
    const hash = sha256(bytes);
    blobs.putBlob(bytes, hash);
    return { as: 'blob', data: hash };
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
 * A call as its line holds it: payloads over `INLINE_LIMIT` are kept as blobs, and its fields for them are empty. What
 * it states as their hashes must be that. A text that is not valid UTF-8 stays in the line.
 */
export function withBlobs(call: BodyOf<'tool_call'>, blobs: KeepsBlobs): BodyOf<'tool_call'> {
  const { content_bytes, model_facing_bytes, model_facing_text: text } = call;
  const moved: NonNullable<typeof call.in_blobs> = [];
  if (content_bytes > INLINE_LIMIT) {
    blobs.putParts(jsonParts(call.content), call.content_sha256);
    moved.push('content');
  }
  if ((model_facing_bytes ?? 0) > INLINE_LIMIT) {
    if (moved.length > 0 && text === joinedText(call.content)) moved.push('text_of_content');
    else if (kept(text, call.model_facing_sha256, blobs)) moved.push('model_facing_text');
  }
  if (moved.length === 0) return call;
  const content = moved.includes('content') ? [] : call.content;
  return { ...call, content, model_facing_text: moved.some(isText) ? null : text, in_blobs: moved };
}

function isText(field: string): boolean {
  return field !== 'content';
}

function kept(text: string | null, hash: string | null, blobs: KeepsBlobs): boolean {
  if (text === null || hash === null || /\p{Surrogate}/u.test(text)) return false;
  blobs.putBlob(Buffer.from(text, 'utf8'), hash);
  return true;
}

/** An event with its payloads from blobs. Throws where a blob is not there, or is not what its hash says. */
export function hydrated(event: Event, blobs: Pick<Blobs, 'getBlob'>): Event {
  if (event.type !== 'tool_call' || event.in_blobs === undefined) return event;
  const whole = { ...event };
  for (const field of event.in_blobs) {
    if (field === 'content') whole.content = contentOf(blobs.getBlob(event.content_sha256));
    else if (field === 'text_of_content') whole.model_facing_text = joinedText(whole.content);
    else if (event.model_facing_sha256 !== null)
      whole.model_facing_text = blobs.getBlob(event.model_facing_sha256).toString('utf8');
  }
  return whole;
}

function contentOf(bytes: Buffer): unknown[] {
  const value = jsonOf(bytes.toString('utf8'));
  return Array.isArray(value) ? value : [];
}
