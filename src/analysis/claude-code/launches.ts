/** How launches of the host went: whether it was connected to the server, how soon, and what it cost where it was not. */
import type { Event, EventOf } from '../../events/event.js';
import type { RunReceipt } from '../../events/run-receipt.js';
import type { LaunchReceipt } from '../../events/trial-receipt.js';
import { type Rate, rateOf, type Spread, spreadOf } from '../rate.js';
import { groupTold, type Told, toldIn } from './told.js';
import { isDenied } from './tools.js';
import type { Judged } from './use.js';

type Condition = NonNullable<RunReceipt['open']['plan']>['conditions'][number];

/** One launch, with what the wire saw of it. */
export interface Launch {
  trial: string;
  attempt: number;
  launch: number;
  condition: string;
  /** Whether it is the first in its home. */
  first: boolean;
  /** Null where nothing is known: the launch has no end, or the host said nothing at all. */
  connected: boolean | null;
  /** By the host's own log. */
  connect_ms: number | null;
  /** From the start of the server to a usable session, by the tap. */
  wire_ms: number | null;
  /** The server as the host calls it, null where it named none. */
  server: string | null;
  /** SHA-256 of the transcript of the session, null where there is none. */
  transcript: string | null;
}

/** Launches of one condition that were alike: the first in a home, or later ones. */
export interface LaunchGroup {
  launches: Rate;
  connect_ms: Spread | null;
  wire_ms: Spread | null;
}

export interface Launches {
  condition: string;
  first: LaunchGroup;
  later: LaunchGroup;
  all: LaunchGroup;
  /** Trials with a launch of which nothing is known; it is in no figure. */
  unknown: string[];
  /** Trials whose last launch was not connected, what they did, and what they spent; null where there are none. */
  unconnected: Unconnected | null;
}

export interface Unconnected {
  trials: string[];
  /** Of these, those that ended with an answer all the same. */
  answered: number;
  turns: Spread | null;
  input_tokens: Spread | null;
  output_tokens: Spread | null;
  /** Calls of the host's own tools, and how many of them it denied. */
  calls: number;
  denied: number;
  /** What the model was told of the server. */
  told: Told[];
}

/** A text of the store by its hash, null where it is not there. */
export type TextOf = (sha256: string) => string | null;

/** Every launch of a log, in order. */
export function launchesIn(events: Iterable<Event>): Launch[] {
  const opened = new Map<string, EventOf<'trial_open'>>();
  const used = new Set<string>();
  const current = new Map<string, Launch>();
  const launches: Launch[] = [];
  for (const event of events) {
    if (event.type === 'trial_open') opened.set(event.trial, event);
    if (event.type === 'launch') {
      const open = opened.get(event.trial);
      const home = keptHome(event, open);
      const begun = { ...launchOf(event, open), first: home === null || !used.has(home) };
      if (home !== null) used.add(home);
      launches.push(begun);
      current.set(event.trial, begun);
    }
    const launch = 'trial' in event && event.trial !== null ? current.get(event.trial) : undefined;
    if (launch !== undefined && event.type === 'handshake') launch.wire_ms ??= event.elapsed_ms;
    if (launch === undefined || event.type !== 'launch_end') continue;
    launch.connected = isConnected(event);
    launch.connect_ms = event.connect_ms;
    launch.server = event.servers[0]?.name ?? null;
    launch.transcript = event.evidence.find(({ name }) => name === 'transcript')?.sha256 ?? null;
  }
  return launches;
}

type Opened = EventOf<'trial_open'> | undefined;

/** What shares a home: the repetitions of a task and phrasing under a condition; null where each launch has its own. */
function keptHome({ home }: EventOf<'launch'>, open: Opened): string | null {
  return home === 'fresh' ? null : JSON.stringify([open?.condition, open?.task, open?.phrasing]);
}

function launchOf({ trial, launch }: EventOf<'launch'>, open: Opened): Omit<Launch, 'first'> {
  return {
    ...{ trial, attempt: open?.attempt ?? 1, launch, condition: open?.condition ?? '' },
    ...{ connected: null, connect_ms: null, wire_ms: null, server: null, transcript: null },
  };
}

/** Whether the host said, as it began, that it has its one server; null where it said nothing. */
function isConnected({ servers, outcome }: Pick<LaunchReceipt, 'servers' | 'outcome'>): boolean | null {
  if (outcome === null || outcome === 'no_output' || outcome === 'start_failed') return null;
  return servers.some(({ status }) => status === 'connected');
}

/** The launches of each condition that has a server. */
export function launchTable(
  conditions: Condition[],
  launches: Launch[],
  trials: Judged[],
  textOf: TextOf,
): Launches[] {
  return conditions
    .filter(({ server }) => server !== null)
    .map(({ name }) => {
      const all = launches.filter(({ condition }) => condition === name);
      const mine = all.filter(({ connected }) => connected !== null);
      return {
        condition: name,
        first: groupOf(mine.filter(({ first }) => first)),
        later: groupOf(mine.filter(({ first }) => !first)),
        all: groupOf(mine),
        unknown: all.filter(({ connected }) => connected === null).map(({ trial }) => trial),
        unconnected: unconnectedOf(
          trials.filter(({ receipt }) => receipt.condition === name),
          all,
          textOf,
        ),
      };
    });
}

function groupOf(launches: Launch[]): LaunchGroup {
  const known = (values: (number | null)[]) => spreadOf(values.filter((value) => value !== null));
  return {
    launches: rateOf(launches, ({ connected }) => connected === true),
    connect_ms: known(launches.map(({ connect_ms }) => connect_ms)),
    wire_ms: known(launches.map(({ wire_ms }) => wire_ms)),
  };
}

function unconnectedOf(trials: Judged[], launches: Launch[], textOf: TextOf): Unconnected | null {
  const lost = trials.filter(({ receipt: { launches } }) => {
    const last = launches.at(-1);
    return last !== undefined && isConnected(last) === false;
  });
  if (lost.length === 0) return null;
  const spread = (value: (trial: Judged) => number) => spreadOf(lost.map(value));
  const calls = lost.flatMap(({ receipt }) => receipt.calls.filter(({ origin }) => origin === 'host'));
  return {
    trials: lost.map(({ trial }) => trial),
    answered: lost.filter(({ receipt }) => receipt.answer_text !== null).length,
    turns: spread(({ receipt }) => receipt.totals.turns),
    input_tokens: spread(({ receipt }) => receipt.totals.input_tokens),
    output_tokens: spread(({ receipt }) => receipt.totals.output_tokens),
    ...{ calls: calls.length, denied: calls.filter(isDenied).length },
    told: groupTold(lost.map(({ trial }) => ({ trial, told: toldAt(trial, launches, textOf) }))),
  };
}

/** What the last launch of a trial was told. */
function toldAt(trial: string, launches: Launch[], textOf: TextOf): string[] {
  const last = launches.findLast((launch) => launch.trial === trial);
  const text = last?.transcript ? textOf(last.transcript) : null;
  return text === null ? [] : toldIn(text, last?.server ?? '');
}
