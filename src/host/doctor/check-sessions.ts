/** Sessions through the real client: whether they could be held, and what else was odd on the wire. */
import type { Fault } from '../mcp.js';
import { type FindingKind, finding, type Outcome, skipped } from './finding.js';
import type { Sessions } from './sessions.js';
import { spreadOf } from './spread.js';
import { counted, excerpt, ms } from './words.js';

const SESSION_FAILED: FindingKind = {
  code: 'session-failed',
  group: 'launch',
  severity: 'fatal',
  why: 'a host that uses the official client does not get a session either',
  fix: 'look at what the message names, and at what the server itself logs at that moment',
};
const WIRE_FAULT: FindingKind = {
  code: 'wire-fault',
  group: 'launch',
  severity: 'warning',
  why: 'hosts drop, repair or refuse such messages, each in a way of its own',
  fix: 'send JSON-RPC 2.0 as the protocol has it: one message a line, one reply a request, with its own id',
};
const SLOW_START: FindingKind = {
  code: 'slow-start',
  group: 'launch',
  severity: 'note',
  why: 'hosts probe for two to three seconds, and take a server that is not up by then for an old one; each session waits for it',
  fix: 'connect the transport first, and load what is heavy on the first call that needs it',
};

/** Every kind of finding that this file makes. */
export const SESSION_KINDS = [SESSION_FAILED, WIRE_FAULT, SLOW_START];

/** Faults that have a check of their own. */
const ELSEWHERE = new Set(['PAGE_LOOP', 'BAD_CURSOR', 'LEFT_BEHIND']);
/** Faults of stdout that both launches by hand have shown already. */
const NOISE = new Set([
  'STRAY_LINE',
  'BLANK_LINE',
  'NOT_JSON_RPC',
  'PARTIAL_LINE',
  'INVALID_UTF8',
  'BYTE_ORDER_MARK',
]);
/** Longer than hosts wait for their probe. */
const SLOW_MS = 3000;

/** The sessions of the era in which the server is looked at. `noiseIsKnown` where stdout was found noisy before. */
export function checkSessions(sessions: Sessions, noiseIsKnown: boolean): Outcome[] {
  const { failure, samples, faults, era } = sessions;
  const connect = spreadOf(samples.map(({ connect_ms }) => connect_ms));
  return [
    ...(failure === null
      ? []
      : [finding(SESSION_FAILED, oneLine(failure), { sessions: samples.length, failure })]),
    ...(connect !== null && era !== 'auto' && connect.median > SLOW_MS
      ? [
          finding(SLOW_START, `${ms(connect.median)} to the first answer, median of ${connect.n}`, {
            ...connect,
          }),
        ]
      : []),
    ...wireFaults(faults.filter(({ code }) => !ELSEWHERE.has(code) && !(noiseIsKnown && NOISE.has(code)))),
    ...(sessions.listing === null && samples.length > 0
      ? [skipped('catalog', 'the server declares no tools, so that there is no catalog and no call')]
      : []),
    ...(sessions.choice?.why ? [skipped('results', sessions.choice.why)] : []),
  ];
}

/** The beginning of a message that may be a page long. */
function oneLine(message: string): string {
  const line = message.replaceAll(/\s+/g, ' ');
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function wireFaults(faults: Fault[]): Outcome[] {
  const [first] = faults;
  if (first === undefined) return [];
  const codes = [...new Set(faults.map(({ code }) => code))];
  const counts = codes.map((code) => ({ code, count: faults.filter((fault) => fault.code === code).length }));
  const shown = first.text === '' ? '' : `: ${excerpt(first.text)}`;
  const others = codes.length > 1 ? `; and ${counted(codes.length - 1, 'other kind')}` : '';
  return [
    finding(WIRE_FAULT, `${counts[0]?.count} × ${first.code}, ${first.message}${shown}${others}`, {
      faults: counts,
    }),
  ];
}
