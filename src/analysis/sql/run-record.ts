/** A run as the tables see it: validated events, each with its place and the attempt it belongs to, receipt, verdicts. */
import { existsSync } from 'node:fs';
import type { Event, EventOf } from '../../events/event.js';
import { type LogLine, readLog } from '../../events/reader.js';
import { evolveRun, finalTrials, type RunReceipt } from '../../events/run-receipt.js';
import type { Store } from '../../events/store.js';
import type { TrialReceipt } from '../../events/trial-receipt.js';
import { type Override, overrideOn, type Verdict } from '../verdicts.js';

/** An event of the log, with its line. */
export interface Logged<E extends Event = Event> {
  /** The run by the name of its folder, so that a copied folder is another run. */
  run: string;
  event: E;
  /** 1-based line in the log. */
  line: number;
  /** Bytes of the line, newline included. */
  bytes: number;
  /** The attempt that the event belongs to, null for an event of the run or of a trial whose opening is damaged. */
  attempt: Attempt | null;
}

/** One attempt at a trial. */
export interface Attempt {
  run: string;
  open: EventOf<'trial_open'>;
  receipt: TrialReceipt;
  /** Whether it is the last attempt at a trial; never for a probe. */
  final: boolean;
  /** What stands on it: a person's verdict, or else the latest grade; `undecided` where events of it are missing. */
  verdict: Verdict | null;
  /** The latest grade, null where there is none. */
  graded: Verdict | null;
  override: Override | null;
}

export interface RunRecord {
  run: string;
  /** Absolute path of the log. */
  log: string;
  /** Null where run_open is missing or damaged. */
  receipt: RunReceipt | null;
  logged: Logged[];
  attempts: Attempt[];
  grades: EventOf<'grade'>[];
  overrides: EventOf<'override'>[];
  damage: Damage | null;
}

/** Lines of a run's log and grades that are damaged; `first` names the first of them. */
export interface Damage {
  run: string;
  lines: number;
  first: string;
}

/** Reads one run. Damage is counted, not thrown; a log that cannot be read throws `LOG_UNREADABLE`. */
export function readRun(store: Store, run: string): RunRecord {
  const log = store.eventsFile(run);
  const lines = linesOf(log);
  const gradeLines = linesOf(store.gradesFile(run));
  const grades = gradeLines.flatMap(({ event }) => (event?.type === 'grade' ? [event] : []));
  const overrides = gradeLines.flatMap(({ event }) => (event?.type === 'override' ? [event] : []));
  const logged = lines.flatMap((line) => loggedOf(run, line));
  const receipt = logged.reduce<RunReceipt | null>((before, { event }) => evolveRun(before, event), null);
  const attempts = attemptsOf(run, logged, receipt, { grades, overrides });
  const complaints = [
    ...(existsSync(log) ? [] : ['events.jsonl is missing']),
    ...complaintsIn('events.jsonl', lines),
    ...complaintsIn('grades.jsonl', gradeLines),
  ];
  const [first] = complaints;
  const damage = first === undefined ? null : { run, lines: complaints.length, first };
  return { run, log, receipt, logged: withAttempts(logged, attempts), attempts, grades, overrides, damage };
}

/** The lines of a file; an absent one has none. */
function linesOf(file: string): LogLine[] {
  return existsSync(file) ? [...readLog(file)] : [];
}

function loggedOf(run: string, line: LogLine): Logged[] {
  if (line.event === null) return [];
  return [{ run, event: line.event, line: line.number, bytes: line.length, attempt: null }];
}

function complaintsIn(file: string, lines: LogLine[]): string[] {
  return lines.flatMap(({ kind, number, detail }) =>
    detail === null ? [] : [`${file}:${number}: ${kind}: ${detail}`],
  );
}

/** Receipts and openings stand in the same order, because each trial_open after run_open begins one receipt. */
function attemptsOf(
  run: string,
  logged: Logged[],
  receipt: RunReceipt | null,
  { grades, overrides }: Pick<RunRecord, 'grades' | 'overrides'>,
): Attempt[] {
  if (receipt === null) return [];
  const opened = logged.slice(logged.findLastIndex(({ event }) => event.type === 'run_open'));
  const openings = opened.flatMap(({ event }) => (event.type === 'trial_open' ? [event] : []));
  const final = new Set(finalTrials(receipt));
  const verdicts = new Map(grades.map((grade) => [`${grade.attempt} ${grade.trial}`, grade.verdict]));
  const decided = new Map(overrides.map((override) => [override.trial, override]));
  return receipt.attempts.flatMap((trial, index) => {
    const open = openings[index];
    if (open === undefined) return [];
    const graded = verdicts.get(`${trial.attempt} ${trial.trial}`) ?? null;
    const override = trial.incomplete ? null : overrideOn(trial, decided.get(trial.trial));
    const verdict = trial.incomplete ? 'undecided' : (override?.verdict ?? graded);
    return [{ run, open, receipt: trial, final: final.has(trial), verdict, graded, override }];
  });
}

/** Gives each event of a trial the attempt that was under way. */
function withAttempts(logged: Logged[], attempts: Attempt[]): Logged[] {
  const opened = new Map(attempts.map((attempt) => [attempt.open, attempt]));
  const current = new Map<string, Attempt>();
  return logged.map((entry) => {
    const { event } = entry;
    const attempt = event.type === 'trial_open' ? opened.get(event) : undefined;
    if (attempt !== undefined) current.set(attempt.open.trial, attempt);
    const trial = 'trial' in event ? event.trial : null;
    return { ...entry, attempt: trial === null ? null : (current.get(trial) ?? null) };
  });
}

/** The events of one type, each with its place. */
export function loggedOfType<T extends Event['type']>(run: RunRecord, type: T): Logged<EventOf<T>>[] {
  return run.logged.filter((entry): entry is Logged<EventOf<T>> => entry.event.type === type);
}
