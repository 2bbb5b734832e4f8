/** Bytes and their digests: the one place that hashes. */
import { createHash } from 'node:crypto';

/** SHA-256 as 64 lower-case hex digits; a string is hashed as its UTF-8 bytes. */
export function sha256(value: string | Uint8Array): string {
  return createHash('sha256').update(value).digest('hex');
}

/** The length of a string in UTF-8 bytes. */
export function utf8Bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
