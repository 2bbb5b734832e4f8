/** Verdicts for people. */
import type { RunGrade, TrialGrade } from '../analysis/grade.js';
import { visible } from '../events/visible.js';
import { inWords } from './show-override.js';
import { counted, renderTable } from './table.js';

export function showGrade(graded: RunGrade): string {
  const many = graded.trials.some(
    (trial) => trial.repetition > 1 || trial.phrasing !== graded.trials[0]?.phrasing,
  );
  const rows = graded.trials.map((trial) => [
    trial.task,
    many ? `${trial.condition} (${trial.phrasing} ${trial.repetition})` : trial.condition,
    verdictWord(trial),
    trial.called ? 'yes' : 'no',
    ...[trial.execution, trial.answer, trial.evidence, trial.caveats, trial.tool_path].map(checkWord),
  ]);
  const names = [
    ...['task', 'condition', 'verdict', 'called', 'execution', 'answer', 'evidence', 'caveats', 'tool path'],
  ];
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
    ...graded.trials.flatMap(({ trial, override }) =>
      override === null ? [] : [`${trial}: override: ${inWords(override)}`],
    ),
    ...graded.trials.flatMap((trial) => trial.reasons.map((reason) => `${trial.trial}: ${visible(reason)}`)),
    ...graded.warnings.map((warning) => `warning: ${warning}`),
    summary(graded),
  ].join('\n');
}

/** What stands; what the key says where a person says otherwise; and what it said before. */
function verdictWord({ stands, verdict, override, flipped, was }: TrialGrade): string {
  const notes = [
    ...(override === null ? [] : [`override; key: ${verdict}`]),
    ...(flipped ? [`was ${was}`] : []),
  ];
  return `${stands}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}

function checkWord(check: TrialGrade['answer']): string {
  return { pass: 'pass', fail: 'FAIL', not_required: '–', not_reached: '·' }[check];
}

function summary({ trials, appended }: RunGrade): string {
  const having = (verdict: string) => trials.filter((trial) => trial.stands === verdict).length;
  const overridden = trials.filter(({ override }) => override !== null).length;
  const by = overridden === 0 ? '' : ` (${counted(overridden, 'override')})`;
  const flipped = trials.filter((trial) => trial.flipped);
  const flips =
    flipped.length === 0
      ? ''
      : `; flipped: ${flipped.map((trial) => `${trial.trial} ${trial.was} → ${trial.verdict}`).join(', ')}`;
  return `${having('pass')} pass, ${having('fail')} fail, ${having('undecided')} undecided${by}; ${counted(appended, 'new verdict')}${flips}`;
}

/** 3 where a run is incomplete or unverifiable, else 1 where a verdict failed, else 3 where one is undecided, else 0. */
export function gradeExit(runs: RunGrade[]): number {
  const verdicts = runs.flatMap((run) => run.trials.map((trial) => trial.stands));
  if (runs.some((run) => !run.verified || run.trials.length === 0)) return 3;
  if (verdicts.includes('fail')) return 1;
  return verdicts.includes('undecided') ? 3 : 0;
}
