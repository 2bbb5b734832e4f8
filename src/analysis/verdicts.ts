/** Verdicts that stand: the last word on each trial, of a person or of a key, out of the file that lies beside a log. */
import { existsSync } from 'node:fs';
import { sha256 } from '../events/bytes.js';
import type { EventOf } from '../events/event.js';
import { Problem } from '../events/problem.js';
import { readLog } from '../events/reader.js';
import type { Replay } from '../events/replay.js';
import type { RunReceipt } from '../events/run-receipt.js';
import type { TrialReceipt } from '../events/trial-receipt.js';

/** What a verdict may say. */
export type Verdict = EventOf<'grade'>['verdict'];

/** The last grade and the last override of each trial of a run, by its id. */
export interface Verdicts {
  grades: Map<string, EventOf<'grade'>>;
  overrides: Map<string, EventOf<'override'>>;
}

/** A verdict of a person that stands in place of the key's. */
export interface Override {
  verdict: Verdict;
  author: string;
  reason: string;
  at: string;
  /** seq of the event in grades.jsonl. */
  event: number;
}

/** What stands on a trial. */
export interface Standing {
  /** The override's verdict, or else the key's; null where neither stands. */
  verdict: Verdict | null;
  /** What the key said; null where no grade stands for this very log. */
  graded: Verdict | null;
  override: Override | null;
}

/** The latest verdicts on each trial of a run. An absent file has none; a damaged or foreign one throws `GRADES_DAMAGED`. */
export function verdictsOf(file: string, run: string): Verdicts {
  const verdicts = noVerdicts();
  if (!existsSync(file)) return verdicts;
  for (const line of readLog(file)) {
    if (line.kind !== 'ok' || line.detail !== null)
      throw damagedGrades(file, line.number, line.detail ?? line.kind);
    if (line.event.run !== run) throw damagedGrades(file, line.number, `it belongs to ${line.event.run}`);
    if (line.event.type === 'grade') verdicts.grades.set(line.event.trial, line.event);
    if (line.event.type === 'override') verdicts.overrides.set(line.event.trial, line.event);
  }
  return verdicts;
}

/** Nothing was said about any trial. */
export function noVerdicts(): Verdicts {
  return { grades: new Map(), overrides: new Map() };
}

/**
 * What stands on a trial: the grade, if it judged this very log, and over it the override, if it judged this answer of this
 * attempt. Of a trial with events missing nothing is decided, whatever was said while the log was whole.
 */
export function standingOn(trial: TrialReceipt, verdicts: Verdicts, receipt: RunReceipt): Standing {
  if (trial.incomplete) return { verdict: 'undecided', graded: null, override: null };
  const grade = verdicts.grades.get(trial.trial);
  const graded = grade?.log_head === receipt.head ? grade.verdict : null;
  const override = overrideOn(trial, verdicts.overrides.get(trial.trial));
  return { verdict: override?.verdict ?? graded, graded, override };
}

/** An override that stands on this attempt; null where it is of another one, of another answer, or was taken back. */
export function overrideOn(trial: TrialReceipt, last: EventOf<'override'> | undefined): Override | null {
  if (last === undefined || last.verdict === null) return null;
  if (last.attempt !== trial.attempt || last.answer_sha256 !== answerDigest(trial)) return null;
  const { verdict, author, reason, at, seq } = last;
  return { verdict, author, reason, at, event: seq };
}

/** SHA-256 of the final text of a trial, null where there is none. */
export function answerDigest({ answer_text }: TrialReceipt): string | null {
  return answer_text === null ? null : sha256(answer_text);
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
