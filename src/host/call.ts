/** One tool call of a turn: made, selected for the model, and recorded. */
import { sha256, utf8Bytes } from '../events/bytes.js';
import { elapsedMs, systemClock } from '../events/clock.js';
import type { Condition } from '../study/load.js';
import { type McpSession, ServerFailure } from './mcp.js';
import { type Answered, notReceived, notSent, received } from './received.js';
import type { RunContext } from './run.js';
import { EMPTY_TOOL_CONTENT, modelFacingText } from './select.js';

/** The turn of a trial that asks for tools, and the session that they are called in. */
export interface Turn {
  trial: string;
  turn: number;
  condition: Condition;
  session: McpSession;
}

interface ToolUse {
  id: string;
  name: string;
  input: unknown;
}

/** Calls a tool and records it. A failed call is a result: it is sent to the model as an error. */
export async function callTool(
  run: RunContext,
  { trial, turn, condition, session }: Turn,
  use: ToolUse,
): Promise<{ is_error: boolean; text: string }> {
  const started = systemClock.monotonic();
  const isOffered = run.recorder.talk(trial).tools.some((tool) => tool.name === use.name);
  const { answered, elapsed_ms = elapsedMs(started) } = isOffered
    ? await ask(run, session, use)
    : { answered: notSent('UNADVERTISED_TOOL') };
  const { text, is_error } = modelFacing(answered, condition.select);
  const call = { trial, turn, call_id: use.id, tool: use.name, is_error, elapsed_ms, arguments: use.input };
  const facing = {
    model_facing_bytes: utf8Bytes(text),
    model_facing_sha256: sha256(text),
    model_facing_text: text,
  };
  run.recorder.append({ type: 'tool_call', ...call, ...answered.facts, ...facing });
  return { is_error, text };
}

/** What the model is sent of it. A result without text is an error, too: there is nothing to go on with. */
function modelFacing(
  { facts, is_error, told }: Answered,
  leaveOut: string[],
): { text: string; is_error: boolean } {
  if (told !== null) return { text: `TOOL_ERROR: ${told}`, is_error };
  const selected = modelFacingText(facts.content, is_error, leaveOut);
  return selected === '' ? { text: EMPTY_TOOL_CONTENT, is_error: true } : { text: selected, is_error };
}

async function ask(
  run: RunContext,
  session: McpSession,
  use: ToolUse,
): Promise<{ answered: Answered; elapsed_ms?: number }> {
  const input = argumentsOf(use.input);
  if (input === null) return { answered: notSent('ARGUMENTS_NOT_AN_OBJECT') };
  try {
    const reply = await session.call(use.name, input, run.limits.tool_timeout_ms);
    return { answered: received(run.recorder, reply), elapsed_ms: reply.elapsed_ms };
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error;
    return { answered: notReceived(run.recorder, error) };
  }
}

function argumentsOf(input: unknown): Record<string, unknown> | null {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : null;
}
