/** The table `runs`. */
import type { EventOf } from '../../../events/event.js';
import { totalsOf } from '../../../events/run-receipt.js';
import type { RunRecord } from '../run-record.js';
import { bytes, type ColumnOf, list, milliseconds, table, text, time, tokens, whole } from '../table.js';

interface Row {
  record: RunRecord;
  open: EventOf<'run_open'> | null;
  totals: ReturnType<typeof totalsOf>;
}

const what: ColumnOf<Row>[] = [
  text('run', 'Run id', ({ record }) => record.run),
  whole('seq', 'The run_open event, NULL where it is damaged', ({ open }) => open?.seq ?? null),
  time('opened_at', 'When the run began', ({ open }) => open?.at ?? null),
  text('study', 'Name of the study', ({ open }) => open?.study.name ?? null),
  text('study_path', 'Path of the study at the time', ({ open }) => open?.study.path ?? null),
  text('study_sha256', 'SHA-256 of study.yaml', ({ open }) => open?.study.sha256 ?? null),
  text('host', '`scripted`, `messages` or `claude-code`', ({ open }) => open?.host ?? null),
  text('model', 'Model that was asked for', ({ open }) => open?.model ?? null),
  text(
    'endpoint',
    'Messages endpoint, NULL for the embedded model',
    ({ open }) => open?.runtime.endpoint ?? null,
  ),
];

const how: ColumnOf<Row>[] = [
  text('status', '`completed`, `failed`, or `interrupted` where no run_close is there', ({ record }) =>
    record.receipt === null ? 'interrupted' : record.receipt.status,
  ),
  text('failure', 'Failure code of the run', ({ record }) => record.receipt?.failure ?? null),
  text('startup_code', 'Start-up check that failed', ({ record }) => record.receipt?.startup_code ?? null),
  text('signal', 'Signal that interrupted the run', ({ record }) => record.receipt?.signal ?? null),
  text('message', 'The failure in words', ({ record }) => record.receipt?.message ?? null),
];

const plan: ColumnOf<Row>[] = [
  list(
    'conditions',
    'Conditions of the plan',
    ({ open }) => open?.plan?.conditions.map(({ name }) => name) ?? null,
  ),
  whole(
    'repetitions',
    'Repetitions of each task, phrasing and condition',
    ({ open }) => open?.plan?.repetitions ?? null,
  ),
  text('plan_order', '`listed` or `shuffled`', ({ open }) => open?.plan?.order ?? null),
  whole('seed', 'Seed of the order', ({ open }) => open?.plan?.seed ?? null),
  text('on_failure', '`stop` or `continue`', ({ open }) => open?.plan?.on_failure ?? null),
  whole('max_turns', 'Turns that a trial may take', ({ open }) => open?.limits?.max_turns ?? null),
  tokens(
    'max_tokens',
    'Output tokens that a model call may produce',
    ({ open }) => open?.limits?.max_tokens ?? null,
  ),
  milliseconds(
    'model_timeout_ms',
    'Limit of a model call',
    ({ open }) => open?.limits?.model_timeout_ms ?? null,
  ),
  milliseconds(
    'tool_timeout_ms',
    'Limit of a tool call',
    ({ open }) => open?.limits?.tool_timeout_ms ?? null,
  ),
];

const sums: ColumnOf<Row>[] = [
  whole('trials', 'Trials planned, probes not counted', ({ totals }) => totals.trials),
  whole('completed', 'Attempts that ended with an answer', ({ totals }) => totals.completed),
  whole('failed', 'Attempts that failed', ({ totals }) => totals.failed),
  whole('skipped', 'Trials that were skipped', ({ totals }) => totals.skipped),
  whole('turns', 'Model turns that were answered', ({ totals }) => totals.turns),
  whole('calls', 'Tool calls', ({ totals }) => totals.calls),
  tokens(
    'input_tokens',
    'Input tokens with both cache figures, every attempt',
    ({ totals }) => totals.input_tokens,
  ),
  tokens('output_tokens', 'Output tokens, every attempt', ({ totals }) => totals.output_tokens),
  text(
    'usage_source',
    '`provider`, `estimate` or `none`: who counted the tokens',
    ({ totals }) => totals.usage_source,
  ),
  bytes('wire_bytes', 'Responses of tool calls on the wire', ({ totals }) => totals.wire_bytes),
  bytes('model_facing_bytes', 'Tool results as sent to the model', ({ totals }) => totals.model_facing_bytes),
];

const made: ColumnOf<Row>[] = [
  text('measure_version', 'Version of measure', ({ open }) => open?.runtime.measure ?? null),
  text('node_version', 'Version of Node', ({ open }) => open?.runtime.node ?? null),
  text('platform', 'Operating system and processor', ({ open }) => open?.runtime.platform ?? null),
  text('git_commit', 'Commit of measure', ({ open }) => open?.runtime.git_commit ?? null),
  text('tokenizer', 'Tokenizer behind estimates', ({ open }) => open?.runtime.tokenizer ?? null),
];

const log: ColumnOf<Row>[] = [
  whole('events', 'Events of the log that the reader accepted', ({ record }) => record.logged.length),
  text('head', 'h of the last of them', ({ record }) => record.logged.at(-1)?.event.h ?? null),
  text('log', 'Path of the log', ({ record }) => record.log),
  whole(
    'damaged_lines',
    'Lines of the log and of the grades that are damaged',
    ({ record }) => record.damage?.lines ?? 0,
  ),
];

export const runs = table<Row>({
  name: 'runs',
  meaning: 'One row a run. Sums are over every attempt that was billed; probes are left out.',
  rows: (record) => {
    const open = record.receipt?.open ?? null;
    return [
      { record, open, totals: totalsOf(record.receipt?.attempts ?? [], open?.plan?.trials.length ?? 0) },
    ];
  },
  columns: [...what, ...how, ...plan, ...sums, ...made, ...log],
});
