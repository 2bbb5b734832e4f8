/** What of a recording can be asked again: of each trial its calls, its catalog and its evidence. */
import type { Event, EventOf } from '../../events/event.js';
import { type Blobs, hydrated } from '../../events/payload.js';
import { beginTrial, evolve } from '../../events/receipt.js';
import { inOrder, type RecordedRun, type RecordedTrial } from '../../events/recorded.js';
import type { Condition } from '../../study/load.js';
import type { ProtocolChoice } from '../../study/protocols.js';
import { isObject } from '../wire/json.js';
import type { Listing } from './compare-catalogs.js';
import { evidenceIn } from './evidence.js';
import { conditionOf } from './server.js';

/** A trial that is run again. */
export interface Part {
  open: EventOf<'trial_open'>;
  /** Its condition, met by the other build. */
  condition: Condition;
  /** How the recording agreed on a protocol. */
  protocol: ProtocolChoice;
  /** Its calls that were sent, in the order in which they were. */
  calls: EventOf<'tool_call'>[];
  /** Null where the catalog was not listed to its end, as in a probe; then it is not listed again. */
  listing: Listing | null;
  /** Evidence that its answer names; null where it names none. */
  evidence: string[] | null;
  /** False where the recording was interrupted. */
  closed: boolean;
}

/** A trial, or a call of one, that is not run again. */
export interface LeftOut {
  trial: string;
  /** Null for the whole trial. */
  call: { event: number; tool: string } | null;
  reason: string;
}

/** What is run again of these trials, and what is not. Payloads are read from blobs; throws what `getBlob` throws. */
export function partsOf(
  run: RecordedRun,
  trials: RecordedTrial[],
  blobs: Pick<Blobs, 'getBlob'>,
): { parts: Part[]; left_out: LeftOut[] } {
  const parts: Part[] = [];
  const left_out: LeftOut[] = [];
  for (const trial of trials) {
    const handshake = trial.events.find((event) => event.type === 'handshake');
    const calls = trial.events.filter((event) => event.type === 'tool_call');
    if (handshake === undefined)
      left_out.push({ trial: trial.open.trial, call: null, reason: 'no server ever answered in it' });
    else parts.push(partOf(run, trial, handshake, calls.filter(canBeSent), blobs));
    if (handshake !== undefined && !trial.closed)
      left_out.push({ trial: trial.open.trial, call: null, reason: INTERRUPTED });
    left_out.push(...calls.flatMap(reasonAgainst));
  }
  return { parts, left_out };
}

function partOf(
  run: RecordedRun,
  { open, events, closed }: RecordedTrial,
  { era }: EventOf<'handshake'>,
  calls: EventOf<'tool_call'>[],
  blobs: Pick<Blobs, 'getBlob'>,
): Part {
  const recorded = run.open?.plan?.conditions.find(({ name }) => name === open.condition);
  return {
    open,
    closed,
    condition: conditionOf(open.condition, recorded),
    protocol: era === 'legacy' ? 'legacy' : '2026-07-28',
    calls: inOrder(calls).map((call) => whole(call, blobs)),
    listing: listingOf(events),
    evidence: evidenceIn(events.reduce(evolve, beginTrial(open)).answer),
  };
}

const INTERRUPTED = 'its recording was interrupted, so that what came after is not there';

function whole(call: EventOf<'tool_call'>, blobs: Pick<Blobs, 'getBlob'>): EventOf<'tool_call'> {
  const event = hydrated(call, blobs);
  return event.type === 'tool_call' ? event : call;
}

/** What the server said of itself and of its tools, in the events of a trial; null where it did not list all of them. */
export function listingOf(events: Event[]): Listing | null {
  const handshake = events.find((event) => event.type === 'handshake');
  const pages = events.filter((event) => event.type === 'catalog');
  if (handshake === undefined || pages.at(-1)?.next_cursor !== null) return null;
  const { server_name, server_version, protocol_version, instructions } = handshake;
  const server = `${server_name ?? '–'} ${server_version ?? '–'}, protocol ${protocol_version}`;
  return { server, instructions, tools: pages.flatMap(({ tools }) => tools) };
}

const NEVER_SENT: readonly (string | null)[] = ['UNADVERTISED_TOOL', 'ARGUMENTS_NOT_AN_OBJECT'];

function canBeSent(call: EventOf<'tool_call'>): boolean {
  return reasonAgainst(call).length === 0;
}

/** Why a call is left out; empty where it is not. */
function reasonAgainst(call: EventOf<'tool_call'>): LeftOut[] {
  const { trial, seq, tool, error } = call;
  const named = { trial, call: { event: seq, tool } };
  if (NEVER_SENT.includes(call.error_code ?? error))
    return [{ ...named, reason: `it was never sent: ${error}` }];
  return argumentsOf(call) === null ? [{ ...named, reason: 'its arguments are no object' }] : [];
}

/** The arguments of a call, none where it had none; null where they are no object. */
export function argumentsOf({ arguments: given }: EventOf<'tool_call'>): Record<string, unknown> | null {
  const object = given ?? {};
  return isObject(object) ? object : null;
}
