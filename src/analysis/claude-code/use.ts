/** Whether a condition's tool was called, and whether the answer was right: two things, counted apart. */
import type { TrialReceipt } from '../../events/trial-receipt.js';
import { type Rate, rateOf } from '../rate.js';
import { called } from '../tool-use.js';
import type { Verdict } from '../verdicts.js';

/** A trial with the verdict that stands on it. */
export interface Judged {
  trial: string;
  receipt: TrialReceipt;
  verdict: Verdict | null;
}

export interface Use {
  condition: string;
  /** Of the trials that ended with an answer, or have a verdict that says pass or fail. */
  called: Rate;
  /** Of the same, as the study puts the question; in the order of the study. */
  called_by_phrasing: (Rate & { phrasing: string })[];
  /** Of the trials whose verdict is pass or fail. */
  right: Rate;
  /** Right answers of trials that never reached the server. */
  right_without_call: string[];
  /** Trials that are in no figure here: nothing is known of their answer. */
  left_out: string[];
}

/** Counts a condition's trials. */
export function useOf(condition: string, phrasings: string[], trials: Judged[]): Use {
  const mine = trials.filter(({ receipt }) => receipt.condition === condition);
  const ended = mine.filter((trial) => trial.receipt.status === 'completed' || isDecided(trial));
  const decided = mine.filter(isDecided);
  const rateOfCalls = (among: Judged[]) => rateOf(among, ({ receipt }) => called(receipt));
  const isRight = ({ verdict }: Judged) => verdict === 'pass';
  return {
    condition,
    called: rateOfCalls(ended),
    called_by_phrasing: phrasings.map((phrasing) => ({
      ...{ phrasing, ...rateOfCalls(ended.filter(({ receipt }) => receipt.phrasing === phrasing)) },
    })),
    right: rateOf(decided, isRight),
    right_without_call: decided
      .filter((trial) => isRight(trial) && !called(trial.receipt))
      .map(({ trial }) => trial),
    left_out: mine.filter((trial) => !ended.includes(trial)).map(({ trial }) => trial),
  };
}

function isDecided({ verdict }: Judged): boolean {
  return verdict === 'pass' || verdict === 'fail';
}
