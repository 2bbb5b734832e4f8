/** Verdicts for people. */
import type { RunGrade, TrialGrade } from '../analysis/grade.js';
import { visible } from '../events/visible.js';
import { renderTable } from './table.js';

export function showGrade(graded: RunGrade): string {
  const rows = graded.trials.map((trial) => [
    trial.task,
    trial.condition,
    `${trial.verdict}${trial.flipped ? ` (was ${trial.was})` : ''}`,
    ...[trial.execution, trial.answer, trial.evidence, trial.caveats, trial.tool_path].map(checkWord),
  ]);
  const names = ['task', 'condition', 'verdict', 'execution', 'answer', 'evidence', 'caveats', 'tool path'];
  return [
    `run ${graded.run}: ${graded.status}${graded.verified ? '' : ', NOT verified: see `measure replay`'}; keys: ${graded.keys}`,
    ...(rows.length === 0
      ? ['no trial to judge']
      : [
          renderTable(
            names.map((name) => ({ name })),
            rows,
          ),
        ]),
    ...graded.trials.flatMap((trial) => trial.reasons.map((reason) => `${trial.trial}: ${visible(reason)}`)),
    ...graded.warnings.map((warning) => `warning: ${warning}`),
    summary(graded),
  ].join('\n');
}

function checkWord(check: TrialGrade['answer']): string {
  return { pass: 'pass', fail: 'FAIL', not_required: '–', not_reached: '·' }[check];
}

function summary({ trials, appended }: RunGrade): string {
  const having = (verdict: string) => trials.filter((trial) => trial.verdict === verdict).length;
  const flipped = trials.filter((trial) => trial.flipped);
  const flips =
    flipped.length === 0
      ? ''
      : `; flipped: ${flipped.map((trial) => `${trial.trial} ${trial.was} → ${trial.verdict}`).join(', ')}`;
  return `${having('pass')} pass, ${having('fail')} fail, ${having('undecided')} undecided; ${appended} new verdicts${flips}`;
}

/** 3 where a run is incomplete or unverifiable, else 1 where a verdict failed, else 3 where one is undecided, else 0. */
export function gradeExit(runs: RunGrade[]): number {
  const verdicts = runs.flatMap((run) => run.trials.map((trial) => trial.verdict));
  if (runs.some((run) => !run.verified || run.trials.length === 0)) return 3;
  if (verdicts.includes('fail')) return 1;
  return verdicts.includes('undecided') ? 3 : 0;
}
