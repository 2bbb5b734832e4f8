/** What came back of a tool call, as an event holds it: the exchange itself, its sizes and hashes. */
import { sha256, utf8Bytes } from '../events/bytes.js';
import type { BodyOf } from '../events/event.js';
import { jsonFacts } from '../events/json-parts.js';
import type { ServerFailure, ToolReply } from './mcp.js';
import type { Recorder } from './recorder.js';

type ToolCall = BodyOf<'tool_call'>;
export type CallError = NonNullable<ToolCall['error_code']>;

/** The fields of a `tool_call` event that say what came back. */
export type Received = Pick<
  ToolCall,
  | 'error'
  | 'error_code'
  | 'schema_verdict'
  | 'schema_detail'
  | 'wire'
  | 'content'
  | 'content_bytes'
  | 'content_sha256'
  | 'structured_bytes'
  | 'raw'
>;

/** What came back, and whether it is an error. */
export interface Answered {
  facts: Received;
  is_error: boolean;
  /** What a model is told where there is no result, without what differs between machines; null where there is one. */
  told: string | null;
}

/** A result. Its bytes are recorded first, so that they need not be kept while the rest is made of it. */
export function received(recorder: Recorder, reply: ToolReply): Answered {
  const raw = recorder.raw(reply.raw);
  const { content, structured, schema, wire, is_error } = reply;
  const { bytes, sha256: hash } = jsonFacts(content);
  const facts = {
    ...{ error: null, error_code: null, ...schema, wire, content },
    ...{ content_bytes: bytes, content_sha256: hash },
    structured_bytes: structured === undefined ? 0 : utf8Bytes(JSON.stringify(structured)),
    raw,
  };
  return { facts, is_error, told: null };
}

/** A call that the server did not answer with a result. */
export function notReceived(recorder: Recorder, failure: ServerFailure): Answered {
  const { message, wire = null, raw } = failure;
  const { rpc_error, what } = failure.facts;
  const code = errorCode(failure);
  const told = rpc_error === undefined ? `${code}: ${what}` : `error ${rpc_error.code}: ${rpc_error.message}`;
  const facts = { ...failedWith(message, code), wire };
  const exchange = raw === undefined ? {} : { raw: recorder.raw(raw) };
  return { facts: { ...facts, ...exchange }, is_error: true, told };
}

/** A call that was not made. */
export function notSent(code: CallError): Answered {
  return { facts: failedWith(code, code), is_error: true, told: code };
}

function failedWith(error: string, error_code: CallError): Received {
  return {
    ...{ error, error_code, schema_verdict: 'unchecked', schema_detail: null, wire: null, content: [] },
    ...{ content_bytes: 0, content_sha256: sha256(''), structured_bytes: 0 },
  };
}

function errorCode({ code }: ServerFailure): CallError {
  return code === 'CALL_TIMEOUT' || code === 'SERVER_EXITED' ? code : 'PROTOCOL_ERROR';
}
