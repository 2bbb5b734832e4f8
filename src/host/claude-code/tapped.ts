/** What the tap in front of a server heard in one launch, as events of the trial. */
import { existsSync } from 'node:fs';
import type { BodyOf, Event } from '../../events/event.js';
import { bytesOf, type Exact, hydrated } from '../../events/payload.js';
import { readEvents } from '../../events/reader.js';
import { Store } from '../../events/store.js';
import { hostFault } from './fault.js';

/** An event of a tapped session, for the trial that it belongs to. */
export type TappedBody =
  | BodyOf<'handshake'>
  | BodyOf<'catalog'>
  | BodyOf<'tool_call'>
  | BodyOf<'message'>
  | BodyOf<'fault'>;

/** Ids of the sessions that a tap's store holds, oldest first. */
export function sessionsIn(tap: string): string[] {
  return new Store(tap).runs();
}

/** Whom the events are for, and what keeps bytes that were in a blob of the tap's store. */
export interface Taker {
  trial: string;
  exact(bytes: Buffer): Exact;
}

/**
 * The events of sessions in a tap's store, in order; a host that connects again has its sessions one after another.
 * Payloads come whole. A log that lacks its end was written by a tap that was killed: a fault says so.
 */
export function readTapped(tap: string, sessions: string[], taker: Taker): TappedBody[] {
  const store = new Store(tap);
  return sessions.flatMap((session) => {
    const file = store.eventsFile(session);
    if (!existsSync(file)) return [cut(taker.trial)];
    const { events, damage } = readEvents(file);
    const bodies = events.flatMap((event) => bodyOf(hydrated(event, store), store, taker));
    const isWhole = damage.length === 0 && events.some(({ type }) => type === 'run_close');
    return isWhole ? bodies : [...bodies, cut(taker.trial)];
  });
}

function bodyOf(event: Event, store: Store, { trial, exact }: Taker): TappedBody[] {
  const { h: _h, v: _v, run: _run, seq: _seq, at: _at, mono_ns: _ns, ...body } = event;
  const kept = (bytes: Exact) => (bytes.as === 'blob' ? exact(bytesOf(bytes, store)) : bytes);
  const exchange = (raw: Exchange): { raw: Exchange } => {
    const response = raw.response === null ? null : kept(raw.response);
    return { raw: { request: kept(raw.request), response } };
  };
  switch (body.type) {
    case 'handshake':
    case 'catalog':
      return [{ ...body, trial, ...(body.raw === undefined ? {} : exchange(body.raw)) }];
    case 'tool_call': {
      const { in_blobs: _blobs, ...whole } = body;
      return [{ ...whole, trial, ...(whole.raw === undefined ? {} : exchange(whole.raw)) }];
    }
    case 'message':
      return [{ ...body, trial, raw: kept(body.raw) }];
    case 'fault':
      return [{ ...body, trial, ...(body.raw === undefined ? {} : { raw: kept(body.raw) }) }];
    default:
      return [];
  }
}

interface Exchange {
  request: Exact;
  response: Exact | null;
}

function cut(trial: string): BodyOf<'fault'> {
  const message =
    'the log of the tap lacks its end, because the tap was killed: what passed in the last second may be missing';
  return hostFault(trial, 'TAP_LOG_CUT', message);
}
