/** The table `trials`. */
import { called } from '../../tool-use.js';
import type { Attempt } from '../run-record.js';
import {
  bytes,
  type ColumnOf,
  flag,
  json,
  milliseconds,
  table,
  text,
  time,
  tokens,
  whole,
} from '../table.js';

const what: ColumnOf<Attempt>[] = [
  text('run', 'Run id', ({ run }) => run),
  whole('seq', 'The trial_open event in the log of the run', ({ open }) => open.seq),
  time('opened_at', 'When the attempt began', ({ open }) => open.at),
  text('trial', 'Trial id', ({ open }) => open.trial),
  whole('attempt', 'Attempt at this trial, from 1', ({ open }) => open.attempt),
  flag('final', 'Whether it is the last attempt at a trial; false for a probe', ({ final }) => final),
  text('purpose', '`trial`, or `probe`, which never counts in totals', ({ open }) => open.purpose),
  text('condition', 'Condition', ({ open }) => open.condition),
  text('task', 'Task id, NULL for a probe', ({ open }) => open.task),
  text('phrasing', 'Phrasing, NULL for a probe', ({ open }) => open.phrasing),
  whole('repetition', 'Repetition, from 1', ({ open }) => open.repetition),
];

const how: ColumnOf<Attempt>[] = [
  text(
    'status',
    '`completed`, `failed`, `skipped`, `interrupted` or `in_doubt`: a fact',
    ({ receipt }) => receipt.status,
  ),
  text('failure', 'Failure code', ({ receipt }) => receipt.failure),
  text('message', 'The failure in words', ({ receipt }) => receipt.message),
  text(
    'verdict',
    '`pass`, `fail`, `undecided`: what stands, an override or else the latest grade; NULL where there is neither',
    ({ verdict }) => verdict,
  ),
  text(
    'graded',
    'The latest grade, whatever a person said; NULL where there is none',
    ({ graded }) => graded,
  ),
  flag('overridden', 'Whether a person decided: see overrides', ({ override }) => override !== null),
  flag(
    'incomplete',
    'Whether events of it are missing or damaged: its figures are then too small, and it is undecided',
    ({ receipt }) => receipt.incomplete,
  ),
  milliseconds(
    'elapsed_ms',
    'The whole attempt, NULL where it has no close',
    ({ receipt }) => receipt.elapsed_ms,
  ),
  text('closed_how', "How the server's session ended", ({ receipt }) => receipt.closed?.how ?? null),
  whole('exit_code', 'Exit code of the server', ({ receipt }) => receipt.closed?.exit_code ?? null),
  whole('faults', 'Faults in the attempt', ({ receipt }) => receipt.faults.length),
];

const cost: ColumnOf<Attempt>[] = [
  whole('turns', 'Model turns that were answered', ({ receipt }) => receipt.totals.turns),
  whole('calls', 'Tool calls', ({ receipt }) => receipt.totals.calls),
  flag('called', 'Whether a call of it reached the server of the study', ({ receipt }) => called(receipt)),
  tokens('input_tokens', 'Sum of the next three', ({ receipt }) => receipt.totals.input_tokens),
  tokens(
    'uncached_input_tokens',
    "The provider's `input_tokens`",
    ({ receipt }) => receipt.totals.usage.input_tokens,
  ),
  tokens(
    'cache_creation_input_tokens',
    'Written to the prompt cache',
    ({ receipt }) => receipt.totals.usage.cache_creation_input_tokens,
  ),
  tokens(
    'cache_read_input_tokens',
    'Read from the prompt cache',
    ({ receipt }) => receipt.totals.usage.cache_read_input_tokens,
  ),
  tokens('output_tokens', 'Output tokens', ({ receipt }) => receipt.totals.output_tokens),
  text(
    'usage_source',
    '`provider`, `estimate` or `none`: who counted',
    ({ receipt }) => receipt.totals.usage_source,
  ),
  whole(
    'turns_without_usage',
    'Turns whose tokens are unknown and left out of the sums',
    ({ receipt }) => receipt.totals.turns_without_usage,
  ),
];

const sizes: ColumnOf<Attempt>[] = [
  bytes('wire_bytes', 'Responses of tool calls on the wire', ({ receipt }) => receipt.totals.wire_bytes),
  bytes('content_bytes', '`content` of tool results', ({ receipt }) => receipt.totals.content_bytes),
  bytes(
    'model_facing_bytes',
    'Tool results as sent to the model',
    ({ receipt }) => receipt.totals.model_facing_bytes,
  ),
  bytes('catalog_wire_bytes', 'Catalog pages on the wire', ({ receipt }) => receipt.catalog_wire_bytes),
  bytes(
    'catalog_model_facing_bytes',
    'Tools as advertised to the model',
    ({ receipt }) => receipt.tools?.bytes ?? null,
  ),
];

const said: ColumnOf<Attempt>[] = [
  text('prompt', 'The first user message', ({ receipt }) => receipt.prompt),
  text('answer_text', 'Text of the final turn', ({ receipt }) => receipt.answer_text),
  json('answer', 'That text as JSON, NULL where it is none', ({ receipt }) => receipt.answer),
];

export const trials = table<Attempt>({
  name: 'trials',
  meaning: 'One row an attempt at a trial or probe. `WHERE final` keeps the last attempt at each trial.',
  rows: ({ attempts }) => attempts,
  columns: [...what, ...how, ...cost, ...sizes, ...said],
});
