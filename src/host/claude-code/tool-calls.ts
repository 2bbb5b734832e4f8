/** Calls of a session under Claude Code: those that the tap heard, and those of tools of the host itself. Pure. */
import { z } from 'zod';
import { textsOf } from '../../events/answer.js';
import { sha256, utf8Bytes } from '../../events/bytes.js';
import type { BodyOf } from '../../events/event.js';
import { jsonFacts } from '../../events/json-parts.js';
import type { ToolResult, Transcript } from './transcript.js';

type ToolCall = BodyOf<'tool_call'>;

const toolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
});

/** A wish of the model for a tool. */
export type ToolUse = z.infer<typeof toolUse>;

/** The tools that an answer asks for, in order. */
export function toolUsesIn(content: unknown[]): ToolUse[] {
  return content.flatMap((block) => toolUse.safeParse(block).data ?? []);
}

/** A call that the tap heard, with the turn that asked for it and the text that the model was sent. */
export function tappedCall(call: ToolCall, turn: number | null, { results, answers }: Transcript): ToolCall {
  const uses = answers.flatMap(({ content }) => toolUsesIn(content));
  const asked_as = uses.find(({ id }) => id === call.call_id)?.name;
  const named = asked_as === undefined ? {} : { asked_as };
  const result = results.get(call.call_id);
  // A host that no longer waits tells the model of an error, whatever the server answers later.
  const is_error = result?.is_error ?? call.is_error;
  return { ...call, turn, ...named, origin: 'server', is_error, ...modelFacing(result) };
}

/** Where a call of the host stands. */
interface Place {
  trial: string;
  turn: number;
  /** When the model had asked, in milliseconds; null where that is not known. */
  asked_ms: number | null;
}

/** A call that no server saw: of a tool of the host, or of one that could not be called. */
export function hostCall(
  { id, name, input }: ToolUse,
  { trial, turn, asked_ms }: Place,
  result: ToolResult | undefined,
  isDenied: boolean,
): ToolCall {
  const content = result?.content ?? [];
  const { bytes, sha256: hash } = jsonFacts(content);
  const ended_ms = result?.at_ms ?? null;
  return {
    ...{ type: 'tool_call', trial, turn, call_id: id, tool: name, asked_as: name, origin: 'host' },
    ...{ is_error: result?.is_error ?? true, ...failure(result, isDenied) },
    elapsed_ms: asked_ms === null || ended_ms === null ? null : Math.max(0, ended_ms - asked_ms),
    ...{ schema_verdict: 'unchecked', schema_detail: null, wire: null },
    ...{ content_bytes: bytes, content_sha256: hash, structured_bytes: 0 },
    ...{ arguments: input ?? null, content, ...modelFacing(result) },
  };
}

function failure(result: ToolResult | undefined, isDenied: boolean): Pick<ToolCall, 'error' | 'error_code'> {
  const text = result === undefined ? '' : textOf(result.content);
  if (isDenied) return { error: `PERMISSION_DENIED: ${text}`, error_code: 'PERMISSION_DENIED' };
  if (result === undefined)
    return { error: 'NO_REPLY: the transcript has no result of it', error_code: 'NO_REPLY' };
  if (result.is_error && /No such tool available/.test(text))
    return { error: `UNADVERTISED_TOOL: ${text}`, error_code: 'UNADVERTISED_TOOL' };
  return { error: null, error_code: null };
}

type Facing = Pick<ToolCall, 'model_facing_bytes' | 'model_facing_sha256' | 'model_facing_text'>;

function modelFacing(result: ToolResult | undefined): Facing {
  if (result === undefined)
    return { model_facing_bytes: null, model_facing_sha256: null, model_facing_text: null };
  const text = textOf(result.content);
  return {
    model_facing_bytes: utf8Bytes(text),
    model_facing_sha256: sha256(text),
    model_facing_text: text,
  };
}

/** What a result says, its blocks joined by newlines; a block that is no text stands as JSON. */
function textOf(content: unknown[]): string {
  return content.map((block) => textsOf([block])[0] ?? JSON.stringify(block)).join('\n');
}
