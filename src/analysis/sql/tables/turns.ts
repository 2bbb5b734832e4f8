/** The table `turns`: every model call that began, answered or not. */

import { textOf } from '../../../events/answer.js';
import type { Event, EventOf } from '../../../events/event.js';
import { totalInput, type Usage, usageOf } from '../../../events/usage.js';
import type { Logged, RunRecord } from '../run-record.js';
import { bytes, type ColumnOf, json, milliseconds, table, text, tokens, whole } from '../table.js';
import { placeColumns } from './place.js';

/** A model call. Its place is that of the answer, else of the request. */
interface Row extends Logged<EventOf<'turn_request'> | EventOf<'model_turn'>> {
  request: EventOf<'turn_request'> | null;
  answer: EventOf<'model_turn'> | null;
  usage: Usage | null;
  failed: boolean;
}

function rowsOf(run: RunRecord): Row[] {
  const rows = new Map<string, Row>();
  for (const entry of run.logged) {
    const { event } = entry;
    if (event.type !== 'turn_request' && event.type !== 'model_turn' && event.type !== 'fault') continue;
    const key = `${entry.attempt?.open.seq} ${event.trial} ${event.turn} ${event.attempt}`;
    const row = rows.get(key) ?? null;
    if (event.type === 'fault') {
      if (row !== null) rows.set(key, { ...row, failed: true });
    } else rows.set(key, after(row, { ...entry, event }));
  }
  return [...rows.values()];
}

/** The row of a call after its request or its answer. */
function after(row: Row | null, entry: Logged<EventOf<'turn_request'> | EventOf<'model_turn'>>): Row {
  const { event } = entry;
  const known = row ?? { ...entry, request: null, answer: null, usage: null, failed: false };
  if (event.type === 'turn_request') return { ...known, ...entry, request: event };
  return { ...known, ...entry, answer: event, usage: usageOf(event.usage) };
}

/** What became of a call: a fault that names its attempt says that it failed; nothing said leaves it in doubt. */
function stateOf({ answer, failed }: Row): string {
  if (answer !== null) return 'answered';
  return failed ? 'failed' : 'in_doubt';
}

const call: ColumnOf<Row>[] = [
  whole('turn', 'Turn of the trial, from 1', ({ event }) => event.turn),
  whole('attempt', 'Attempt at this turn, from 1', ({ event }) => event.attempt),
  text('state', '`answered`, `failed`, or `in_doubt`: may have been billed', stateOf),
  whole('request_seq', 'The turn_request event', ({ request }) => request?.seq ?? null),
  whole('messages', 'Messages in the request', ({ request }) => request?.messages ?? null),
  bytes('request_bytes', 'Request body', ({ request }) => request?.request_bytes ?? null),
  text('request_sha256', 'SHA-256 of the request body', ({ request }) => request?.request_sha256 ?? null),
  bytes('response_bytes', 'Response body', ({ answer }) => answer?.response_bytes ?? null),
  text('response_sha256', 'SHA-256 of the response body', ({ answer }) => answer?.response_sha256 ?? null),
  whole('http_status', 'HTTP status', ({ answer }) => answer?.http_status ?? null),
  milliseconds('elapsed_ms', 'The call', ({ answer }) => answer?.elapsed_ms ?? null),
];

const usage: ColumnOf<Row>[] = [
  text('usage_source', '`provider` or `estimate`: who counted', ({ answer }) => answer?.usage_source ?? null),
  tokens('input_tokens', 'Sum of the next three; NULL where unknown', (row) =>
    row.usage === null ? null : totalInput(row.usage),
  ),
  tokens('uncached_input_tokens', "The provider's `input_tokens`", (row) => row.usage?.input_tokens ?? null),
  tokens(
    'cache_creation_input_tokens',
    'Written to the prompt cache',
    (row) => row.usage?.cache_creation_input_tokens ?? null,
  ),
  tokens(
    'cache_read_input_tokens',
    'Read from the prompt cache',
    (row) => row.usage?.cache_read_input_tokens ?? null,
  ),
  tokens('output_tokens', 'Output tokens', (row) => row.usage?.output_tokens ?? null),
];

const said: ColumnOf<Row>[] = [
  text('model', 'Model that answered, as reported', ({ answer }) => answer?.model ?? null),
  text('stop_reason', 'Why the model stopped, as reported', ({ answer }) => answer?.stop_reason ?? null),
  text('message_id', 'Message id of the provider', ({ answer }) => answer?.message_id ?? null),
  text('request_id', 'Request id of the provider', ({ answer }) => answer?.request_id ?? null),
  text('text', 'Text blocks of the answer, joined', ({ answer }) =>
    answer === null ? null : textOf(answer.content),
  ),
  json('usage', 'Usage, verbatim', ({ answer }) => answer?.usage),
  json('content', 'Content blocks, verbatim', ({ answer }) => answer?.content),
];

export const turns = table<Row>({
  name: 'turns',
  meaning:
    'One row a model call, unanswered ones too. `seq` is the model_turn event, or the turn_request where no answer came.',
  rows: rowsOf,
  columns: [...placeColumns<Event & Row['event']>(), ...call, ...usage, ...said],
});
