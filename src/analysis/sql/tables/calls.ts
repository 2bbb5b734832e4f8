/** The table `tool_calls`. */
import type { EventOf } from '../../../events/event.js';
import { type Logged, loggedOfType } from '../run-record.js';
import { bytes, flag, json, milliseconds, table, text, whole } from '../table.js';
import { placeColumns } from './place.js';

type ToolCall = EventOf<'tool_call'>;

export const toolCalls = table<Logged<ToolCall>>({
  name: 'tool_calls',
  meaning: 'One row a tool call, with its sizes side by side.',
  rows: (run) => loggedOfType(run, 'tool_call'),
  columns: [
    ...placeColumns<ToolCall>(),
    whole('turn', 'Turn that asked for the call, NULL for a probe', ({ event }) => event.turn),
    text('call_id', 'Id of the tool_use block', ({ event }) => event.call_id),
    text('tool', 'Tool name', ({ event }) => event.tool),
    text(
      'asked_as',
      'Name by which the model asked for it, where that is another',
      ({ event }) => event.asked_as ?? null,
    ),
    text(
      'origin',
      '`server`, or `host` for a tool of the host itself',
      ({ event }) => event.origin ?? 'server',
    ),
    json('arguments', 'Arguments', ({ event }) => event.arguments),
    flag('is_error', 'Whether the model was told of an error', ({ event }) => event.is_error),
    text('error', 'What failed where no result came back', ({ event }) => event.error),
    text(
      'error_code',
      'The same as a code; NULL in older logs, too',
      ({ event }) => event.error_code ?? null,
    ),
    milliseconds('elapsed_ms', 'The call', ({ event }) => event.elapsed_ms),
    bytes('request_bytes', 'Request on the wire', ({ event }) => event.wire?.request_bytes ?? null),
    bytes(
      'wire_bytes',
      'Response on the wire, NULL where none came',
      ({ event }) => event.wire?.response_bytes ?? null,
    ),
    bytes('content_bytes', '`content` as JSON', ({ event }) => event.content_bytes),
    bytes(
      'structured_bytes',
      '`structuredContent` as JSON, 0 where absent',
      ({ event }) => event.structured_bytes,
    ),
    bytes(
      'model_facing_bytes',
      'Text sent to the model, NULL for a probe',
      ({ event }) => event.model_facing_bytes,
    ),
    text('wire_sha256', 'SHA-256 of the response', ({ event }) => event.wire?.response_sha256 ?? null),
    text('content_sha256', 'SHA-256 of `content`', ({ event }) => event.content_sha256),
    text('model_facing_sha256', 'SHA-256 of that text', ({ event }) => event.model_facing_sha256),
    text(
      'schema_verdict',
      '`no_schema`, `unchecked`, `valid`, `invalid`, `missing` or `schema_broken`: structured content against its schema',
      ({ event }) => event.schema_verdict,
    ),
    text('schema_detail', 'Where it leaves its schema', ({ event }) => event.schema_detail ?? null),
    json('content', '`content` of the result, as received; NULL where over 256 KiB', ({ event }) =>
      event.in_blobs?.includes('content') ? null : event.content,
    ),
    text(
      'model_facing_text',
      'The text that was sent to the model; NULL where over 256 KiB, too',
      ({ event }) => event.model_facing_text,
    ),
  ],
});
