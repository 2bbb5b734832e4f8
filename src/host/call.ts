/** One tool call of a turn: made, selected for the model, and recorded. */
import { sha256, utf8Bytes } from '../events/bytes.js';
import { elapsedMs, systemClock } from '../events/clock.js';
import type { BodyOf } from '../events/event.js';
import type { Condition } from '../study/load.js';
import { type McpSession, ServerFailure, type ToolReply } from './mcp.js';
import type { Recorder } from './recorder.js';
import type { RunContext } from './run.js';
import { EMPTY_TOOL_CONTENT, modelFacingText } from './select.js';

interface ToolUse {
  id: string;
  name: string;
  input: unknown;
}

/** What came back of a call, before anything is selected. */
type Answered =
  | { reply: ToolReply; error: null }
  | { reply: null; error: string; code: CallError; failure: ServerFailure | null };

type CallError = NonNullable<BodyOf<'tool_call'>['error_code']>;

/** Calls a tool and records it. A failed call is a result: it is sent to the model as an error. */
export async function callTool(
  run: RunContext,
  trial: string,
  turn: number,
  condition: Condition,
  session: McpSession,
  use: ToolUse,
): Promise<{ is_error: boolean; text: string }> {
  const started = systemClock.monotonic();
  const answered = await ask(run, session, use);
  const selected =
    answered.reply === null
      ? ''
      : modelFacingText(answered.reply.content, answered.reply.is_error, condition.select);
  const text = answered.reply === null ? `TOOL_ERROR: ${answered.error}` : selected || EMPTY_TOOL_CONTENT;
  const is_error = answered.reply === null || answered.reply.is_error || selected === '';
  run.recorder.append({
    ...{ type: 'tool_call', trial, turn, call_id: use.id, tool: use.name, is_error, error: answered.error },
    ...{ elapsed_ms: answered.reply?.elapsed_ms ?? elapsedMs(started), ...received(run.recorder, answered) },
    ...{ model_facing_bytes: utf8Bytes(text), model_facing_sha256: sha256(text) },
    ...{ arguments: use.input, content: answered.reply?.content ?? [], model_facing_text: text },
  });
  return { is_error, text };
}

async function ask(run: RunContext, session: McpSession, use: ToolUse): Promise<Answered> {
  const advertised = run.recorder.talk.tools.some((tool) => tool.name === use.name);
  if (!advertised) return notSent('UNADVERTISED_TOOL');
  const input = argumentsOf(use.input);
  if (input === null) return notSent('ARGUMENTS_NOT_AN_OBJECT');
  try {
    return { reply: await session.call(use.name, input, run.limits.tool_timeout_ms), error: null };
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error;
    return { reply: null, error: error.message, code: callError(error), failure: error };
  }
}

function notSent(code: CallError): Answered {
  return { reply: null, error: code, code, failure: null };
}

function callError({ code }: ServerFailure): CallError {
  return code === 'CALL_TIMEOUT' || code === 'SERVER_EXITED' ? code : 'PROTOCOL_ERROR';
}

function argumentsOf(input: unknown): Record<string, unknown> | null {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : null;
}

/** What came back: the exchange itself, its sizes and hashes. */
export function received(
  recorder: Recorder,
  answered: Answered,
): Pick<
  BodyOf<'tool_call'>,
  | 'error_code'
  | 'schema_verdict'
  | 'schema_detail'
  | 'wire'
  | 'content_bytes'
  | 'content_sha256'
  | 'structured_bytes'
  | 'raw'
> {
  const raw = answered.reply?.raw ?? (answered.reply === null ? answered.failure?.raw : undefined);
  const content = JSON.stringify(answered.reply?.content ?? []);
  const structured = answered.reply?.structured;
  return {
    error_code: answered.reply === null ? answered.code : null,
    ...(answered.reply?.schema ?? { schema_verdict: 'unchecked', schema_detail: null }),
    wire: answered.reply?.wire ?? (answered.reply === null ? (answered.failure?.wire ?? null) : null),
    content_bytes: answered.reply === null ? 0 : utf8Bytes(content),
    content_sha256: sha256(answered.reply === null ? '' : content),
    structured_bytes: structured === undefined ? 0 : utf8Bytes(JSON.stringify(structured)),
    ...(raw === undefined ? {} : { raw: recorder.raw(raw) }),
  };
}
