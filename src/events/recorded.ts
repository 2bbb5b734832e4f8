/** The trials of a log, each with its own events, and with the damage that may have cost it some. */
import type { Event, EventOf } from './event.js';
import { Problem } from './problem.js';
import { type LogLine, readLog } from './reader.js';

/** The last attempt at a trial, as far as it was recorded. */
export interface RecordedTrial {
  open: EventOf<'trial_open'>;
  /** Every event of the attempt behind its `trial_open`, in order. */
  events: Event[];
  /** False where it was interrupted. */
  closed: boolean;
  /** The first damaged or missing line that may have been one of them; null where there is none. */
  damage: LogLine | null;
}

export interface RecordedRun {
  file: string;
  /** Null where no readable `run_open` is in the log. */
  open: EventOf<'run_open'> | null;
  /** By trial id, in the order in which trials began. */
  trials: Map<string, RecordedTrial>;
  /** Trials of which events are there, but not their beginning. */
  lost: Map<string, LogLine>;
}

/** Reads the trials of a log. Throws `LOG_UNREADABLE`; damage is not an error, it stands beside the trial that it touches. */
export function readRecorded(file: string): RecordedRun {
  const run: RecordedRun = { file, open: null, trials: new Map(), lost: new Map() };
  for (const line of readLog(file)) take(run, line);
  return run;
}

function take(run: RecordedRun, line: LogLine): void {
  const { event } = line;
  if (line.detail !== null) mark(run, line);
  if (event?.type === 'run_open') run.open ??= event;
  if (event === null || !('trial' in event) || event.trial === null) return;
  const known = run.trials.get(event.trial);
  if (event.type === 'trial_open')
    run.trials.set(event.trial, { open: event, events: [], closed: false, damage: null });
  else if (known === undefined) run.lost.set(event.trial, line);
  else add(known, event, line);
}

/** Any trial that is under way may have lost an event here. */
function mark({ trials }: RecordedRun, line: LogLine): void {
  for (const trial of trials.values()) if (!trial.closed) trial.damage ??= line;
}

function add(trial: RecordedTrial, event: Event, line: LogLine): void {
  const late = event.type === 'fault' || event.type === 'message';
  // It ended before, so that this is of a later attempt whose beginning is lost.
  if (trial.closed && !late) trial.damage ??= line;
  trial.events.push(event);
  trial.closed ||= event.type === 'close';
}

/**
 * The trials of these ids, all of them where none are named. Throws `TRIAL_UNKNOWN`, which lists those of the run, and
 * `RECORDING_DAMAGED` where a damaged or missing line touches one of them.
 */
export function chooseTrials(run: RecordedRun, ids: string[]): RecordedTrial[] {
  const chosen = new Set(ids.length === 0 ? [...run.trials.keys(), ...run.lost.keys()] : ids);
  return [...chosen].map((id) => {
    const trial = run.trials.get(id);
    const lost = run.lost.get(id);
    if (trial === undefined) throw lost === undefined ? unknown(run, id) : damaged(run, id, lost);
    if (trial.damage !== null) throw damaged(run, id, trial.damage);
    return trial;
  });
}

/** Calls in the order in which they were sent: a log has those that were under way at once in the order of their replies. */
export function inOrder(calls: EventOf<'tool_call'>[]): EventOf<'tool_call'>[] {
  return calls
    .map((call, at) => ({ call, at: call.sent ?? at }))
    .sort((a, b) => a.at - b.at)
    .map(({ call }) => call);
}

/** A list of trial ids that a person can read: the first 12 of them. */
export function listed(ids: string[]): string {
  const rest = ids.length - 12;
  return `${ids.slice(0, 12).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function unknown({ file, trials }: RecordedRun, id: string): Problem {
  const what = `the run has no trial ${JSON.stringify(id)}`;
  const todo =
    trials.size === 0 ? 'it has none at all: name another run' : `use one of: ${listed([...trials.keys()])}`;
  return new Problem({ code: 'TRIAL_UNKNOWN', what, todo, file });
}

function damaged({ file }: RecordedRun, id: string, { number, kind }: LogLine): Problem {
  const why = kind === 'ok' ? 'its beginning is missing' : kind;
  const what = `lines are damaged or missing here (${why}), some of them perhaps of the trial ${id}`;
  const todo = 'restore the log from a copy, or name another trial with --trial';
  return new Problem({ code: 'RECORDING_DAMAGED', what, todo, file, line: number, exit: 3 });
}
