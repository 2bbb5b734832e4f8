/** What came back of a recorded call, read from its exact bytes where they are there: the side of a comparison. */
import { jsonOf } from '../../events/answer.js';
import type { EventOf } from '../../events/event.js';
import { membersOf } from '../../events/json-spans.js';
import { type Blobs, bytesOf } from '../../events/payload.js';
import { EMPTY_TOOL_CONTENT, modelFacingText } from '../select.js';
import { isObject } from '../wire/json.js';

export interface Answer {
  /** seq of the event. */
  event: number;
  /** Why there is no result: a JSON-RPC error in words, or a code of the log; null where there is one. */
  failed: string | null;
  /** Whether the tool itself called its result an error. */
  is_error: boolean;
  /** `content` as JSON, as it was written where the bytes are there; null where absent. */
  content_json: string | null;
  /** `structuredContent` likewise; undefined where the log does not say. */
  structured_json: string | null | undefined;
  schema_verdict: string;
  wire_bytes: number;
  content_bytes: number;
  structured_bytes: number;
  /** What a model is sent of it. */
  text: string;
}

/** The answer to a call. `select` are the fields that the host leaves out. Throws what `getBlob` throws. */
export function answerOf(
  call: EventOf<'tool_call'>,
  select: string[],
  blobs: Pick<Blobs, 'getBlob'>,
): Answer {
  const { seq, schema_verdict, content_bytes, structured_bytes } = call;
  const sizes = { wire_bytes: call.wire?.response_bytes ?? 0, content_bytes, structured_bytes };
  const known = { event: seq, schema_verdict, ...sizes };
  const reply = call.raw?.response ? bytesOf(call.raw.response, blobs).toString('utf8') : null;
  const failed = failureOf(call, reply);
  if (failed !== null)
    return { ...known, ...NOTHING, failed, is_error: false, text: `TOOL_ERROR: ${failed}` };
  const result = reply === null ? null : resultIn(reply);
  const is_error = result === null ? isError(call) : result.isError === 'true';
  return {
    ...{ ...known, failed: null, is_error },
    content_json: result === null ? JSON.stringify(call.content) : (result.content ?? null),
    structured_json:
      result === null && structured_bytes > 0 ? undefined : (result?.structuredContent ?? null),
    text: modelFacingText(call.content, is_error, select) || EMPTY_TOOL_CONTENT,
  };
}

const NOTHING = { content_json: null, structured_json: null };

/** Without the command line and the words on stderr that the event's own message has, which differ between builds. */
function failureOf({ error, error_code }: EventOf<'tool_call'>, reply: string | null): string | null {
  if (error === null) return null;
  const message = reply === null ? undefined : jsonOf(reply);
  const rpc = isObject(message) && isObject(message.error) ? message.error : null;
  return rpc === null ? (error_code ?? error) : `error ${String(rpc.code)}: ${String(rpc.message)}`;
}

/** The members of a reply's result, each as it was written; null where the line is no single message. */
function resultIn(reply: string): Partial<Record<string, string>> | null {
  const result = reply.startsWith('{') ? membersIn(reply).result : undefined;
  return result?.startsWith('{') ? membersIn(result) : null;
}

function membersIn(json: string): Partial<Record<string, string>> {
  return Object.fromEntries(
    membersOf(json, 0).map(({ key, value }) => [key, json.slice(value.start, value.end)]),
  );
}

/** Of a call without bytes: a host also calls a result an error that holds no text. */
function isError(call: EventOf<'tool_call'>): boolean {
  return call.is_error && call.model_facing_text !== EMPTY_TOOL_CONTENT;
}
