/** The runs of a store, a line each. */
import { existsSync } from 'node:fs';
import { replayFile } from '../events/replay.js';
import { finalTrials, totalsOf } from '../events/run-receipt.js';
import type { Store } from '../events/store.js';
import { latestGrades } from './grade.js';

export interface RunLine {
  run: string;
  study: string | null;
  model: string | null;
  status: string;
  /** Whether a line of the log is damaged. */
  damaged: boolean;
  trials: number;
  pass: number;
  fail: number;
  input_tokens: number;
  output_tokens: number;
  usage_source: string;
}

/** Every run, oldest first; one whose log cannot even be opened is shown as `unreadable`. */
export function listRuns(store: Store): RunLine[] {
  return store.runs().map((run) => lineOf(store, run));
}

function lineOf(store: Store, run: string): RunLine {
  const unknown = {
    run,
    study: null,
    model: null,
    trials: 0,
    pass: 0,
    fail: 0,
    input_tokens: 0,
    output_tokens: 0,
  };
  const file = store.eventsFile(run);
  if (!existsSync(file)) return { ...unknown, status: 'no log', damaged: true, usage_source: 'none' };
  const { receipt, damage } = replayFile(file);
  if (receipt === null) return { ...unknown, status: 'unreadable', damaged: true, usage_source: 'none' };
  const verdicts = [...latestGrades(store.gradesFile(run)).values()].map((grade) => grade.verdict);
  const totals = totalsOf(receipt.attempts, finalTrials(receipt).length);
  const { trials, input_tokens, output_tokens, usage_source } = totals;
  return {
    ...{
      run,
      study: receipt.open.study.name,
      model: receipt.open.model,
      status: receipt.status,
      damaged: damage.length > 0,
    },
    ...{ trials, input_tokens, output_tokens, usage_source },
    pass: verdicts.filter((verdict) => verdict === 'pass').length,
    fail: verdicts.filter((verdict) => verdict === 'fail').length,
  };
}
