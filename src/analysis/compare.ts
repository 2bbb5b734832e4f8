/** Comparison: what each condition cost against a base, only where both answers pass. */
import * as aq from 'arquero';
import { Problem } from '../events/problem.js';
import { isVerified, replayFile } from '../events/replay.js';
import { type RunReceipt, trialsInOrder } from '../events/run-receipt.js';
import type { Store } from '../events/store.js';
import type { PlannedTrial } from '../study/plan.js';
import { called } from './tool-use.js';
import { type Override, receiptOf, standingOn, type Verdict, type Verdicts, verdictsOf } from './verdicts.js';

/** The figures that are compared. */
export const FIGURES = [
  'turns',
  'calls',
  'input_tokens',
  'output_tokens',
  'wire_bytes',
  'model_facing_bytes',
] as const;
export type Figure = (typeof FIGURES)[number];
export type Figures = Record<Figure, number>;

export interface TrialRow extends Figures {
  trial: string;
  task: string;
  phrasing: string;
  repetition: number;
  condition: string;
  /** What stands: a person's verdict, or else the key's. */
  verdict: Verdict | 'not graded';
  /** What the key said. */
  graded: Verdict | null;
  override: Override | null;
  /** Whether a call of the trial reached the server of the study. */
  called: boolean;
  usage_source: 'provider' | 'estimate' | 'none';
  /** Turns whose tokens are not known, and not in the figures. */
  turns_without_usage: number;
}

/** Sums over the pairs of one task, or of all tasks, in which both answers pass. */
export interface Comparison {
  /** Task id, null for the total. */
  task: string | null;
  condition: string;
  pairs: number;
  base: Figures;
  condition_sum: Figures;
  /** Condition ÷ base; null where the base is 0. Over 1 the condition costs more. */
  ratio: Record<Figure, number | null>;
}

export interface LeftOut {
  task: string;
  condition: string;
  phrasing: string;
  repetition: number;
  reason: string;
}

export interface CompareResult {
  run: string;
  base: string;
  /** `provider` or `estimate` for every trial of the run: a run has one source. */
  usage_source: 'provider' | 'estimate' | 'none';
  trials: TrialRow[];
  comparisons: Comparison[];
  left_out: LeftOut[];
  /** Where the keys of the verdicts came from: `frozen`, or files. */
  keys: string[];
  /** Whether the log is whole, closed, and every request could be rebuilt. */
  verified: boolean;
  /** Whether something is still open: a trial without a verdict that stands, or never begun, or a log not verified. */
  undecided: boolean;
}

/** Compares the conditions of a run with one of them. Throws `CONDITION_UNKNOWN` where the run has no such base. */
export function compareRun(store: Store, run: string, base: string): CompareResult {
  const file = store.eventsFile(run);
  const replayed = replayFile(file);
  const receipt = receiptOf(replayed, file);
  const conditions = receipt.open.plan?.conditions.map((condition) => condition.name) ?? [];
  if (!conditions.includes(base)) throw unknownCondition(run, base, conditions);
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
      ...pairUp(trials, missing, base),
      keys: [...new Set([...verdicts.grades.values()].map((grade) => grade.keys))],
    },
    ...{ verified, undecided: open || missing.length > 0 || !verified },
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

/** What stands for a trial in a pair: its row, or only its place in the plan where it never began. */
type Side = TrialRow | PlannedTrial;

function pairUp(
  rows: TrialRow[],
  missing: PlannedTrial[],
  base: string,
): { comparisons: Comparison[]; left_out: LeftOut[] } {
  const sides: Side[] = [...rows, ...missing];
  const bases = new Map(sides.filter((side) => side.condition === base).map((side) => [keyOf(side), side]));
  const pairs: Pair[] = [];
  const left_out: LeftOut[] = [];
  for (const side of sides.filter((candidate) => candidate.condition !== base)) {
    const other = bases.get(keyOf(side));
    const { task, condition, phrasing, repetition } = side;
    const reason = (other === undefined ? `${base} has no such trial` : whyNot(other)) ?? whyNot(side);
    if (reason !== null) left_out.push({ task, condition, phrasing, repetition, reason });
    else if (isRow(side) && other !== undefined && isRow(other))
      pairs.push({ task, condition, base: other, row: side });
  }
  return { comparisons: summarize(pairs), left_out };
}

function isRow(side: Side): side is TrialRow {
  return 'verdict' in side;
}

/** Why a trial takes part in no comparison; null where it may. */
function whyNot(side: Side): string | null {
  const { condition } = side;
  if (!isRow(side)) return `${condition} did not get to it`;
  if (side.verdict === 'not graded') return `${condition} is not graded: run \`measure grade\``;
  if (side.verdict !== 'pass')
    return side.verdict === 'fail' ? `${condition} failed` : `${condition} is undecided`;
  return side.turns_without_usage === 0 ? null : `${condition} has a turn whose tokens are not known`;
}

function keyOf(side: Side): string {
  return JSON.stringify([side.task, side.phrasing, side.repetition]);
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

type Pair = { task: string; condition: string; base: TrialRow; row: TrialRow };

/** Per task and condition, then per condition in total. */
function summarize(pairs: Pair[]): Comparison[] {
  if (pairs.length === 0) return [];
  const columns = Object.fromEntries(
    FIGURES.flatMap((figure) => [
      [`base_${figure}`, pairs.map((pair) => pair.base[figure])],
      [`row_${figure}`, pairs.map((pair) => pair.row[figure])],
    ]),
  );
  const table = aq.table({
    task: pairs.map((pair) => pair.task),
    condition: pairs.map((pair) => pair.condition),
    ...columns,
  });
  const sums = Object.fromEntries(Object.keys(columns).map((name) => [name, aq.op.sum(name)]));
  const perTask = table.groupby('task', 'condition').rollup({ pairs: aq.op.count(), ...sums });
  const total = table.groupby('condition').rollup({ pairs: aq.op.count(), ...sums });
  return [...perTask.objects(), ...total.objects()].map((row) => comparisonOf(new Map(Object.entries(row))));
}

function comparisonOf(row: Map<string, unknown>): Comparison {
  const number = (name: string) => Number(row.get(name));
  const base = figures((figure) => number(`base_${figure}`));
  const sum = figures((figure) => number(`row_${figure}`));
  const task = row.get('task');
  return {
    task: typeof task === 'string' ? task : null,
    condition: String(row.get('condition')),
    ...{ pairs: number('pairs'), base, condition_sum: sum },
    ratio: figures((figure) => (base[figure] === 0 ? null : sum[figure] / base[figure])),
  };
}

function figures<T>(value: (figure: Figure) => T): Record<Figure, T> {
  return {
    turns: value('turns'),
    calls: value('calls'),
    input_tokens: value('input_tokens'),
    output_tokens: value('output_tokens'),
    wire_bytes: value('wire_bytes'),
    model_facing_bytes: value('model_facing_bytes'),
  };
}
