/** The tables `messages`, `faults` and `events`: the log itself. */
import type { Event, EventOf } from '../../../events/event.js';
import { type Logged, loggedOfType } from '../run-record.js';
import { bytes, json, nanoseconds, table, text, whole } from '../table.js';
import { placeColumns, stampColumns } from './place.js';

type Fault = EventOf<'fault'>;
type Message = EventOf<'message'>;

export const messages = table<Logged<Message>>({
  name: 'messages',
  meaning:
    'One row a message on the wire that is part of no handshake, catalog page or tool call: notifications, requests of the server, refused attempts at a handshake.',
  rows: (run) => loggedOfType(run, 'message'),
  columns: [
    ...placeColumns<Message>(),
    text('direction', '`to_server` or `to_client`', ({ event }) => event.direction),
    text('kind', '`request`, `notification`, `response` or `other`', ({ event }) => event.kind),
    text('method', 'Method of a request or notification', ({ event }) => event.method),
    bytes('bytes', 'The message, newline not counted', ({ event }) => event.bytes),
    text('sha256', 'SHA-256 of those bytes', ({ event }) => event.sha256),
    text('text', 'The message; NULL where it is not UTF-8, or over 256 KiB', ({ event }) =>
      event.raw.as === 'utf8' ? event.raw.data : null,
    ),
  ],
});

export const faults = table<Logged<Fault>>({
  name: 'faults',
  meaning: 'One row a fault: anything odd on the wire or around it. `trial` is NULL for a fault of the run.',
  rows: (run) => loggedOfType(run, 'fault'),
  columns: [
    ...placeColumns<Fault>(),
    text('code', 'What kind of fault', ({ event }) => event.code),
    text('severity', '`error`: the step failed; `warning`: it went on', ({ event }) => event.severity),
    whole('turn', 'Turn, where the fault belongs to a model call', ({ event }) => event.turn),
    whole('attempt', 'Attempt at that turn', ({ event }) => event.attempt),
    whole('http_status', 'HTTP status, where one was received', ({ event }) => event.http_status),
    bytes('bytes', 'Bytes concerned', ({ event }) => event.bytes),
    text('sha256', 'SHA-256 of those bytes', ({ event }) => event.sha256),
    text('message', 'The fault in words', ({ event }) => event.message),
    text('text', 'Those bytes in readable form, shortened', ({ event }) => event.text),
    text('base64', 'Those bytes, where they are not valid UTF-8', ({ event }) => event.base64),
  ],
});

export const events = table<Logged>({
  name: 'events',
  meaning: 'One row an event of a log, as recorded. Verdicts stand in `grades`.',
  rows: ({ logged }) => logged,
  columns: [
    ...stampColumns<Event>(),
    nanoseconds('mono_ns', 'Monotonic clock since the writer opened the log', ({ event }) => event.mono_ns),
    text('type', 'Type of the event', ({ event }) => event.type),
    text('trial', 'Trial id, NULL for an event of the run', ({ event }) =>
      'trial' in event ? event.trial : null,
    ),
    whole('line', 'Line in the log, from 1', ({ line }) => line),
    bytes('line_bytes', 'The line with its newline', (entry) => entry.bytes),
    text('h', 'Hash that chains the line to the one before', ({ event }) => event.h),
    json('body', 'The other fields of the event', ({ event }) => bodyOf(event)),
  ],
});

/** The event without the fields that are columns of their own. */
function bodyOf(event: Event): Record<string, unknown> {
  const { h: _h, v: _v, run: _run, seq: _seq, at: _at, mono_ns: _mono, type: _type, ...rest } = event;
  const { trial: _trial, ...body } = { trial: null, ...rest };
  return body;
}
