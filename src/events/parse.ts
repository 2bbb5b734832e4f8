/** From the bytes of one line to an event, or to what is wrong with them. The writer reads its own lines through it. */
import { TextDecoder } from 'node:util';
import { statedHash } from './chain.js';
import { DEPTH_LIMIT, deeperThan } from './depth.js';
import { type Event, eventSchema } from './event.js';

/** Why bytes are not an event, looking at nothing but these bytes. */
export type Complaint = { kind: 'nul-run' | 'bad-utf8' | 'bad-json' | 'bad-schema'; detail: string };

/** The event that a line holds, its newline left off. Never throws. Whether its h is right is another question. */
export function parseLine(bytes: Uint8Array): { event: Event } | Complaint {
  if (bytes.length > 0 && isNuls(bytes)) return { kind: 'nul-run', detail: `${bytes.length} NUL bytes` };
  const text = decode(bytes);
  if (text === null) return { kind: 'bad-utf8', detail: 'not valid UTF-8' };
  if (deeperThan(bytes, DEPTH_LIMIT))
    return { kind: 'bad-json', detail: `nested deeper than ${DEPTH_LIMIT} levels` };
  const parsed = parseJson(text);
  return 'detail' in parsed ? { kind: 'bad-json', detail: parsed.detail } : eventOf(parsed.value, bytes);
}

function isNuls(bytes: Uint8Array): boolean {
  return bytes[0] === 0 && bytes.every((byte) => byte === 0);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

function parseJson(text: string): { value: unknown } | { detail: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { detail: error instanceof Error ? error.message : String(error) };
  }
}

function eventOf(value: unknown, bytes: Uint8Array): { event: Event } | Complaint {
  const result = eventSchema.safeParse(value);
  if (!result.success) {
    const issue = result.error.issues[0];
    return {
      kind: 'bad-schema',
      detail: `${issue?.path.join('.') || 'line'}: ${issue?.message ?? 'not an event'}`,
    };
  }
  if (statedHash(bytes) === result.data.h) return { event: result.data };
  return { kind: 'bad-schema', detail: 'h: the line does not begin with it, or has it twice' };
}
