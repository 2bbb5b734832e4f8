/** What a server costs that is not used: input tokens of one-turn trials against the same without a server. */
import type { RunReceipt } from '../../events/run-receipt.js';
import { type Spread, spreadOf } from '../rate.js';
import type { Judged } from './use.js';

type Condition = NonNullable<RunReceipt['open']['plan']>['conditions'][number];

export interface Overhead {
  condition: string;
  tool_search: boolean;
  /** Condition without a server, whose tool search and settings are the same. */
  base: string;
  /** Input tokens of the trials that have a partner; null where none has. */
  base_tokens: Spread | null;
  tokens: Spread | null;
  /** Of each pair: with the server less without. */
  difference: Spread | null;
  /** The pairs: the trial with the server, then the one without. */
  pairs: [string, string][];
  /** Trials of the condition without a partner, or of other than one turn, or with tokens that are not known. */
  left_out: string[];
}

/** The overhead of each condition that has a base. */
export function overheads(conditions: Condition[], trials: Judged[]): Overhead[] {
  return conditions.flatMap((condition) => {
    const base = conditions.find((other) => other.server === null && isAlike(other, condition));
    return condition.server === null || base === undefined ? [] : [overheadOf(condition, base, trials)];
  });
}

function isAlike(a: Condition, b: Condition): boolean {
  const facts = ({ tool_search = true, settings = {} }: Condition) =>
    JSON.stringify([tool_search, Object.entries(settings).sort()]);
  return facts(a) === facts(b);
}

function overheadOf(condition: Condition, base: Condition, trials: Judged[]): Overhead {
  const mine = trials.filter(({ receipt }) => receipt.condition === condition.name);
  const others = trials.filter((other) => other.receipt.condition === base.name && isOneTurn(other));
  const pairs = mine.filter(isOneTurn).flatMap((trial) => {
    const other = others.find((candidate) => placeOf(candidate) === placeOf(trial));
    return other === undefined ? [] : [{ trial, other }];
  });
  const paired = new Set(pairs.map(({ trial }) => trial));
  return {
    ...{ condition: condition.name, tool_search: condition.tool_search ?? true, base: base.name },
    base_tokens: spreadOf(pairs.map(({ other }) => tokensOf(other))),
    tokens: spreadOf(pairs.map(({ trial }) => tokensOf(trial))),
    difference: spreadOf(pairs.map(({ trial, other }) => tokensOf(trial) - tokensOf(other))),
    pairs: pairs.map(({ trial, other }) => [trial.trial, other.trial]),
    left_out: mine.filter((trial) => !paired.has(trial)).map(({ trial }) => trial),
  };
}

/** A trial whose tokens are those of one request, and known. */
function isOneTurn({ receipt: { status, totals } }: Judged): boolean {
  return status === 'completed' && totals.turns === 1 && totals.turns_without_usage === 0;
}

function placeOf({ receipt: { task, phrasing, repetition } }: Judged): string {
  return JSON.stringify([task, phrasing, repetition]);
}

function tokensOf({ receipt }: Judged): number {
  return receipt.totals.input_tokens;
}
