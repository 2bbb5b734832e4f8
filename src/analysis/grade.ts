/** Grading: verdicts on a run, appended to its grades.jsonl beside the log, which stays as it is. */
import { isDeepStrictEqual } from 'node:util';
import type { BodyOf, EventOf } from '../events/event.js';
import { EventLog } from '../events/log.js';
import { Problem } from '../events/problem.js';
import { isVerified, replayFile } from '../events/replay.js';
import { type RunReceipt, trialsInOrder } from '../events/run-receipt.js';
import type { Store } from '../events/store.js';
import type { TrialReceipt } from '../events/trial-receipt.js';
import { judge } from './judge.js';
import { frozenKeys, type Keys, keysOfFile, keyWarnings } from './keys.js';
import { called } from './tool-use.js';
import { type Override, overrideOn, receiptOf, type Verdict, type Verdicts, verdictsOf } from './verdicts.js';

export interface TrialGrade extends Omit<BodyOf<'grade'>, 'type'> {
  condition: string;
  phrasing: string | null;
  repetition: number;
  /** Whether a call of the trial reached the server of the study. */
  called: boolean;
  /** The verdict before this grading, null where there was none. */
  was: Verdict | null;
  flipped: boolean;
  /** A person's verdict that stands in place of this one. */
  override: Override | null;
  /** What stands: the override's verdict, or else this one. */
  stands: Verdict;
}

export interface RunGrade {
  run: string;
  status: RunReceipt['status'];
  /** Whether the log is whole, closed, and every request could be rebuilt. */
  verified: boolean;
  keys: string;
  /** Verdicts that were appended; the others stood already. */
  appended: number;
  trials: TrialGrade[];
  /** What to know about the keys: an aggregate key that the recorded count contradicts. */
  warnings: string[];
}

export interface GradeOptions {
  /** File of keys; null for the frozen ones. */
  keys: string | null;
  grader: string;
}

/**
 * Grades runs and appends what is new. All are judged before anything is written: where one of them is refused, no
 * run gets a verdict. A run whose start-up failed has no trials to judge.
 */
export function gradeRuns(store: Store, runs: string[], options: GradeOptions): RunGrade[] {
  const judged = [...new Set(runs)].map((run) => judgeRun(store, run, options));
  for (const { graded, fresh } of judged) appendGrades(store.gradesFile(graded.run), graded.run, fresh);
  return judged.map(({ graded }) => graded);
}

/** Grades one run, as `gradeRuns` does. */
export function gradeRun(store: Store, run: string, options: GradeOptions): RunGrade {
  const judged = judgeRun(store, run, options);
  appendGrades(store.gradesFile(run), run, judged.fresh);
  return judged.graded;
}

/** What grading a run would show, and the verdicts that it would append. Writes nothing. */
function judgeRun(
  store: Store,
  run: string,
  options: GradeOptions,
): { graded: RunGrade; fresh: BodyOf<'grade'>[] } {
  const replayed = replayFile(store.eventsFile(run));
  const receipt = receiptOf(replayed, store.eventsFile(run));
  const before = verdictsOf(store.gradesFile(run), run);
  const keys = receipt.open.plan === null ? null : keysFor(store, receipt, options.keys);
  const trials =
    keys === null
      ? []
      : trialsInOrder(receipt).map((trial) => gradeTrial(receipt, trial, keys, options.grader, before));
  const fresh = trials.flatMap(({ body }) => (stands(before.grades.get(body.trial), body) ? [] : [body]));
  const graded: RunGrade = {
    ...{ run, status: receipt.status, verified: isVerified(replayed) },
    ...{ keys: keys?.source ?? 'none', appended: fresh.length, trials: trials.map(({ shown }) => shown) },
    warnings: keys === null ? [] : keyWarnings(keys, receipt),
  };
  return { graded, fresh };
}

function keysFor(store: Store, receipt: RunReceipt, file: string | null): Keys {
  return file === null ? frozenKeys(store, receipt) : keysOfFile(file, receipt);
}

function gradeTrial(
  receipt: RunReceipt,
  trial: TrialReceipt,
  keys: Keys,
  grader: string,
  before: Verdicts,
): { body: BodyOf<'grade'>; shown: TrialGrade } {
  const task = keys.tasks.get(trial.task ?? '');
  if (task === undefined) throw noKeyFor(trial, receipt.run);
  const condition = receipt.open.plan?.conditions.find((candidate) => candidate.name === trial.condition);
  const terms = { controls: condition?.controls ?? [], answer: receipt.open.plan?.answer ?? 'json' };
  const judgement = judge(trial, task.key, terms);
  const body: BodyOf<'grade'> = {
    ...{ type: 'grade', trial: trial.trial, attempt: trial.attempt, task: task.id },
    ...judgement,
    ...{
      key_sha256: task.key_sha256,
      keys: keys.source,
      grader,
      log_count: receipt.events,
      log_head: receipt.head,
    },
  };
  const { type: _type, ...rest } = body;
  const was = before.grades.get(trial.trial)?.verdict ?? null;
  const override = trial.incomplete ? null : overrideOn(trial, before.overrides.get(trial.trial));
  return {
    body,
    shown: {
      ...rest,
      ...{ condition: trial.condition, phrasing: trial.phrasing, repetition: trial.repetition },
      called: called(trial),
      ...{ was, flipped: was !== null && was !== body.verdict },
      ...{ override, stands: override?.verdict ?? body.verdict },
    },
  };
}

/** A trial whose task run_open does not name: its keys were checked, and this one is not among them. */
function noKeyFor(trial: TrialReceipt, run: string): Problem {
  const what = `there is no key for the task "${trial.task}" of ${trial.trial}, in run ${run}`;
  return new Problem({ code: 'KEY_MISSING', what, todo: 'name a file that has it with --keys', exit: 3 });
}

/** Whether the last verdict on a trial says the same, for the same key and the same log. */
function stands(last: EventOf<'grade'> | undefined, body: BodyOf<'grade'>): boolean {
  if (last === undefined) return false;
  const { h: _h, v: _v, run: _run, seq: _seq, at: _at, mono_ns: _mono, ...said } = last;
  return isDeepStrictEqual({ ...said, keys: '' }, { ...body, keys: '' });
}

function appendGrades(file: string, run: string, bodies: BodyOf<'grade'>[]): void {
  if (bodies.length === 0) return;
  const log = EventLog.continue(file, run);
  try {
    for (const body of bodies) log.append(body);
  } finally {
    log.close();
  }
}
