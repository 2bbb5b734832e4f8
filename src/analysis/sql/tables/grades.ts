/** The table `grades`: every verdict, the superseded ones too. */
import type { EventOf } from '../../../events/event.js';
import type { RunRecord } from '../run-record.js';
import { flag, list, table, text, time, whole } from '../table.js';

interface Row {
  run: string;
  grade: EventOf<'grade'>;
  condition: string | null;
  latest: boolean;
}

function rowsOf({ run, grades, attempts }: RunRecord): Row[] {
  const last = new Map(grades.map((grade) => [`${grade.attempt} ${grade.trial}`, grade]));
  const conditions = new Map(attempts.map(({ open }) => [open.trial, open.condition]));
  return grades.map((grade) => ({
    run,
    grade,
    condition: conditions.get(grade.trial) ?? null,
    latest: last.get(`${grade.attempt} ${grade.trial}`) === grade,
  }));
}

export const grades = table<Row>({
  name: 'grades',
  meaning: 'One row a verdict, superseded ones too. `seq` counts in grades.jsonl, which is a log of its own.',
  rows: rowsOf,
  columns: [
    text('run', 'Run id', ({ run }) => run),
    whole('seq', 'Event in grades.jsonl of the run', ({ grade }) => grade.seq),
    time('at', 'When it was graded', ({ grade }) => grade.at),
    text('trial', 'Trial id', ({ grade }) => grade.trial),
    whole('trial_attempt', 'Attempt that was judged: trials.attempt', ({ grade }) => grade.attempt),
    text('condition', 'Condition', ({ condition }) => condition),
    text('task', 'Task id', ({ grade }) => grade.task),
    flag('latest', 'Whether no later verdict on that attempt is there', ({ latest }) => latest),
    text('verdict', '`pass`, `fail` or `undecided`', ({ grade }) => grade.verdict),
    text(
      'execution',
      'Whether the trial completed: `pass`, `fail`, `not_required`, `not_reached`',
      (row) => row.grade.execution,
    ),
    text('answer', 'Whether the answer is the expected one', ({ grade }) => grade.answer),
    text('evidence', 'Whether every evidence id is cited', ({ grade }) => grade.evidence),
    text('caveats', 'Whether every required caveat is stated', ({ grade }) => grade.caveats),
    text('tool_path', 'Whether the tools were used as the key requires', ({ grade }) => grade.tool_path),
    list('reasons', 'What failed, in words', ({ grade }) => grade.reasons),
    text(
      'matched_form',
      'The accepted form that the answer has, as JSON',
      ({ grade }) => grade.matched?.form ?? null,
    ),
    text('matched_text', 'The part of the answer that has it', ({ grade }) => grade.matched?.text ?? null),
    text('key_sha256', 'SHA-256 of the key that judged', ({ grade }) => grade.key_sha256),
    text('keys', 'Where the key came from: `frozen` or a path', ({ grade }) => grade.keys),
    text('grader', 'Version of measure that judged', ({ grade }) => grade.grader),
    whole('log_count', 'Events of the log that was judged', ({ grade }) => grade.log_count),
    text('log_head', 'h of the last of them', ({ grade }) => grade.log_head),
  ],
});
