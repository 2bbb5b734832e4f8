/** The receipt of a trial: what a fold over its events says happened. */
import { jsonOf, textOf } from './answer.js';
import type { Event, EventOf } from './event.js';
import type {
  CallReceipt,
  LaunchReceipt,
  ServerReceipt,
  TrialReceipt,
  TrialTotals,
  TurnReceipt,
} from './trial-receipt.js';
import { addUsage, NO_USAGE, totalInput, usageOf } from './usage.js';

const NO_TOTALS: TrialTotals = {
  turns: 0,
  calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  usage: NO_USAGE,
  usage_source: 'none',
  turns_without_usage: 0,
  wire_bytes: 0,
  content_bytes: 0,
  model_facing_bytes: 0,
};

/** The receipt of a trial that has only begun. Until its `close` it counts as interrupted. */
export function beginTrial(open: EventOf<'trial_open'>): TrialReceipt {
  const { trial, purpose, condition, task, phrasing, repetition, attempt, prompt, question_sha256 } = open;
  return {
    ...{ trial, purpose, condition, task, phrasing, repetition, attempt, prompt, question_sha256 },
    ...{
      status: 'interrupted',
      failure: null,
      message: null,
      server: null,
      tools: null,
      catalog: [],
      catalog_wire_bytes: 0,
    },
    ...{
      launches: [],
      turns: [],
      calls: [],
      answer_text: null,
      answer: undefined,
      faults: [],
      more_faults: 0,
      closed: null,
      elapsed_ms: null,
    },
    incomplete: false,
    totals: NO_TOTALS,
  };
}

/**
 * The receipt after one more event of its trial: no clock, no disk. The receipt before is used up: its lists of calls and
 * tools are gone on with, so that a trial of many calls takes time in proportion to them.
 */
export function evolve(receipt: TrialReceipt, event: Event): TrialReceipt {
  switch (event.type) {
    case 'launch':
      return { ...receipt, status: 'in_doubt', launches: [...receipt.launches, launched(event)] };
    case 'launch_end':
      return { ...receipt, status: 'interrupted', launches: ended(receipt.launches, event) };
    case 'handshake':
      return { ...receipt, server: serverOf(event) };
    case 'catalog':
      return {
        ...receipt,
        tools: event.advertised ?? receipt.tools,
        catalog: extended(receipt.catalog, event.tools),
        catalog_wire_bytes: receipt.catalog_wire_bytes + event.wire.response_bytes,
      };
    case 'turn_request':
      return { ...receipt, status: 'in_doubt', turns: requested(receipt.turns, event) };
    case 'model_turn':
      return answered(receipt, event);
    case 'tool_call':
      return called(receipt, event);
    case 'fault':
      return faulted(receipt, event);
    case 'close':
      return closed(receipt, event);
    case 'message':
    case 'run_open':
    case 'trial_open':
    case 'run_interrupted':
    case 'run_resumed':
    case 'log_repaired':
    case 'run_close':
    case 'grade':
    case 'override':
      return receipt;
    default:
      return event satisfies never;
  }
}

function serverOf(event: EventOf<'handshake'>): ServerReceipt {
  const { server_name, server_version, era, protocol_version, argv, program_sha256, elapsed_ms } = event;
  return {
    name: server_name,
    version: server_version,
    era,
    protocol_version,
    argv,
    program_sha256,
    elapsed_ms,
  };
}

function launched({ seq, launch, home }: EventOf<'launch'>): LaunchReceipt {
  return {
    ...{ event: seq, launch, home, outcome: null, exit_code: null, signal: null, version: null },
    ...{ session_id: null, elapsed_ms: null, connect_ms: null, servers: [], num_turns: null },
    ...{ cost_usd: null, usage: null, permission_denials: 0 },
  };
}

function ended(launches: LaunchReceipt[], event: EventOf<'launch_end'>): LaunchReceipt[] {
  const { outcome, exit_code, signal, version, session_id, elapsed_ms, connect_ms, servers } = event;
  const { num_turns, cost_usd, permission_denials } = event;
  return launches.map((launch) =>
    launch.launch === event.launch
      ? {
          ...launch,
          ...{ outcome, exit_code, signal, version, session_id, elapsed_ms, connect_ms, servers },
          ...{ num_turns, cost_usd, usage: usageOf(event.usage) },
          permission_denials: permission_denials.length,
        }
      : launch,
  );
}

function requested(turns: TurnReceipt[], event: EventOf<'turn_request'>): TurnReceipt[] {
  const turn: TurnReceipt = {
    event: event.seq,
    turn: event.turn,
    attempts: event.attempt,
    request_bytes: event.request_bytes,
    request_sha256: event.request_sha256,
    ...{ answered: false, stop_reason: null, usage: null, usage_source: null, elapsed_ms: null },
  };
  return [...turns.filter((earlier) => earlier.turn !== event.turn), turn];
}

function answered(receipt: TrialReceipt, event: EventOf<'model_turn'>): TrialReceipt {
  const usage = usageOf(event.usage);
  const { stop_reason, usage_source, elapsed_ms, seq } = event;
  const answer = { event: seq, answered: true, stop_reason, usage, usage_source, elapsed_ms };
  const unseen = { turn: event.turn, attempts: event.attempt, request_bytes: null, request_sha256: null };
  const isAsked = receipt.turns.some((turn) => turn.turn === event.turn);
  const turns = isAsked
    ? receipt.turns.map((turn) => (turn.turn === event.turn ? { ...turn, ...answer } : turn))
    : [...receipt.turns, { ...unseen, ...answer }];
  const final = stop_reason === 'end_turn' ? textOf(event.content) : receipt.answer_text;
  const sum = addUsage(receipt.totals.usage, usage ?? NO_USAGE);
  const totals: TrialTotals = {
    ...receipt.totals,
    turns: receipt.totals.turns + 1,
    usage: sum,
    usage_source: usage === null ? receipt.totals.usage_source : usage_source,
    turns_without_usage: receipt.totals.turns_without_usage + (usage === null ? 1 : 0),
    input_tokens: totalInput(sum),
    output_tokens: sum.output_tokens,
  };
  return { ...receipt, status: 'interrupted', turns, totals, answer_text: final, answer: jsonOf(final) };
}

function called(receipt: TrialReceipt, event: EventOf<'tool_call'>): TrialReceipt {
  const { turn, call_id, tool, is_error, error, elapsed_ms, content, content_bytes, content_sha256 } = event;
  const { structured_bytes, model_facing_text, model_facing_sha256, schema_verdict } = event;
  const { error_code = null, schema_detail = null, origin = 'server', asked_as = event.tool } = event;
  const wire_bytes = event.wire?.response_bytes ?? 0;
  const model_facing_bytes = event.model_facing_bytes ?? 0;
  const call: CallReceipt = {
    ...{
      event: event.seq,
      turn,
      call_id,
      tool,
      arguments: event.arguments,
      is_error,
      error,
      elapsed_ms,
      wire_bytes,
    },
    ...{ error_code, schema_verdict, schema_detail, origin, asked_as },
    ...{ content, content_bytes, content_sha256, structured_bytes },
    ...{ model_facing_text, model_facing_bytes, model_facing_sha256 },
  };
  const totals: TrialTotals = {
    ...receipt.totals,
    calls: receipt.totals.calls + 1,
    wire_bytes: receipt.totals.wire_bytes + wire_bytes,
    content_bytes: receipt.totals.content_bytes + content_bytes,
    model_facing_bytes: receipt.totals.model_facing_bytes + model_facing_bytes,
  };
  return { ...receipt, calls: extended(receipt.calls, [call]), totals };
}

function extended<T>(list: T[], more: T[]): T[] {
  for (const item of more) list.push(item);
  return list;
}

/** A server may print without end: a receipt names so many faults, and counts the others. */
const FAULTS_KEPT = 1000;

function faulted(receipt: TrialReceipt, event: EventOf<'fault'>): TrialReceipt {
  const { seq, code, severity, message } = event;
  // A fault that names an attempt says how that model call ended, so it is no longer in doubt.
  const status = event.attempt !== null && receipt.status === 'in_doubt' ? 'interrupted' : receipt.status;
  if (receipt.faults.length >= FAULTS_KEPT)
    return { ...receipt, status, more_faults: receipt.more_faults + 1 };
  return { ...receipt, status, faults: [...receipt.faults, { event: seq, code, severity, message }] };
}

function closed(receipt: TrialReceipt, event: EventOf<'close'>): TrialReceipt {
  const { status, failure, message, how, exit_code, signal, elapsed_ms } = event;
  return { ...receipt, status, failure, message, closed: { how, exit_code, signal }, elapsed_ms };
}
