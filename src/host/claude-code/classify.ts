/** What a launch came to: an answer, or one of the ways in which there is none. Pure. */
import type { BodyOf } from '../../events/event.js';
import type { FailureCode } from '../../events/failures.js';
import { stopFailure } from '../stop.js';
import type { Capture } from './capture.js';
import type { Result, Stream } from './stream.js';
import type { Transcript } from './transcript.js';

/** What the launch was to be like. */
export interface Expected {
  /** The server as the host was told of it; null where the condition has none. */
  server: string | null;
  toolSearch: boolean;
}

export interface Verdict {
  status: 'completed' | 'failed';
  failure: FailureCode | null;
  message: string | null;
  /** Whether the launch returned nothing at all, so that another one may be tried. */
  retry: boolean;
}

type Outcome = BodyOf<'launch_end'>['outcome'];

/** Where a launch ended, before anybody asks whether its answer counts. */
export function outcomeOf({ exit }: Capture, { lines, result }: Stream): Outcome {
  if (exit.how !== 'exited') return exit.how;
  if (result !== null) return isSound(result) ? 'answered' : 'error_result';
  return lines === 0 ? 'no_output' : 'no_result';
}

/** An error may come under the name of a success, so more than the name is asked. */
function isSound({ subtype, is_error, terminal_reason, api_error_status }: Result): boolean {
  const isCompleted = (terminal_reason ?? 'completed') === 'completed' && (api_error_status ?? null) === null;
  return subtype === 'success' && is_error === false && isCompleted;
}

/** Whether the answer of a launch counts, and if not, the first reason why. */
export function verdictOf(
  capture: Capture,
  stream: Stream,
  transcript: Transcript,
  expected: Expected,
): Verdict {
  const outcome = outcomeOf(capture, stream);
  const failure =
    failedLaunch(outcome, capture, stream, transcript) ?? failedSession(stream, transcript, expected);
  if (failure === null) return { status: 'completed', failure: null, message: null, retry: false };
  const [code, message] = failure;
  return { status: 'failed', failure: code, message, retry: outcome === 'no_output' };
}

type Failure = [FailureCode, string];

function failedLaunch(
  outcome: Outcome,
  { exit }: Capture,
  { result }: Stream,
  transcript: Transcript,
): Failure | null {
  const end = exit.signal === null ? `exit code ${exit.exit_code ?? 'unknown'}` : exit.signal;
  switch (outcome) {
    case 'answered':
      return null;
    case 'timeout':
      return ['HOST_TIMEOUT', `it was ended after ${Math.round(exit.elapsed_ms)} ms (${end})`];
    case 'interrupted':
      return ['HOST_NO_RESULT', `it was ended with the run (${end})`];
    case 'start_failed':
      return ['HOST_START_FAILED', 'there was no process'];
    case 'no_output':
      return ['HOST_NO_OUTPUT', `it ended without a line of output (${end})`];
    case 'no_result':
      return ['HOST_NO_RESULT', `it ended before it gave a result (${end})`];
    case 'error_result':
      return failedResult(result, transcript.answers.at(-1)?.stop_reason ?? null);
    default:
      return outcome satisfies never;
  }
}

/** The host turns some of the ways in which a model stops into errors of its own. */
function failedResult(result: Result | null, stop_reason: string | null): Failure {
  if (result?.subtype === 'error_max_turns') return ['TURN_LIMIT', errorWords(result)];
  const code = stopFailure(stop_reason).code;
  const isOfModel = ['STOP_refusal', 'STOP_max_tokens', 'STOP_model_context_window_exceeded'].includes(code);
  return [isOfModel ? code : 'HOST_ERROR', errorWords(result)];
}

function errorWords(result: Result | null): string {
  const said =
    result?.result || (result?.errors ?? []).filter((error) => typeof error === 'string').join('; ');
  const status = result?.api_error_status ? ` (HTTP ${result.api_error_status})` : '';
  const kind = [result?.subtype, result?.terminal_reason].filter(Boolean).join(', ');
  return `${said || 'it says no more'}${status}: ${kind}`.slice(0, 1000);
}

/** What makes an answer none, though the host calls it one. */
function failedSession(stream: Stream, transcript: Transcript, expected: Expected): Failure | null {
  const { server } = expected;
  const status = stream.init?.mcp_servers?.find(({ name }) => name === server)?.status ?? 'not there';
  if (server !== null && status !== 'connected')
    return ['SERVER_NOT_CONNECTED', `the server ${server} was ${status} when the session began`];
  const denied = stream.denials.filter(({ tool_name }) => isOfServer(tool_name, server));
  if (denied.length > 0)
    return [
      'PERMISSION_DENIED',
      `it did not let the model use ${denied.map(({ tool_name }) => tool_name).join(', ')}`,
    ];
  const search = toolSearchWords(stream, transcript, expected);
  if (search !== null) return ['TOOL_SEARCH_CHANGED', search];
  const last = transcript.answers.at(-1);
  if (last === undefined) return ['HOST_NO_RESULT', 'the transcript has no answer of the model'];
  if (last.stop_reason === 'end_turn') return null;
  const { code, message } = stopFailure(last.stop_reason);
  return [code, message];
}

/** Whether a tool, by the name that the model knows, is one of the study's server. */
export function isOfServer(tool: string, server: string | null): boolean {
  return server !== null && tool.startsWith(`mcp__${toolPrefix(server)}__`);
}

/** As the host writes the name of a server into those of its tools. */
function toolPrefix(server: string): string {
  return server.replace(/[^A-Za-z0-9_-]/g, '_');
}

/** Requests tell whether tools could be deferred in them; where none is told of, the tools of the session do. */
function toolSearchWords(
  { init }: Stream,
  { defers }: Transcript,
  { toolSearch, server }: Expected,
): string | null {
  const wanted = toolSearch ? 'on' : 'off';
  const began = init?.tools?.includes('ToolSearch') ?? null;
  if (began !== null && began !== toolSearch && (server !== null || !toolSearch))
    return `tool search is ${wanted} in this condition, and was not when the session began`;
  const others = defers.filter((defer) => defer !== toolSearch).length;
  if (others === 0 || (toolSearch && defers.length === 0)) return null;
  return `tool search is ${wanted} in this condition, and was not in ${others} of ${defers.length} requests`;
}
