/** The runs of a store, a line each. */
import { existsSync } from 'node:fs';
import { Problem } from '../events/problem.js';
import { replayFile } from '../events/replay.js';
import { finalTrials, totalsOf } from '../events/run-receipt.js';
import type { Store } from '../events/store.js';
import { noVerdicts, standingOn, verdictsOf } from './verdicts.js';

export interface RunLine {
  run: string;
  study: string | null;
  model: string | null;
  status: string;
  /** Whether a line of the log is damaged. */
  damaged: boolean;
  /** Whether grades.jsonl can be relied on; `pass` and `fail` are 0 where it cannot. */
  grades: 'ok' | 'unreadable';
  /** Trials planned. */
  trials: number;
  /** Verdicts that stand: overrides, and grades of this very log. */
  pass: number;
  fail: number;
  /** Of these and the undecided, those that a person decided. */
  overrides: number;
  input_tokens: number;
  output_tokens: number;
  usage_source: string;
}

/**
 * Every run, oldest first. A run that cannot be shown is listed all the same: `no log`, `unreadable` (which says nothing
 * about what is in it), `empty`, or `no run_open`.
 */
export function listRuns(store: Store): RunLine[] {
  return store.runs().map((run) => lineOf(store, run));
}

function lineOf(store: Store, run: string): RunLine {
  if (!existsSync(store.eventsFile(run))) return unknownRun(run, 'no log', true);
  const replayed = readable(() => replayFile(store.eventsFile(run)));
  if (replayed === null) return unknownRun(run, 'unreadable', false);
  const { receipt, damage } = replayed;
  if (receipt === null) return unknownRun(run, damage.length === 0 ? 'empty' : 'no run_open', true);
  const grades = readable(() => verdictsOf(store.gradesFile(run), run));
  const trials = finalTrials(receipt);
  const standing = trials.map((trial) => standingOn(trial, grades ?? noVerdicts(), receipt));
  const having = (verdict: string) => standing.filter((each) => each.verdict === verdict).length;
  const { input_tokens, output_tokens, usage_source } = totalsOf(receipt.attempts, trials.length);
  return {
    ...{ run, study: receipt.open.study.name, model: receipt.open.model, status: receipt.status },
    ...{
      damaged: damage.length > 0,
      grades: grades === null ? 'unreadable' : 'ok',
      trials: receipt.open.plan?.trials.length ?? 0,
    },
    ...{ pass: having('pass'), fail: having('fail') },
    overrides: standing.filter(({ override }) => override !== null).length,
    ...{ input_tokens, output_tokens, usage_source },
  };
}

function unknownRun(run: string, status: string, damaged: boolean): RunLine {
  return {
    ...{ run, study: null, model: null, status, damaged, grades: 'ok', trials: 0, pass: 0, fail: 0 },
    ...{ overrides: 0, input_tokens: 0, output_tokens: 0, usage_source: 'none' },
  };
}

/** What is read; null where a `Problem` says that it cannot be. */
function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
