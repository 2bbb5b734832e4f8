/** The events of a tapped session: what was said, as bodies for the log. Pure but for the blobs that `exact` may put. */
import { sha256, utf8Bytes } from '../../events/bytes.js';
import type { BodyOf } from '../../events/event.js';
import { jsonFacts } from '../../events/json-parts.js';
import type { Exact } from '../../events/payload.js';
import type { Fault } from '../wire/fault.js';
import { introduction } from '../wire/introduction.js';
import { isObject, type JsonObject } from '../wire/json.js';
import type { PassingMessage } from '../wire/ledger.js';
import type { SchemaVerdict } from '../wire/output-schema.js';
import type { Program } from '../wire/program.js';

/** What is known of the session beforehand. */
export interface Facts {
  trial: string;
  argv: string[];
  program: Program | null;
  env_names: string[];
  /** When the server was started, on the clock of the tap. */
  started_ms: number;
  /** Bytes as an event holds them. */
  exact(bytes: Buffer): Exact;
}

/** A request of the client that waits for its reply, or has it. */
export interface Request {
  method: string;
  params: JsonObject;
  id: unknown;
  line: Buffer;
  at_ms: number;
  /** Place among the requests of the session, from 1. */
  sent: number;
}

/** A reply of the server. */
export interface Reply {
  message: JsonObject;
  line: Buffer;
  at_ms: number;
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const TOOL_USE_KEY = 'claudecode/toolUseId';
const UNCHECKED: SchemaVerdict = { schema_verdict: 'unchecked', schema_detail: null };

/** The exchange that settled the handshake; `result` is that of the reply. */
export function handshakeBody(
  facts: Facts,
  request: Request,
  reply: Reply,
  more: Pick<BodyOf<'handshake'>, 'pid' | 'attempts'>,
): BodyOf<'handshake'> {
  const { trial, argv, program, env_names, started_ms } = facts;
  const { method, params } = request;
  const { result } = reply.message;
  return {
    ...{ type: 'handshake', trial, argv, env_names, url: null, header_names: [], ...more },
    ...{ program_path: program?.path ?? null, program_sha256: program?.sha256 ?? null },
    ...{ era: method === 'initialize' ? 'legacy' : 'modern', protocol_version: version(params, result) },
    ...{ ...introduction(result), client_capabilities: params.capabilities ?? {} },
    ...{ ...exchange(facts, request, reply), elapsed_ms: elapsed(started_ms, reply.at_ms) },
  };
}

/** A page of the catalog. What the host makes of it is not known here. */
export function catalogBody(
  facts: Facts,
  request: Request,
  reply: Reply,
  { page, tools }: { page: number; tools: unknown[] },
): BodyOf<'catalog'> {
  const { result } = reply.message;
  const cursor = isObject(result) ? result.nextCursor : undefined;
  return {
    ...{ type: 'catalog', trial: facts.trial, page, tools, advertised: null },
    ...{ next_cursor: typeof cursor === 'string' ? cursor : null, ...exchange(facts, request, reply) },
    elapsed_ms: elapsed(request.at_ms, reply.at_ms),
  };
}

/** A call that was answered, be it with an error. */
export function callBody(
  facts: Facts,
  request: Request,
  reply: Reply,
  verdict: (result: JsonObject) => SchemaVerdict,
): BodyOf<'tool_call'> {
  const { result, error } = reply.message;
  if (!isObject(result)) {
    const said = isObject(error) ? `error ${error.code}: ${error.message}` : 'neither a result nor an error';
    return {
      ...failedCall(facts, request, 'PROTOCOL_ERROR', said, reply.at_ms),
      ...exchange(facts, request, reply),
    };
  }
  const content: unknown[] = Array.isArray(result.content) ? result.content : [];
  const { bytes, sha256: hash } = jsonFacts(content);
  const structured = result.structuredContent;
  return {
    ...calling(facts, request),
    ...{ is_error: result.isError === true, error: null, error_code: null, ...verdict(result) },
    ...{ ...exchange(facts, request, reply), content, content_bytes: bytes, content_sha256: hash },
    structured_bytes: structured === undefined ? 0 : utf8Bytes(JSON.stringify(structured)),
    elapsed_ms: elapsed(request.at_ms, reply.at_ms),
  };
}

/** A call that no reply came to before the session ended. */
export function unansweredBody(facts: Facts, request: Request, at_ms: number): BodyOf<'tool_call'> {
  const raw = { request: facts.exact(request.line), response: null };
  return { ...failedCall(facts, request, 'NO_REPLY', 'no reply before the session ended', at_ms), raw };
}

/** A message that is part of no exchange. */
export function messageBody(
  facts: Facts,
  { direction, kind, method, line }: PassingMessage,
): BodyOf<'message'> {
  const raw = facts.exact(line);
  return {
    ...{ type: 'message', trial: facts.trial, direction, kind, method },
    ...{ bytes: line.length, sha256: sha256(line), raw },
  };
}

/** Something odd; `from` says on whose side. */
export function faultBody(facts: Facts, fault: Fault, from: 'client' | 'server'): BodyOf<'fault'> {
  const { code, severity, bytes_length, sha256: hash, text, base64, line } = fault;
  const message =
    from === 'server' ? fault.message : `from the client: ${fault.message.replace(' on stdout', '')}`;
  return {
    ...{ type: 'fault', trial: facts.trial, code, severity, message, turn: null, attempt: null },
    ...{ http_status: null, bytes: bytes_length, sha256: hash, text, base64: base64 ?? null },
    ...(line === undefined ? {} : { raw: facts.exact(line) }),
  };
}

/** The name of the tool that a call is of. */
export function toolOf({ params }: Request): string {
  return typeof params.name === 'string' ? params.name : '';
}

/** Milliseconds between two readings of the tap's clock, with at most three decimals. */
export function elapsed(from: number, to: number): number {
  return Math.max(0, Math.round((to - from) * 1000) / 1000);
}

function calling(facts: Facts, request: Request) {
  const { params, id, sent } = request;
  const use = isObject(params._meta) ? params._meta[TOOL_USE_KEY] : undefined;
  return {
    ...{ type: 'tool_call' as const, trial: facts.trial, turn: null, tool: toolOf(request), sent },
    ...{ call_id: typeof use === 'string' ? use : JSON.stringify(id), arguments: params.arguments ?? {} },
    ...{ model_facing_bytes: null, model_facing_sha256: null, model_facing_text: null },
  };
}

function failedCall(
  facts: Facts,
  request: Request,
  code: 'PROTOCOL_ERROR' | 'NO_REPLY',
  what: string,
  at_ms: number,
): BodyOf<'tool_call'> {
  return {
    ...calling(facts, request),
    ...{ is_error: true, error: `${code}: ${what}`, error_code: code, ...UNCHECKED, wire: null },
    ...{ content: [], content_bytes: 0, content_sha256: sha256(''), structured_bytes: 0 },
    elapsed_ms: elapsed(request.at_ms, at_ms),
  };
}

function exchange(facts: Facts, request: Request, reply: Reply) {
  return {
    wire: {
      ...{ request_bytes: request.line.length, request_sha256: sha256(request.line) },
      ...{ response_bytes: reply.line.length, response_sha256: sha256(reply.line) },
    },
    raw: { request: facts.exact(request.line), response: facts.exact(reply.line) },
  };
}

/** What was agreed on: a legacy server says it, a modern one takes what the client's request says. */
function version(params: JsonObject, result: unknown): string {
  const asked = isObject(params._meta) ? params._meta[VERSION_KEY] : undefined;
  const said = (isObject(result) ? result.protocolVersion : undefined) ?? asked;
  return typeof said === 'string' ? said : 'unknown';
}
