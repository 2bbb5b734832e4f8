/** What a person can do about each failure code. */
import type { FailureCode } from '../events/failures.js';

const HINTS: Record<FailureCode, string> = {
  STOP_max_tokens: 'raise limits.max_tokens in study.yaml, or ask for a shorter answer',
  STOP_refusal: 'read the turn with `measure replay`; the question or the records may be refused',
  STOP_pause_turn: 'use tools that the host runs itself',
  STOP_stop_sequence: 'look at the turn with `measure replay`',
  STOP_model_context_window_exceeded: 'let tools return less, or use a model with a larger window',
  STOP_UNKNOWN: 'look at the turn with `measure replay`',
  EMPTY_TOOL_USE: 'look at the turn with `measure replay`',
  NON_JSON_ANSWER: 'have the system text ask for JSON only',
  TURN_LIMIT:
    'raise limits.max_turns in study.yaml, or look at what the model was doing with `measure replay`',
  TOOL_FAILURE: 'look at the call with `measure replay`; it has what the server answered',
  PRIOR_FAILURE: 'mend what failed first; on_failure: continue in study.yaml runs the rest all the same',
  SOURCE_CHANGED: 'let nothing write to the snapshot during a run, and record again',
  ALLOWLIST_CHANGED: 'let nothing write to the allow-list during a run, and record again',
  TASKS_CHANGED: 'let nothing write to the tasks during a run, and record again',
  INPUT_CHANGED: 'let nothing write to the inputs during a run, and record again',
  MODEL_TIMEOUT: 'raise limits.model_timeout_ms in study.yaml; the call may have been billed',
  MODEL_CONNECTION: 'check ANTHROPIC_BASE_URL and the network; limits.retries in study.yaml tries again',
  MODEL_HTTP_ERROR:
    'check the key, the model id and the account; limits.retries tries 408, 409, 429 and 5xx again',
  MODEL_BAD_RESPONSE: 'check that ANTHROPIC_BASE_URL is a Messages endpoint',
  SERVER_START_FAILED: "check the server's command in study.yaml",
  SERVER_EXITED: "run the server's command by hand; its last words are in the log",
  CONNECT_TIMEOUT: "run the server's command by hand, or raise limits.connect_timeout_ms in study.yaml",
  PROTOCOL_ERROR: 'look at the faults with `measure replay`; the server answers outside the protocol',
  CATALOG_ERROR: 'compare the tools of the condition in study.yaml with those that the server lists',
  HOST_START_FAILED: 'start the host by hand, or name another with --claude',
  HOST_NO_OUTPUT: "look at the launches with `measure replay`, and at the host's standard error",
  HOST_NO_RESULT: "look at the launches with `measure replay`, and at the host's standard error",
  HOST_TIMEOUT: 'raise limits.trial_timeout_ms in study.yaml',
  HOST_ERROR:
    'look at what the host reported with `measure replay`; the key, the model id or the account may be at fault',
  HOST_VERSION_CHANGED: 'keep the host from being updated while a run is under way, and record again',
  SERVER_NOT_CONNECTED: 'look at the faults with `measure replay`, or ask `measure doctor` about the server',
  PERMISSION_DENIED: 'see that the tools of the condition are those that the server lists',
  TOOL_SEARCH_CHANGED:
    'look at the refused requests with `measure replay`: the host turned tool search off after them',
  BUDGET_STOP: 'raise the budget, or record fewer trials',
  PROBE_FAILED: 'look at the calls of the probe with `measure replay`',
  CLOSE_ERROR: 'see that no process of the server is left, and report what the log says',
  STARTUP_FAILED: 'mend what the message names',
  RUNTIME_ERROR: 'report it with the message',
};

/** What to do about a failure. An error of the scripted model is one of its script. */
export function hintFor(failure: FailureCode, host: string | null, message: string | null): string {
  if (failure === 'MODEL_HTTP_ERROR' && message?.includes(' answered 413 '))
    return 'let tools return less: the request is larger than the endpoint takes';
  if (host === 'scripted' && failure === 'MODEL_HTTP_ERROR')
    return 'correct the script where the message says';
  return HINTS[failure];
}
