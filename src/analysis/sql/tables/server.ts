/** The tables `handshakes` and `catalogs`: what a server said of itself. */
import { utf8Bytes } from '../../../events/bytes.js';
import type { EventOf } from '../../../events/event.js';
import { type Logged, loggedOfType } from '../run-record.js';
import { bytes, json, list, milliseconds, table, text, whole } from '../table.js';
import { placeColumns } from './place.js';

type Handshake = EventOf<'handshake'>;
type Catalog = EventOf<'catalog'>;

export const handshakes = table<Logged<Handshake>>({
  name: 'handshakes',
  meaning: 'One row a handshake: each attempt at a trial has a fresh server process.',
  rows: (run) => loggedOfType(run, 'handshake'),
  columns: [
    ...placeColumns<Handshake>(),
    text('server_name', 'Name that the server gives itself', ({ event }) => event.server_name),
    text('server_version', 'Version that the server gives itself', ({ event }) => event.server_version),
    text('era', '`legacy` (initialize) or `modern` (server/discover)', ({ event }) => event.era),
    text('protocol_version', 'Negotiated protocol version', ({ event }) => event.protocol_version),
    bytes('request_bytes', 'Request on the wire', ({ event }) => event.wire.request_bytes),
    bytes('wire_bytes', 'Response on the wire', ({ event }) => event.wire.response_bytes),
    bytes('instructions_bytes', 'Instructions of the server', ({ event }) =>
      event.instructions === null ? null : utf8Bytes(event.instructions),
    ),
    milliseconds('elapsed_ms', 'From spawn to a usable session', ({ event }) => event.elapsed_ms),
    whole('pid', 'Process id of the server', ({ event }) => event.pid),
    list('argv', 'Command and arguments, empty for a URL', ({ event }) => event.argv),
    text('url', 'Origin and path of a server over HTTP', ({ event }) => event.url ?? null),
    text('program_path', 'Real path of the program', ({ event }) => event.program_path),
    text('program_sha256', 'SHA-256 of that file', ({ event }) => event.program_sha256),
    list('env_names', 'Names of environment variables it was given', ({ event }) => event.env_names),
    json('attempts', 'What was tried to reach an agreement', ({ event }) => event.attempts),
    json(
      'client_capabilities',
      'Capabilities that the host declared',
      ({ event }) => event.client_capabilities,
    ),
    json(
      'server_capabilities',
      'Capabilities that the server declared',
      ({ event }) => event.server_capabilities,
    ),
    text('instructions', 'Instructions of the server', ({ event }) => event.instructions),
  ],
});

export const catalogs = table<Logged<Catalog>>({
  name: 'catalogs',
  meaning:
    'One row a page of a tool catalog. The advertised columns are set on the last page, for the whole catalog.',
  rows: (run) => loggedOfType(run, 'catalog'),
  columns: [
    ...placeColumns<Catalog>(),
    whole('page', 'Page of the listing, from 1', ({ event }) => event.page),
    text('next_cursor', 'Cursor of the next page, NULL on the last', ({ event }) => event.next_cursor),
    whole('tool_count', 'Tools on this page', ({ event }) => event.tools.length),
    bytes('request_bytes', 'Request on the wire', ({ event }) => event.wire.request_bytes),
    bytes('wire_bytes', 'Response on the wire', ({ event }) => event.wire.response_bytes),
    text('wire_sha256', 'SHA-256 of the response', ({ event }) => event.wire.response_sha256),
    milliseconds('elapsed_ms', 'The request for the page', ({ event }) => event.elapsed_ms),
    whole(
      'advertised_count',
      'Tools that the host advertises',
      ({ event }) => event.advertised?.names.length ?? null,
    ),
    list('advertised_names', 'Their names, in order', ({ event }) => event.advertised?.names ?? null),
    bytes(
      'advertised_bytes',
      'Those tools as sent to the model',
      ({ event }) => event.advertised?.bytes ?? null,
    ),
    text('advertised_sha256', 'SHA-256 of those bytes', ({ event }) => event.advertised?.sha256 ?? null),
    json('tools', 'Tools of this page, as received', ({ event }) => event.tools),
  ],
});
