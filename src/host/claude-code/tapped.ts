/** What the tap in front of a server heard in one launch, as events of the trial. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BodyOf, EventBody } from '../../events/event.js';
import type { Exact } from '../../events/payload.js';
import { heardIn } from '../tap/heard.js';
import type { Program } from '../wire/program.js';
import type { TappedBody } from './capture.js';
import { hostFault } from './fault.js';

/** Names of the sessions that a tap's folder holds, oldest first. */
export function sessionsIn(tap: string): string[] {
  return existsSync(tap) ? readdirSync(tap).sort() : [];
}

/** Whom the events are for, what the server was, and how bytes are held. */
export interface Taker {
  trial: string;
  program: Program | null;
  exact(bytes: Buffer): Exact;
}

/** The events of sessions in a tap's folder, in order; a host that connects again has its sessions one after another. */
export function readTapped(tap: string, sessions: string[], taker: Taker): TappedBody[] {
  return sessions.flatMap((session) => {
    const { bodies, ended } = heardIn(readFileSync(join(tap, session)), taker);
    return [...bodies.filter(isTapped), ...(ended ? [] : [killed(taker.trial)])];
  });
}

function isTapped(body: EventBody): body is TappedBody {
  return ['handshake', 'catalog', 'tool_call', 'message', 'fault'].includes(body.type);
}

function killed(trial: string): BodyOf<'fault'> {
  const message = 'the tap was killed before its server had ended: what passed until then is whole';
  return hostFault(trial, 'TAP_KILLED', message);
}
