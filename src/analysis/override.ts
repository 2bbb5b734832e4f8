/** Overrides: a person's verdict on one trial, appended beside the grades with who decided and why. */
import { EventLog } from '../events/log.js';
import { Problem } from '../events/problem.js';
import { replayFile } from '../events/replay.js';
import { finalTrials, type RunReceipt } from '../events/run-receipt.js';
import type { Store } from '../events/store.js';
import type { TrialReceipt } from '../events/trial-receipt.js';
import { answerDigest, receiptOf, type Standing, standingOn, type Verdict, verdictsOf } from './verdicts.js';

export interface OverrideChoice {
  /** Trial id, which names task, condition, phrasing and repetition. */
  trial: string;
  /** Null takes back the override that stands. */
  verdict: Verdict | null;
  author: string;
  reason: string;
}

export interface OverrideResult extends Standing {
  run: string;
  trial: string;
  attempt: number;
  /** What stood before. */
  was: Verdict | null;
}

/**
 * Puts a person's verdict over the last attempt at a trial, or takes it back; earlier ones stay in the file. Throws
 * `TRIAL_UNKNOWN`, `TRIAL_INCOMPLETE` where events of it are missing, `REASON_REQUIRED`, and `OVERRIDE_UNKNOWN` where there
 * is none to take back.
 */
export function overrideTrial(store: Store, run: string, choice: OverrideChoice): OverrideResult {
  const { verdict, author, reason } = choice;
  if (reason.trim() === '') throw reasonRequired();
  const receipt = receiptOf(replayFile(store.eventsFile(run)), store.eventsFile(run));
  const trial = trialCalled(choice.trial, receipt);
  const file = store.gradesFile(run);
  const before = standingOn(trial, verdictsOf(file, run), receipt);
  if (verdict === null && before.override === null) throw nothingToTakeBack(trial, file);
  const log = EventLog.continue(file, run);
  try {
    log.append({
      ...{ type: 'override', trial: trial.trial, attempt: trial.attempt, verdict, author, reason },
      ...{ answer_sha256: answerDigest(trial), log_count: receipt.events, log_head: receipt.head },
    });
  } finally {
    log.close();
  }
  const now = standingOn(trial, verdictsOf(file, run), receipt);
  return { run, trial: trial.trial, attempt: trial.attempt, was: before.verdict, ...now };
}

function trialCalled(name: string, receipt: RunReceipt): TrialReceipt {
  const trials = finalTrials(receipt);
  const trial = trials.find((candidate) => candidate.trial === name);
  if (trial === undefined) throw unknownTrial(name, trials, receipt.run);
  if (!trial.incomplete) return trial;
  const what = `events of ${name} are missing or damaged, so nothing about it is decided`;
  throw new Problem({
    ...{ code: 'TRIAL_INCOMPLETE', what, todo: 'restore the log from a copy' },
    ...{ exit: 3 },
  });
}

function unknownTrial(name: string, trials: TrialReceipt[], run: string): Problem {
  const [task = ''] = name.split('/');
  const alike = trials.filter(({ trial }) => trial.startsWith(`${task}/`)).map(({ trial }) => trial);
  const some = (alike.length === 0 ? trials.map(({ trial }) => trial) : alike).slice(0, 3).join(', ');
  const what = `run ${run} has no trial "${name}" that was begun`;
  return new Problem({
    code: 'TRIAL_UNKNOWN',
    what,
    todo: `give the id of one, such as ${some || 'those of a run that has trials'}`,
  });
}

function reasonRequired(): Problem {
  const what = 'an override without a reason says nothing to whoever reads it later';
  return new Problem({ code: 'REASON_REQUIRED', what, todo: 'say why with --reason' });
}

function nothingToTakeBack({ trial }: TrialReceipt, file: string): Problem {
  const what = `no override stands on ${trial}`;
  return new Problem({ code: 'OVERRIDE_UNKNOWN', what, todo: 'see which do with `measure grade`', file });
}
