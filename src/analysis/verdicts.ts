/** Verdicts that stand: the latest on each trial, out of the grades that lie beside a log. */
import { existsSync } from 'node:fs';
import type { EventOf } from '../events/event.js';
import { Problem } from '../events/problem.js';
import { readLog } from '../events/reader.js';
import type { Replay } from '../events/replay.js';
import type { RunReceipt } from '../events/run-receipt.js';
import type { TrialReceipt } from '../events/trial-receipt.js';

/** What a verdict may say. */
export type Verdict = EventOf<'grade'>['verdict'];

/** The latest verdict on each trial of a run. An absent file has none; a damaged or foreign one throws `GRADES_DAMAGED`. */
export function latestGrades(file: string, run: string): Map<string, EventOf<'grade'>> {
  const grades = new Map<string, EventOf<'grade'>>();
  if (!existsSync(file)) return grades;
  for (const line of readLog(file)) {
    if (line.kind !== 'ok' || line.detail !== null)
      throw damagedGrades(file, line.number, line.detail ?? line.kind);
    if (line.event.run !== run) throw damagedGrades(file, line.number, `it belongs to ${line.event.run}`);
    if (line.event.type === 'grade') grades.set(line.event.trial, line.event);
  }
  return grades;
}

/**
 * The verdict that stands on a trial: the latest one, if it judged this very log; null otherwise. Of a trial with events
 * missing nothing is decided, whatever was said while the log was whole.
 */
export function standingVerdict(
  grades: Map<string, EventOf<'grade'>>,
  trial: TrialReceipt,
  receipt: RunReceipt,
): Verdict | null {
  if (trial.incomplete) return 'undecided';
  const grade = grades.get(trial.trial);
  return grade?.log_head === receipt.head ? grade.verdict : null;
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

function damagedGrades(file: string, line: number, why: string): Problem {
  const todo = 'keep a copy of the file, remove it, and grade again';
  return new Problem({
    code: 'GRADES_DAMAGED',
    what: `this line is damaged: ${why}`,
    todo,
    file,
    line,
    exit: 3,
  });
}
