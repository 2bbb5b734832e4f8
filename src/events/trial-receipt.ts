/** The shape of a trial's receipt: what it carries of servers, turns, calls, faults and sums. */
import type { EventOf } from './event.js';
import type { FailureCode } from './failures.js';
import type { Usage } from './usage.js';

/** A fact of the log, kept apart from any verdict. `in_doubt`: a model call began and nothing says how it ended. */
export type ExecutionStatus = 'completed' | 'failed' | 'skipped' | 'interrupted' | 'in_doubt';

export interface CallReceipt {
  event: number;
  turn: number | null;
  call_id: string;
  tool: string;
  arguments: unknown;
  is_error: boolean;
  error: string | null;
  /** The same as a code; null where a result came back, and in logs that lack it. */
  error_code: string | null;
  /** host: a tool of the host itself, which no server saw. */
  origin: 'server' | 'host';
  /** Name by which the model asked for it. */
  asked_as: string;
  schema_verdict: string;
  schema_detail: string | null;
  elapsed_ms: number | null;
  wire_bytes: number;
  content: unknown[];
  content_bytes: number;
  content_sha256: string;
  structured_bytes: number;
  model_facing_text: string | null;
  model_facing_bytes: number;
  model_facing_sha256: string | null;
}

export interface TurnReceipt {
  event: number;
  turn: number;
  attempts: number;
  /** Null where a host made the call and the request was not seen. */
  request_bytes: number | null;
  request_sha256: string | null;
  /** False while only the request is known. */
  answered: boolean;
  stop_reason: string | null;
  /** Null where the turn was not answered, or its usage block makes no sense. */
  usage: Usage | null;
  usage_source: 'provider' | 'estimate' | null;
  elapsed_ms: number | null;
}

/** One start of a host that is a program of its own. */
export interface LaunchReceipt {
  event: number;
  launch: number;
  home: 'fresh' | 'kept';
  /** Null while it is not known how it ended. */
  outcome: EventOf<'launch_end'>['outcome'] | null;
  exit_code: number | null;
  signal: string | null;
  version: string | null;
  session_id: string | null;
  elapsed_ms: number | null;
  /** Until the host was connected to the server, by its own log. */
  connect_ms: number | null;
  servers: { name: string; status: string }[];
  num_turns: number | null;
  cost_usd: number | null;
  /** As the host reports it for the whole launch; null where it did not, or it makes no sense. */
  usage: Usage | null;
  permission_denials: number;
}

export interface ServerReceipt {
  name: string | null;
  version: string | null;
  era: 'legacy' | 'modern';
  protocol_version: string;
  argv: string[];
  program_sha256: string | null;
  elapsed_ms: number;
}

export interface FaultReceipt {
  event: number;
  code: string;
  severity: 'warning' | 'error';
  message: string;
}

export interface TrialReceipt {
  trial: string;
  purpose: 'trial' | 'probe' | 'session';
  condition: string;
  task: string | null;
  phrasing: string | null;
  repetition: number;
  attempt: number;
  prompt: string | null;
  question_sha256: string | null;
  status: ExecutionStatus;
  failure: FailureCode | null;
  message: string | null;
  server: ServerReceipt | null;
  /** What the model was offered of the catalog; null until its last page. */
  tools: { names: string[]; bytes: number; sha256: string } | null;
  /** Every tool of the catalog, as received. */
  catalog: unknown[];
  catalog_wire_bytes: number;
  /** Of a host that is a program of its own. */
  launches: LaunchReceipt[];
  turns: TurnReceipt[];
  calls: CallReceipt[];
  /** Text of the final turn, null where there is none. */
  answer_text: string | null;
  /** That text as JSON; undefined where there is none or it is not JSON. */
  answer: unknown;
  /** The first 1,000 of them. */
  faults: FaultReceipt[];
  /** How many came after those. */
  more_faults: number;
  closed: { how: string; exit_code: number | null; signal: string | null } | null;
  elapsed_ms: number | null;
  /** Whether events of it are missing from the log or damaged: its figures are then too small, and nothing is decided. */
  incomplete: boolean;
  totals: TrialTotals;
}

export interface TrialTotals {
  turns: number;
  calls: number;
  /** Input tokens with both cache figures. */
  input_tokens: number;
  output_tokens: number;
  usage: Usage;
  usage_source: 'provider' | 'estimate' | 'none';
  /** Turns whose usage is not known: totals leave them out. */
  turns_without_usage: number;
  /** Response bytes of tool calls on the wire. */
  wire_bytes: number;
  content_bytes: number;
  model_facing_bytes: number;
}
