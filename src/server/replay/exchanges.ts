/** What a trial's recording can answer: each request that was sent to its server, and what came back. */
import type { Event, EventOf } from '../../events/event.js';
import { type Blobs, bytesOf, type Exact } from '../../events/payload.js';
import { Problem } from '../../events/problem.js';
import type { RecordedTrial } from '../../events/recorded.js';
import { idTokens } from './reply.js';
import { callOf, type Request, readRequest } from './request.js';

/** One request and its reply. */
export interface Exchange {
  request: Request;
  /** Null where the server never answered. */
  reply: Exact | null;
  /** Why there is no reply, as a code of the log. */
  why: string | null;
}

type Carrier = EventOf<'handshake' | 'catalog' | 'tool_call'>;

/**
 * The exchanges of a trial, in the order in which the log has them. Throws `RECORDING_WITHOUT_BYTES` where an answered
 * one was recorded without its bytes, and what `getBlob` throws. Notifications and requests of the server are left out.
 */
export function exchangesOf(
  { open, events }: RecordedTrial,
  file: string,
  blobs: Pick<Blobs, 'getBlob'>,
): Exchange[] {
  const exchanges: Exchange[] = [];
  for (const event of events) {
    if (event.type === 'message') pass(exchanges, event, blobs);
    const known = isCarrier(event) ? exchangeOf(event, blobs) : [];
    if (known === null) throw withoutBytes(open.trial, event, file);
    exchanges.push(...known);
  }
  return exchanges;
}

function isCarrier(event: Event): event is Carrier {
  return event.type === 'handshake' || event.type === 'catalog' || event.type === 'tool_call';
}

/** None for a call that was never sent; null where the bytes are missing. */
function exchangeOf(event: Carrier, blobs: Pick<Blobs, 'getBlob'>): Exchange[] | null {
  const why = event.type === 'tool_call' ? (event.error_code ?? null) : null;
  if (event.raw === undefined) return event.type === 'tool_call' ? unsent(event) : null;
  const reading = readRequest(bytesOf(event.raw.request, blobs));
  if (reading.kind !== 'request') return null;
  return [{ request: reading.request, reply: event.raw.response, why }];
}

/** A call without bytes: not sent at all, or sent to a server that was gone. */
function unsent(event: EventOf<'tool_call'>): Exchange[] | null {
  const code = event.error_code ?? event.error;
  if (code === 'UNADVERTISED_TOOL' || code === 'ARGUMENTS_NOT_AN_OBJECT') return [];
  if (event.error_code === undefined || event.error_code === null) return null;
  return [{ request: callOf(event.tool, event.arguments), reply: null, why: event.error_code }];
}

/** A passing message: a request of the client, or the reply to one. Any other is left out. */
function pass(exchanges: Exchange[], event: EventOf<'message'>, blobs: Pick<Blobs, 'getBlob'>): void {
  if (event.direction === 'to_server' && event.kind === 'request') {
    const reading = readRequest(bytesOf(event.raw, blobs));
    if (reading.kind === 'request')
      exchanges.push({ request: reading.request, reply: null, why: 'NO_REPLY' });
  }
  if (event.direction !== 'to_client' || event.kind !== 'response') return;
  const [id] = idTokens(bytesOf(event.raw, blobs));
  const asked = exchanges.findLast(({ request, reply }) => reply === null && request.id === id);
  if (asked === undefined) return;
  asked.reply = event.raw;
  asked.why = null;
}

function withoutBytes(trial: string, { seq, type }: Event, file: string): Problem {
  const what = `the ${type} with seq ${seq} of the trial ${trial} was recorded without its bytes, so it cannot be answered`;
  const todo = 'record the run again with this version of measure';
  return new Problem({ code: 'RECORDING_WITHOUT_BYTES', what, todo, file, exit: 3 });
}
