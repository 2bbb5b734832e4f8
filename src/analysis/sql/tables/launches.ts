/** The table `launches`: each start of a host that is a program of its own. */
import type { EventOf } from '../../../events/event.js';
import { totalInput, type Usage, usageOf } from '../../../events/usage.js';
import { type Logged, loggedOfType, type RunRecord } from '../run-record.js';
import { dollars, json, milliseconds, table, text, tokens, whole } from '../table.js';
import { placeColumns } from './place.js';

type Launch = EventOf<'launch'>;

interface Row extends Logged<Launch> {
  end: EventOf<'launch_end'> | null;
  usage: Usage | null;
}

/** Each launch with how it ended: the end of the same launch of the same attempt. */
function rowsOf(run: RunRecord): Row[] {
  const ends = loggedOfType(run, 'launch_end');
  return loggedOfType(run, 'launch').map((entry) => {
    const end = ends.find(
      ({ event, attempt }) => attempt === entry.attempt && event.launch === entry.event.launch,
    );
    return { ...entry, end: end?.event ?? null, usage: usageOf(end?.event.usage ?? null) };
  });
}

export const launches = table<Row>({
  name: 'launches',
  meaning:
    'One row a start of a host that is a program of its own, such as Claude Code; NULLs where it has no end.',
  rows: rowsOf,
  columns: [
    ...placeColumns<Launch>(),
    whole('launch', 'Launch of the attempt, from 1', ({ event }) => event.launch),
    text(
      'home',
      '`fresh`: nothing had used its home folder; `kept`: an earlier launch had',
      ({ event }) => event.home,
    ),
    text('program_version', 'Version of the program', ({ event }) => event.program_version),
    text('program_sha256', 'SHA-256 of the program', ({ event }) => event.program_sha256),
    text(
      'outcome',
      '`answered`, `no_output`, `no_result`, `error_result`, `timeout`, `interrupted` or `start_failed`',
      ({ end }) => end?.outcome ?? null,
    ),
    whole('exit_code', 'Exit code', ({ end }) => end?.exit_code ?? null),
    text('signal', 'Signal that ended it', ({ end }) => end?.signal ?? null),
    milliseconds('elapsed_ms', 'From start to end', ({ end }) => end?.elapsed_ms ?? null),
    milliseconds(
      'connect_ms',
      "Until the server was connected, by the host's own log",
      ({ end }) => end?.connect_ms ?? null,
    ),
    json('servers', 'Servers with their status, as the host began', ({ end }) => end?.servers),
    text('session_id', 'Session of the host', ({ end }) => end?.session_id ?? null),
    whole('num_turns', 'Turns as the host counts them', ({ end }) => end?.num_turns ?? null),
    tokens('input_tokens', 'Input tokens as the host reports them', ({ usage }) =>
      usage === null ? null : totalInput(usage),
    ),
    tokens(
      'output_tokens',
      'Output tokens as the host reports them',
      ({ usage }) => usage?.output_tokens ?? null,
    ),
    dollars('cost_usd', 'US dollars as the host reports them', ({ end }) => end?.cost_usd ?? null),
    json(
      'permission_denials',
      'Tools that the host did not let the model use',
      ({ end }) => end?.permission_denials,
    ),
    json('argv', 'Command and arguments', ({ event }) => event.argv),
    json('settings', 'Environment variables that were set, literally', ({ event }) => event.settings),
  ],
});
