/** Comparisons for people. */
import type { CompareResult } from '../analysis/compare.js';
import type { Comparison, Figure, TrialRow } from '../analysis/pairs.js';
import { showClaudeCode } from './show-claude-code.js';
import { inWords } from './show-override.js';
import { type Column, integer, ratio, renderTable } from './table.js';

const SHOWN: Figure[] = ['input_tokens', 'output_tokens', 'wire_bytes', 'model_facing_bytes'];

export function showComparison(result: CompareResult): string {
  const { claude_code: claude, base } = result;
  const estimated = result.usage_source === 'estimate';
  return [
    `run ${result.run}${result.verified ? '' : ': NOT verified, see `measure replay`'}; keys: ${result.keys.join(', ') || 'not graded'}`,
    ...(claude === null ? ['', renderTable(trialColumns(estimated), trialRows(result.trials))] : []),
    ...(claude === null ? [] : showClaudeCode(claude, estimated)),
    ...result.trials.flatMap(({ trial, override }) =>
      override === null ? [] : [`${trial}: override: ${inWords(override)}`],
    ),
    ...(base === null ? [] : ['', ...totals(result, base, estimated), ...leftOut(result)]),
    ...(estimated ? ['', '~ tokens are estimates by a local tokenizer, not provider figures.'] : []),
  ].join('\n');
}

const right = (name: string): Column => ({ name, align: 'right' });

function figureNames(estimated: boolean): string[] {
  const mark = estimated ? '~' : '';
  return [`${mark}input tokens`, `${mark}output tokens`, 'wire bytes', 'model-facing bytes'];
}

function trialColumns(estimated: boolean): Column[] {
  const left = [{ name: 'task' }, { name: 'condition' }, { name: 'verdict' }];
  return [...left, ...['turns', 'calls', ...figureNames(estimated)].map(right)];
}

function trialRows(trials: TrialRow[]): string[][] {
  const many = trials.some((trial) => trial.repetition > 1 || trial.phrasing !== trials[0]?.phrasing);
  return trials.map((trial) => [
    trial.task,
    many ? `${trial.condition} (${trial.phrasing} ${trial.repetition})` : trial.condition,
    trial.override === null
      ? trial.verdict
      : `${trial.verdict} (override; key: ${trial.graded ?? 'not graded'})`,
    ...[
      trial.turns,
      trial.calls,
      trial.input_tokens,
      trial.output_tokens,
      trial.wire_bytes,
      trial.model_facing_bytes,
    ].map(integer),
  ]);
}

function totals({ comparisons }: CompareResult, base: string, estimated: boolean): string[] {
  const sums = comparisons.filter((comparison) => comparison.task === null);
  if (sums.length === 0) return ['no totals: there is no pair in which both answers pass'];
  const columns = [
    { name: 'total' },
    right('pairs'),
    ...figureNames(estimated).flatMap((name) => [right(name), right('')]),
  ];
  return [
    `totals against ${base}, over the pairs in which both answers pass:`,
    renderTable(columns, sums.map(totalRow)),
  ];
}

function totalRow({ condition, pairs, base, condition_sum: sum, ratio: ratios }: Comparison): string[] {
  const figures = SHOWN.flatMap((figure) => [
    `${integer(base[figure])} → ${integer(sum[figure])}`,
    ratio(ratios[figure]),
  ]);
  return [condition, integer(pairs), ...figures];
}

function leftOut({ left_out }: CompareResult): string[] {
  if (left_out.length === 0) return [];
  return [
    '',
    'left out:',
    ...left_out.map(
      (pair) => `  ${pair.task} × ${pair.condition} (${pair.phrasing} ${pair.repetition}): ${pair.reason}`,
    ),
  ];
}
