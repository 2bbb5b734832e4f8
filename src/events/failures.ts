/** The closed set of failure codes that a trial or a run can end with. */

/** Each failure code with what it means. `docs/events.md` lists them. */
export const FAILURES = {
  STOP_max_tokens: 'The model stopped at the output limit; a cut answer is never taken for an answer.',
  STOP_refusal: 'The model refused.',
  STOP_pause_turn: 'The model paused its turn, which this loop does not take up.',
  STOP_stop_sequence: 'The model stopped at a stop sequence.',
  STOP_model_context_window_exceeded: 'The conversation no longer fits the model.',
  STOP_UNKNOWN:
    'The model stopped for no reason, or for one that is not known here; the event has it verbatim.',
  EMPTY_TOOL_USE: 'The model stopped for tool use without asking for a tool.',
  NON_JSON_ANSWER: 'The final text is not JSON.',
  TURN_LIMIT: 'No answer within the turns of the study.',
  TOOL_FAILURE: 'A tool call failed, or answered with an error, or with nothing.',
  PRIOR_FAILURE: 'Skipped, because an earlier trial failed.',
  SOURCE_CHANGED: 'The snapshot is no longer the frozen one.',
  ALLOWLIST_CHANGED: 'The allow-list of fields is no longer the frozen one.',
  TASKS_CHANGED: 'The tasks are no longer the frozen ones.',
  INPUT_CHANGED: 'Another frozen input changed.',
  MODEL_TIMEOUT: 'The model call took longer than the study allows; it may have been billed.',
  MODEL_CONNECTION: 'The connection to the model failed or broke off; the call may have been billed.',
  MODEL_HTTP_ERROR: 'The endpoint answered with an error status.',
  MODEL_BAD_RESPONSE: 'The endpoint answered with something that is not a message.',
  SERVER_START_FAILED: 'The server could not be started.',
  SERVER_EXITED: 'The server exited before it was asked to.',
  CONNECT_TIMEOUT: 'The server did not answer the handshake in time.',
  PROTOCOL_ERROR: 'The server answered outside the protocol.',
  CATALOG_ERROR: 'The tool catalog could not be listed, or lacks a tool of the condition.',
  HOST_START_FAILED: 'The host could not be started.',
  HOST_NO_OUTPUT: 'The host ended without a line of output, at every launch.',
  HOST_NO_RESULT: 'The host ended, by a signal or an error, before it gave a result.',
  HOST_TIMEOUT: 'The host did not end within the time of the study.',
  HOST_ERROR: 'The host reported an error in place of an answer, be it under the name of a success.',
  HOST_VERSION_CHANGED: 'The host is no longer the version that the run began with; the run stops.',
  SERVER_NOT_CONNECTED: 'The host began without a connection to the server.',
  PERMISSION_DENIED: "The host did not let the model use a tool of the study's server.",
  TOOL_SEARCH_CHANGED: 'Tool search was not as the condition has it, for the whole of the trial.',
  BUDGET_STOP: 'The next model call could have passed the budget, so it was not made.',
  PROBE_FAILED: 'A probe did not find what it expects.',
  CLOSE_ERROR: 'The server could not be ended in order.',
  STARTUP_FAILED: 'A start-up check failed, before anything was spent.',
  RUNTIME_ERROR: 'Something else went wrong; the message says what.',
} as const;

export type FailureCode = keyof typeof FAILURES;

/** The codes as a tuple, for schemas. */
export const FAILURE_CODES = Object.keys(FAILURES) as [FailureCode, ...FailureCode[]];
