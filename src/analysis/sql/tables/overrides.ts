/** The table `overrides`: every verdict of a person, the superseded ones and those taken back, too. */
import type { EventOf } from '../../../events/event.js';
import type { RunRecord } from '../run-record.js';
import { flag, table, text, time, whole } from '../table.js';

interface Row {
  run: string;
  override: EventOf<'override'>;
  condition: string | null;
  task: string | null;
  stands: boolean;
}

function rowsOf({ run, overrides, attempts }: RunRecord): Row[] {
  const standing = new Set(attempts.map(({ override }) => override?.event));
  const openings = new Map(attempts.map(({ open }) => [open.trial, open]));
  return overrides.map((override) => ({
    run,
    override,
    condition: openings.get(override.trial)?.condition ?? null,
    task: openings.get(override.trial)?.task ?? null,
    stands: standing.has(override.seq),
  }));
}

export const overrides = table<Row>({
  name: 'overrides',
  meaning:
    'One row a verdict of a person, superseded ones too. `seq` counts in grades.jsonl, as that of `grades` does.',
  rows: rowsOf,
  columns: [
    text('run', 'Run id', ({ run }) => run),
    whole('seq', 'Event in grades.jsonl of the run', ({ override }) => override.seq),
    time('at', 'When it was decided', ({ override }) => override.at),
    text('trial', 'Trial id', ({ override }) => override.trial),
    whole('trial_attempt', 'Attempt that was judged: trials.attempt', ({ override }) => override.attempt),
    text('condition', 'Condition', ({ condition }) => condition),
    text('task', 'Task id', ({ task }) => task),
    flag('stands', 'Whether it is what stands on that attempt', ({ stands }) => stands),
    text(
      'verdict',
      '`pass`, `fail` or `undecided`; NULL where the override before is taken back',
      ({ override }) => override.verdict,
    ),
    text('author', 'Who decided', ({ override }) => override.author),
    text('reason', 'Why', ({ override }) => override.reason),
    text('answer_sha256', 'SHA-256 of the answer that was judged', ({ override }) => override.answer_sha256),
    whole('log_count', 'Events of the log that was judged', ({ override }) => override.log_count),
    text('log_head', 'h of the last of them', ({ override }) => override.log_head),
  ],
});
