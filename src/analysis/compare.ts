/** Comparison: what each condition cost against a base, only where both answers pass. */
import * as aq from 'arquero';
import { Problem } from '../events/problem.js';
import { replayFile } from '../events/replay.js';
import { trialsInOrder } from '../events/run-receipt.js';
import type { Store } from '../events/store.js';
import { latestGrades, receiptOf } from './grade.js';
import type { Verdict } from './judge.js';

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
  verdict: Verdict | 'not graded';
  usage_source: 'provider' | 'estimate' | 'none';
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
  /** Whether a trial has no verdict yet, or none that stands. */
  undecided: boolean;
}

/** Compares the conditions of a run with one of them. Throws `CONDITION_UNKNOWN` where the run has no such base. */
export function compareRun(store: Store, run: string, base: string): CompareResult {
  const rows = trialRows(store, run);
  const conditions = [...new Set(rows.map((row) => row.condition))];
  if (!conditions.includes(base)) {
    const todo =
      conditions.length === 0
        ? 'record a run that gets as far as a trial'
        : `use --base with one of: ${conditions.join(', ')}`;
    throw new Problem({
      code: 'CONDITION_UNKNOWN',
      what: `run ${run} has no trial of the condition "${base}"`,
      todo,
    });
  }
  return {
    ...{ run, base, usage_source: rows.find((row) => row.usage_source !== 'none')?.usage_source ?? 'none' },
    trials: rows,
    ...pairUp(rows, base),
    undecided: rows.some((row) => row.verdict === 'undecided' || row.verdict === 'not graded'),
  };
}

/** One row a trial: its verdict, if one stands for this very log, and its figures. */
function trialRows(store: Store, run: string): TrialRow[] {
  const receipt = receiptOf(replayFile(store.eventsFile(run)), store.eventsFile(run));
  const grades = latestGrades(store.gradesFile(run));
  return trialsInOrder(receipt).map((trial): TrialRow => {
    const grade = grades.get(trial.trial);
    const standing =
      grade?.log_head === receipt.head && grade.attempt === trial.attempt ? grade.verdict : 'not graded';
    const { turns, calls, input_tokens, output_tokens, wire_bytes, model_facing_bytes, usage_source } =
      trial.totals;
    return {
      ...{
        trial: trial.trial,
        task: trial.task ?? '',
        phrasing: trial.phrasing ?? '',
        repetition: trial.repetition,
      },
      ...{ condition: trial.condition, verdict: standing, usage_source },
      ...{ turns, calls, input_tokens, output_tokens, wire_bytes, model_facing_bytes },
    };
  });
}

function pairUp(rows: TrialRow[], base: string): { comparisons: Comparison[]; left_out: LeftOut[] } {
  const bases = new Map(rows.filter((row) => row.condition === base).map((row) => [keyOf(row), row]));
  const pairs: { task: string; condition: string; base: TrialRow; row: TrialRow }[] = [];
  const left_out: LeftOut[] = [];
  for (const row of rows.filter((candidate) => candidate.condition !== base)) {
    const other = bases.get(keyOf(row));
    const reason =
      other === undefined
        ? `no ${base} trial to compare with`
        : (whyNot(other, base) ?? whyNot(row, row.condition));
    const { task, condition, phrasing, repetition } = row;
    if (other === undefined || reason !== null)
      left_out.push({ task, condition, phrasing, repetition, reason: reason ?? '' });
    else pairs.push({ task, condition, base: other, row });
  }
  return { comparisons: summarize(pairs), left_out };
}

function whyNot(row: TrialRow, condition: string): string | null {
  if (row.verdict === 'pass') return null;
  if (row.verdict === 'not graded') return `${condition} is not graded: run \`measure grade\``;
  return row.verdict === 'fail' ? `${condition} failed` : `${condition} is undecided`;
}

function keyOf(row: TrialRow): string {
  return JSON.stringify([row.task, row.phrasing, row.repetition]);
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
