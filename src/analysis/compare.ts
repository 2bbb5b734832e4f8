/** Comparison: what each condition cost against a base, only where both answers pass. */
import type { Event } from '../events/event.js';
import { Problem } from '../events/problem.js';
import { readLog } from '../events/reader.js';
import { isVerified, replayFile } from '../events/replay.js';
import { type RunReceipt, trialsInOrder } from '../events/run-receipt.js';
import type { Store } from '../events/store.js';
import { type ClaudeComparison, compareClaude } from './claude-code/compare.js';
import { type Comparison, type LeftOut, pairUp, type TrialRow } from './pairs.js';
import { called } from './tool-use.js';
import { receiptOf, standingOn, type Verdicts, verdictsOf } from './verdicts.js';

export interface CompareResult {
  run: string;
  /** Null where no condition is the base, so that there are no pairs. */
  base: string | null;
  /** `provider` or `estimate` for every trial of the run: a run has one source. */
  usage_source: 'provider' | 'estimate' | 'none';
  trials: TrialRow[];
  comparisons: Comparison[];
  left_out: LeftOut[];
  /** Of a run of Claude Code, else null. */
  claude_code: ClaudeComparison | null;
  /** Where the keys of the verdicts came from: `frozen`, or files. */
  keys: string[];
  /** Whether the log is whole, closed, and every request could be rebuilt. */
  verified: boolean;
  /** Whether something is still open: a trial without a verdict that stands, or never begun, or a log not verified. */
  undecided: boolean;
}

/**
 * Compares the conditions of a run with one of them: with `baseline` where none is named. Throws `CONDITION_UNKNOWN` where
 * the run has no such base; under Claude Code it may do without one.
 */
export function compareRun(store: Store, run: string, named: string | null): CompareResult {
  const file = store.eventsFile(run);
  const replayed = replayFile(file);
  const receipt = receiptOf(replayed, file);
  const base = baseOf(receipt, named);
  const verdicts = verdictsOf(store.gradesFile(run), run);
  const trials = trialRows(receipt, verdicts);
  const begun = new Set(trials.map((row) => row.trial));
  const missing = (receipt.open.plan?.trials ?? []).filter((trial) => !begun.has(trial.id));
  const verified = isVerified(replayed);
  const open = trials.some((row) => row.verdict === 'undecided' || row.verdict === 'not graded');
  return {
    ...{ run, base, usage_source: trials.find((row) => row.usage_source !== 'none')?.usage_source ?? 'none' },
    ...{
      trials,
      ...(base === null ? { comparisons: [], left_out: [] } : pairUp(trials, missing, base)),
      claude_code: compareClaude(receipt, { verdicts, events: eventsOf(file), textOf: textIn(store) }),
      keys: [...new Set([...verdicts.grades.values()].map((grade) => grade.keys))],
    },
    ...{ verified, undecided: open || missing.length > 0 || !verified },
  };
}

const BASE = 'baseline';

function baseOf(receipt: RunReceipt, named: string | null): string | null {
  const conditions = receipt.open.plan?.conditions.map((condition) => condition.name) ?? [];
  const base = named ?? BASE;
  if (conditions.includes(base)) return base;
  if (named === null && conditions.length > 0 && receipt.open.host === 'claude-code') return null;
  throw unknownCondition(receipt.run, base, conditions);
}

function* eventsOf(file: string): Iterable<Event> {
  for (const { event } of readLog(file)) if (event !== null) yield event;
}

/** A blob as text; null where the store has lost it: a table can be made without. */
function textIn(store: Store): (sha256: string) => string | null {
  return (sha256) => {
    try {
      return store.getBlob(sha256).toString('utf8');
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  };
}

/** One row a trial: its verdict, if one stands for this very log, and its figures. */
function trialRows(receipt: RunReceipt, verdicts: Verdicts): TrialRow[] {
  return trialsInOrder(receipt).map((trial): TrialRow => {
    const { turns, calls, input_tokens, output_tokens, wire_bytes, model_facing_bytes } = trial.totals;
    const { usage_source, turns_without_usage } = trial.totals;
    const { verdict, graded, override } = standingOn(trial, verdicts, receipt);
    return {
      ...{ trial: trial.trial, task: trial.task ?? '', phrasing: trial.phrasing ?? '' },
      ...{ repetition: trial.repetition, condition: trial.condition },
      ...{ verdict: verdict ?? 'not graded', graded, override, called: called(trial) },
      ...{ usage_source, turns_without_usage },
      ...{ turns, calls, input_tokens, output_tokens, wire_bytes, model_facing_bytes },
    };
  });
}

function unknownCondition(run: string, base: string, conditions: string[]): Problem {
  const what = `run ${run} has no condition "${base}"`;
  return conditions.length === 0
    ? new Problem({
        ...{ code: 'RUN_WITHOUT_TRIALS', what: `run ${run} has no trial: its start-up failed` },
        ...{ todo: 'see `measure replay`, and record a new run', exit: 3 },
      })
    : new Problem({
        code: 'CONDITION_UNKNOWN',
        what,
        todo: `use --base with one of: ${conditions.join(', ')}`,
      });
}
