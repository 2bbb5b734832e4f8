/** Grading: verdicts on a run, appended to its grades.jsonl beside the log, which stays as it is. */
import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { BodyOf, EventOf } from '../events/event.js';
import { EventLog } from '../events/log.js';
import { Problem } from '../events/problem.js';
import { readLog } from '../events/reader.js';
import type { TrialReceipt } from '../events/receipt.js';
import { isVerified, type Replay, replayFile } from '../events/replay.js';
import { type RunReceipt, trialsInOrder } from '../events/run-receipt.js';
import type { Store } from '../events/store.js';
import type { Verdict } from './judge.js';
import { judge } from './judge.js';
import { frozenKeys, type Keys, keysOfFile } from './keys.js';

export interface TrialGrade extends Omit<BodyOf<'grade'>, 'type'> {
  condition: string;
  /** The verdict before this grading, null where there was none. */
  was: Verdict | null;
  flipped: boolean;
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
}

/** Grades one run and appends what is new. A run without a plan has no trials to judge. */
export function gradeRun(
  store: Store,
  run: string,
  options: { keys: string | null; grader: string },
): RunGrade {
  const replayed = replayFile(store.eventsFile(run));
  const receipt = receiptOf(replayed, store.eventsFile(run));
  const file = store.gradesFile(run);
  const before = latestGrades(file);
  const keys =
    receipt.open.plan === null
      ? null
      : options.keys === null
        ? frozenKeys(store, receipt)
        : keysOfFile(options.keys, receipt);
  const graded =
    keys === null
      ? []
      : trialsInOrder(receipt).map((trial) => gradeTrial(receipt, trial, keys, options.grader, before));
  const fresh = graded.filter(({ body }) => !stands(before.get(body.trial), body));
  appendGrades(
    file,
    run,
    fresh.map(({ body }) => body),
  );
  const { status } = receipt;
  const trials = graded.map(({ shown }) => shown);
  return {
    run,
    status,
    verified: isVerified(replayed),
    keys: keys?.source ?? 'none',
    appended: fresh.length,
    trials,
  };
}

/** The latest verdict on each trial. An absent file has none; a damaged one throws `GRADES_DAMAGED`. */
export function latestGrades(file: string): Map<string, EventOf<'grade'>> {
  const grades = new Map<string, EventOf<'grade'>>();
  if (!existsSync(file)) return grades;
  for (const line of readLog(file)) {
    if (line.kind !== 'ok') {
      const todo = 'keep a copy of the file, remove it, and grade again';
      throw new Problem({
        code: 'GRADES_DAMAGED',
        what: `this line is damaged (${line.kind})`,
        todo,
        file,
        line: line.number,
        exit: 3,
      });
    }
    if (line.event.type === 'grade') grades.set(line.event.trial, line.event);
  }
  return grades;
}

/** The receipt of a replay. Throws `LOG_WITHOUT_RUN` where the log has no readable run_open. */
export function receiptOf(replayed: Replay, file: string): RunReceipt {
  if (replayed.receipt !== null) return replayed.receipt;
  const what = 'the first event, run_open, is missing or damaged';
  throw new Problem({
    code: 'LOG_WITHOUT_RUN',
    what,
    todo: 'restore the log from a copy',
    file,
    line: 1,
    exit: 3,
  });
}

function gradeTrial(
  receipt: RunReceipt,
  trial: TrialReceipt,
  keys: Keys,
  grader: string,
  before: Map<string, EventOf<'grade'>>,
): { body: BodyOf<'grade'>; shown: TrialGrade } {
  const task = keys.tasks.get(trial.task ?? '');
  if (task === undefined) throw new Error(`no key for ${trial.trial}`);
  const condition = receipt.open.plan?.conditions.find((candidate) => candidate.name === trial.condition);
  const judgement = judge(trial, task.key, condition?.controls ?? []);
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
  const was = before.get(trial.trial)?.verdict ?? null;
  return {
    body,
    shown: { ...rest, condition: trial.condition, was, flipped: was !== null && was !== body.verdict },
  };
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
