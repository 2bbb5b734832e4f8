/** What a run of Claude Code shows beside tokens: whether its tools were found, called and reached, by condition. */
import type { Event } from '../../events/event.js';
import { type RunReceipt, trialsInOrder } from '../../events/run-receipt.js';
import { standingOn, type Verdicts } from '../verdicts.js';
import { type Launches, launchesIn, launchTable, type TextOf } from './launches.js';
import { type Overhead, overheads } from './overhead.js';
import {
  type SearchCount,
  searchCounts,
  type ToolCount,
  toolCounts,
  type WrongAnswers,
  wrongAnswers,
} from './tools.js';
import { type Judged, type Use, useOf } from './use.js';

export interface ClaudeComparison {
  /** Versions of the host that answered, each once. More than one makes the run no experiment. */
  versions: string[];
  use: Use[];
  tools: ToolCount[];
  searches: SearchCount[];
  wrong: WrongAnswers[];
  overhead: Overhead[];
  launches: Launches[];
}

/** Where the tables come from, beside the receipt. */
export interface Sources {
  verdicts: Verdicts;
  /** Of the run's log, in order. */
  events: Iterable<Event>;
  textOf: TextOf;
}

/** The tables of a run whose host was Claude Code; null of any other. */
export function compareClaude(
  receipt: RunReceipt,
  { verdicts, events, textOf }: Sources,
): ClaudeComparison | null {
  const { host, plan } = receipt.open;
  if (host !== 'claude-code' || plan === null) return null;
  const trials = trialsInOrder(receipt).map(
    (trial): Judged => ({
      trial: trial.trial,
      receipt: trial,
      verdict: standingOn(trial, verdicts, receipt).verdict,
    }),
  );
  const names = plan.conditions.map(({ name }) => name);
  const phrasings = plan.phrasings.map(({ name }) => name);
  const wrong = names.map((name) => wrongAnswers(name, trials));
  return {
    versions: versionsOf(receipt),
    use: names.map((name) => useOf(name, phrasings, trials)),
    tools: names.flatMap((name) => toolCounts(name, trials)),
    searches: names.flatMap((name) => searchCounts(name, trials)),
    wrong: wrong.filter((each) => each !== null),
    overhead: overheads(plan.conditions, trials),
    launches: launchTable(plan.conditions, launchesIn(events), trials, textOf),
  };
}

function versionsOf({ attempts }: RunReceipt): string[] {
  const said = attempts.flatMap(({ launches }) => launches.map(({ version }) => version));
  return [...new Set(said.filter((version) => version !== null))];
}
