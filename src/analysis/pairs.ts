/** Pairs of trials that differ in their condition alone, and the sums over those in which both answers pass. */
import * as aq from 'arquero';
import type { PlannedTrial } from '../study/plan.js';
import type { Override, Verdict } from './verdicts.js';

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

/** What stands for a trial in a pair: its row, or only its place in the plan where it never began. */
type Side = TrialRow | PlannedTrial;

/** Pairs each trial with that of the base, and sums what both cost where both answers pass. */
export function pairUp(
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
