/** What a spooled session was, as events: the same that a tap's own log would hold of it. */
import type { EventBody } from '../../events/event.js';
import type { Facts } from './bodies.js';
import { Exchanges } from './exchanges.js';
import { readSpool } from './read-spool.js';

export interface HeardSession {
  bodies: EventBody[];
  /** Whether the tap saw the end of the server. It did not where the host killed it before. */
  ended: boolean;
}

/** The events of a session. `facts` says for whom, and what program the server was; the spool knows the rest. */
export function heardIn(spool: Buffer, facts: Pick<Facts, 'trial' | 'program' | 'exact'>): HeardSession {
  const session: HeardSession = { bodies: [], ended: false };
  let exchanges: Exchanges | null = null;
  let last_ms = 0;
  for (const { frame, bytes } of readSpool(spool)) {
    last_ms = frame.at_ms;
    if (frame.kind === 'opened') {
      const { command: argv, env_names, at_ms: started_ms } = frame;
      exchanges = new Exchanges({ ...facts, argv, env_names, started_ms }, (body) =>
        session.bodies.push(body),
      );
    } else if (frame.kind === 'started' && exchanges !== null) exchanges.pid = frame.pid;
    else if (frame.kind === 'chunk') exchanges?.push(frame.direction, bytes, frame.at_ms);
    else if (frame.kind === 'over') exchanges?.over(frame.direction, frame.at_ms);
    else session.ended = true;
  }
  exchanges?.end(last_ms);
  return session;
}
