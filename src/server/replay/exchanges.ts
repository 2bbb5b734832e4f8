/** What a trial's recording can answer: each request that was sent to its server, and what came back. */
import type { Event, EventOf } from '../../events/event.js';
import { type Blobs, bytesOf, type Exact } from '../../events/payload.js';
import { Problem } from '../../events/problem.js';
import { inOrder, type RecordedTrial } from '../../events/recorded.js';
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
  { open: { trial }, events }: RecordedTrial,
  file: string,
  blobs: Pick<Blobs, 'getBlob'>,
): Exchange[] {
  const calls = inOrder(events.filter((event) => event.type === 'tool_call'));
  const exchanges: Exchange[] = [];
  const open = new Map<string, Exchange>();
  for (const event of events) {
    if (event.type === 'message') exchanges.push(...pass(open, event, blobs));
    // Calls take the places of calls, in the order in which they were sent.
    const carrier = event.type === 'tool_call' ? calls.shift() : event;
    const known = carrier !== undefined && isCarrier(carrier) ? exchangeOf(carrier, blobs) : [];
    if (known === null) throw withoutBytes(trial, event, file);
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

/** A passing message: a request of the client opens an exchange, a reply completes it. Any other is left out. */
function pass(
  open: Map<string, Exchange>,
  event: EventOf<'message'>,
  blobs: Pick<Blobs, 'getBlob'>,
): Exchange[] {
  const { direction, kind, raw } = event;
  if (direction === 'to_server' && kind === 'request') {
    const reading = readRequest(bytesOf(raw, blobs));
    if (reading.kind !== 'request') return [];
    const exchange: Exchange = { request: reading.request, reply: null, why: 'NO_REPLY' };
    open.set(reading.request.id, exchange);
    return [exchange];
  }
  if (direction !== 'to_client' || kind !== 'response') return [];
  const [id = ''] = idTokens(bytesOf(raw, blobs));
  const asked = open.get(id);
  open.delete(id);
  if (asked !== undefined) Object.assign(asked, { reply: raw, why: null });
  return [];
}

function withoutBytes(trial: string, { seq, type }: Event, file: string): Problem {
  const what = `the ${type} with seq ${seq} of the trial ${trial} was recorded without its bytes, so it cannot be answered`;
  const todo = 'record the run again with this version of measure';
  return new Problem({ code: 'RECORDING_WITHOUT_BYTES', what, todo, file, exit: 3 });
}
