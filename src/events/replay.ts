/** Replay: from the lines of a log to its receipt, with each request to the model rebuilt and checked. */
import { dirname, resolve } from 'node:path';
import { sha256 } from './bytes.js';
import {
  beginConversation,
  type Conversation,
  converse,
  requestBody,
  type Setting,
  settingOf,
} from './conversation.js';
import type { Event, EventOf } from './event.js';
import { type Blobs, bytesOf, type Exact, hydrated } from './payload.js';
import { Problem } from './problem.js';
import { type LogLine, readEvents } from './reader.js';
import { evolveRun, type RunReceipt } from './run-receipt.js';
import { Store } from './store.js';

/** Whether the request of a turn, rebuilt from the log, is the one that was sent. */
export interface RequestCheck {
  event: number;
  trial: string;
  turn: number;
  attempt: number;
  request_bytes: number;
  request_sha256: string;
  rebuilt_bytes: number;
  rebuilt_sha256: string;
  holds: boolean;
  /** Whether its bytes were kept, not rebuilt: another program wrote it. */
  kept: boolean;
}

export interface Replay {
  receipt: RunReceipt | null;
  requests: RequestCheck[];
  damage: LogLine[];
}

/** Replays a log file. Damaged lines are reported beside the receipt, never skipped in silence. */
export function replayFile(file: string): Replay {
  const { events, damage } = readEvents(file);
  const blobs = new Store(dirname(dirname(resolve(file))));
  return {
    ...replay(
      events.map((event) => whole(event, blobs)),
      blobs,
    ),
    damage,
  };
}

/** An event with its payloads. One whose blob is gone stays as its line has it, and the request that needs it will not hold. */
function whole(event: Event, blobs: Store): Event {
  try {
    return hydrated(event, blobs);
  } catch (error) {
    if (error instanceof Problem) return event;
    throw error;
  }
}

/** Replays events, whose payloads are in them; `blobs` has large requests that another program wrote. */
export function replay(
  events: Event[],
  blobs: Pick<Blobs, 'getBlob'>,
): { receipt: RunReceipt | null; requests: RequestCheck[] } {
  const requests: RequestCheck[] = [];
  const talks = new Map<string, Conversation>();
  let receipt: RunReceipt | null = null;
  let setting: Setting | null = null;
  for (const event of events) {
    receipt = evolveRun(receipt, event);
    if (event.type === 'run_open') setting ??= settingOf(event);
    if (event.type === 'trial_open' && setting !== null)
      talks.set(event.trial, beginConversation(setting, event));
    const trial = 'trial' in event ? event.trial : null;
    const talk = trial === null ? undefined : talks.get(trial);
    if (event.type === 'turn_request') requests.push(checkRequest(talk, event, blobs));
    if (trial === null || talk === undefined) continue;
    if (event.type === 'close') talks.delete(trial);
    else talks.set(trial, converse(talk, event));
  }
  return { receipt, requests };
}

/**
 * A request of a trial whose beginning is not in the log cannot be rebuilt: it has no bytes, and does not hold. One that
 * another program wrote is not rebuilt: the bytes that were kept of it are checked.
 */
function checkRequest(
  talk: Conversation | undefined,
  event: EventOf<'turn_request'>,
  blobs: Pick<Blobs, 'getBlob'>,
): RequestCheck {
  const body = event.raw === undefined ? rebuilt(talk) : bytesKept(event.raw, blobs);
  const rebuilt_sha256 = sha256(body);
  const { seq, trial, turn, attempt, request_bytes, request_sha256 } = event;
  const holds = rebuilt_sha256 === request_sha256 && body.length === request_bytes;
  return {
    event: seq,
    trial,
    turn,
    attempt,
    request_bytes,
    request_sha256,
    rebuilt_bytes: body.length,
    rebuilt_sha256,
    holds,
    kept: event.raw !== undefined,
  };
}

function rebuilt(talk: Conversation | undefined): Buffer {
  return Buffer.from(talk === undefined ? '' : JSON.stringify(requestBody(talk)), 'utf8');
}

/** A blob that is gone leaves no bytes, so that the request does not hold. */
function bytesKept(raw: Exact, blobs: Pick<Blobs, 'getBlob'>): Buffer {
  try {
    return bytesOf(raw, blobs);
  } catch (error) {
    if (error instanceof Problem) return Buffer.alloc(0);
    throw error;
  }
}

/** Whether everything in a replay may be relied on: no damage, a close record, every request rebuilt. */
export function isVerified(replayed: Replay): boolean {
  const ended = replayed.receipt !== null && replayed.receipt.status !== 'interrupted';
  return ended && replayed.damage.length === 0 && replayed.requests.every((request) => request.holds);
}
