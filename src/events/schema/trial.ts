/** Events about one trial: its opening, the server it met, what the model said and what the tools answered. */
import { z } from 'zod';
import { FAILURE_CODES } from '../failures.js';
import { count, digest, envelope, exact, milliseconds, raw, trial, verbatim, wire } from './envelope.js';

/** Why a call brought no result. */
export const CALL_ERRORS = [
  'UNADVERTISED_TOOL',
  'ARGUMENTS_NOT_AN_OBJECT',
  'CALL_TIMEOUT',
  'SERVER_EXITED',
  'PROTOCOL_ERROR',
  'NO_REPLY',
  'PERMISSION_DENIED',
] as const;

export const trialOpen = z
  .strictObject({
    ...envelope,
    type: z.literal('trial_open'),
    trial,
    purpose: z
      .enum(['trial', 'probe', 'session'])
      .describe(
        'trial: a task put to a model; probe: measures the server alone and never counts in totals; session: a recorded session without a model of ours (tap, rerun)',
      ),
    condition: z.string().describe('Condition name'),
    task: z.string().nullable().describe('Task id, null for a probe'),
    phrasing: z.string().nullable().describe('Phrasing name, null for a probe'),
    repetition: z.int().positive().describe('Repetition, from 1'),
    attempt: z.int().positive().describe('Attempt at this trial, from 1; a resumed run adds attempts'),
    question_sha256: digest.nullable().describe('SHA-256 of the question before phrasing, null for a probe'),
    prompt: z.string().nullable().describe('The first user message, verbatim; null for a probe'),
  })
  .describe('A trial begins.');

export const handshake = z
  .strictObject({
    ...envelope,
    type: z.literal('handshake'),
    trial,
    pid: count.nullable().describe('Process id of the server, null for one behind a URL'),
    argv: z.array(z.string()).describe('Command and arguments, empty for a server behind a URL'),
    url: z
      .string()
      .nullable()
      .optional()
      .describe('Origin and path of a server over HTTP, without user and query; null for a command'),
    header_names: z
      .array(z.string())
      .optional()
      .describe('Names of the headers that the study adds to each request; values are never recorded'),
    program_path: z.string().nullable().describe('Real path of the program (of the script, for node)'),
    program_sha256: digest.nullable().describe('SHA-256 of that file'),
    env_names: z
      .array(z.string())
      .describe('Names of the environment variables that the server was given; values are never recorded'),
    era: z.enum(['legacy', 'modern']).describe('legacy: initialize; modern: server/discover'),
    protocol_version: z.string().describe('Negotiated protocol version'),
    server_name: z.string().nullable().describe('Name that the server gives itself'),
    server_version: z.string().nullable().describe('Version that the server gives itself'),
    wire: wire.describe('The handshake on the wire'),
    attempts: z
      .array(
        z.strictObject({
          method: z.string().describe('Request that was tried'),
          outcome: z.string().describe('What came of it'),
          elapsed_ms: milliseconds.describe('Milliseconds'),
        }),
      )
      .describe('What was tried to reach an agreement'),
    elapsed_ms: milliseconds.describe('Milliseconds from spawn to a usable session'),
    client_capabilities: verbatim.describe('Capabilities that the host declared'),
    server_capabilities: verbatim.describe('Capabilities that the server declared'),
    instructions: z.string().nullable().describe('Instructions of the server, verbatim'),
    raw: raw.optional().describe('The exchange that settled the handshake, exactly'),
  })
  .describe('A fresh server process answered the handshake.');

export const catalog = z
  .strictObject({
    ...envelope,
    type: z.literal('catalog'),
    trial,
    page: z.int().positive().describe('Page of the listing, from 1'),
    next_cursor: z.string().nullable().describe('Cursor of the next page, null on the last'),
    wire: wire.describe('The listing on the wire'),
    elapsed_ms: milliseconds.describe('Milliseconds'),
    advertised: z
      .strictObject({
        names: z.array(z.string()).describe('Tools that the host advertises, in order'),
        bytes: count.describe('Bytes of the advertised tools as the model is sent them'),
        sha256: digest.describe('SHA-256 of those bytes'),
      })
      .nullable()
      .describe('On the last page: what the host advertises of the whole catalog; null before'),
    tools: z.array(verbatim).describe('Tools of this page, as received'),
    raw: raw.optional().describe('The exchange of this page, exactly'),
  })
  .describe('One page of the tool catalog.');

export const turnRequest = z
  .strictObject({
    ...envelope,
    type: z.literal('turn_request'),
    trial,
    turn: z.int().positive().describe('Turn of the trial, from 1'),
    attempt: z.int().positive().describe('Attempt at this turn, from 1'),
    messages: count.describe('Messages in the request'),
    request_bytes: count.describe('Bytes of the request body'),
    request_sha256: digest.describe('SHA-256 of the request body; replay rebuilds the body and compares'),
    raw: exact
      .optional()
      .describe('The request body exactly, where another program wrote it; replay compares these bytes'),
  })
  .describe('A model call is about to be made. Durable before the call, which may be billed.');

export const modelTurn = z
  .strictObject({
    ...envelope,
    type: z.literal('model_turn'),
    trial,
    turn: z.int().positive().describe('Turn of the trial, from 1'),
    attempt: z.int().positive().describe('Attempt at this turn, from 1'),
    message_id: z.string().nullable().describe('Message id of the provider'),
    model: z.string().nullable().describe('Model that answered, as reported'),
    stop_reason: z.string().nullable().describe('Why the model stopped, as reported'),
    request_id: z.string().nullable().describe('Request id of the provider'),
    http_status: count.nullable().describe('HTTP status, null where a host made the call and does not tell'),
    response_bytes: count.nullable().describe('Bytes of the response body, null where that was not seen'),
    response_sha256: digest.nullable().describe('SHA-256 of the response body, null where that was not seen'),
    elapsed_ms: milliseconds.nullable().describe('Milliseconds of the call, null where that was not seen'),
    usage_source: z
      .enum(['provider', 'estimate'])
      .describe('provider: as billed; estimate: a local tokenizer, never summed with the other'),
    usage: verbatim.describe('Usage, verbatim'),
    content: z.array(verbatim).describe('Content blocks, verbatim'),
    raw: exact
      .optional()
      .describe(
        'The response exactly, where JSON.parse does not keep all of it: numbers beyond 53 bits, repeated keys',
      ),
  })
  .describe('The model answered.');

export const toolCall = z
  .strictObject({
    ...envelope,
    type: z.literal('tool_call'),
    trial,
    turn: z.int().positive().nullable().describe('Turn that asked for the call, null for a probe'),
    call_id: z.string().describe("Id of the tool_use block, or a probe's own"),
    tool: z.string().describe('Tool name'),
    asked_as: z
      .string()
      .optional()
      .describe('Name by which the model asked for the tool, where that is not its name on the wire'),
    origin: z
      .enum(['server', 'host'])
      .optional()
      .describe('host: a tool of the host itself, which no server saw; a tool of the server where absent'),
    sent: count
      .optional()
      .describe(
        'Place among the requests of its session, in the order in which they were sent; that of the events where absent',
      ),
    is_error: z.boolean().describe('Whether the result was sent to the model as an error'),
    error: z.string().nullable().describe('What failed where no result came back; null where one did'),
    error_code: z
      .enum(CALL_ERRORS)
      .nullable()
      .optional()
      .describe('The same as a code; null where a result came back'),
    elapsed_ms: milliseconds.nullable().describe('Milliseconds of the call, null where that was not seen'),
    schema_verdict: z
      .enum(['no_schema', 'unchecked', 'valid', 'invalid', 'missing', 'schema_broken'])
      .describe(
        "Structured content against the tool's output schema; missing: the schema asks for it and it is not there; schema_broken: the schema itself does not compile",
      ),
    schema_detail: z
      .string()
      .nullable()
      .optional()
      .describe('Where the structured content leaves its schema, or what is wrong with the schema'),
    wire: wire.nullable().describe('The call on the wire, null where nothing came back'),
    content_bytes: count.describe('Bytes of `content` as JSON, written anew from what was parsed'),
    content_sha256: digest.describe('SHA-256 of those bytes'),
    structured_bytes: count.describe('Bytes of `structuredContent` as JSON, likewise; 0 where absent'),
    model_facing_bytes: count
      .nullable()
      .describe('Bytes of the text that was sent to the model, null for a probe'),
    model_facing_sha256: digest.nullable().describe('SHA-256 of that text, null for a probe'),
    arguments: verbatim.describe('Arguments, verbatim'),
    content: z.array(verbatim).describe('`content` of the result, as received'),
    model_facing_text: z
      .string()
      .nullable()
      .describe('The text that was sent to the model, null for a probe'),
    raw: raw.optional().describe('The exchange, exactly; absent where nothing was sent to the server'),
    in_blobs: z
      .array(z.enum(['content', 'model_facing_text', 'text_of_content']))
      .optional()
      .describe(
        'Payloads over 256 KiB: the field is empty here, and its bytes are the blob that its SHA-256 names; text_of_content: the model-facing text is the text blocks of `content`, joined by newlines',
      ),
  })
  .describe('A tool call ended, well or badly.');

export const fault = z
  .strictObject({
    ...envelope,
    type: z.literal('fault'),
    trial: z.string().nullable().describe('Trial id, null for the run'),
    code: z.string().describe('What kind of fault'),
    severity: z.enum(['warning', 'error']).describe('error: the step failed; warning: it went on'),
    turn: z.int().positive().nullable().describe('Turn, where the fault belongs to a model call'),
    attempt: z.int().positive().nullable().describe('Attempt, where the fault belongs to a model call'),
    http_status: count.nullable().describe('HTTP status, where one was received'),
    bytes: count
      .nullable()
      .describe(
        'Bytes concerned; several faults may be about the same ones, so that a sum counts those with `raw`',
      ),
    sha256: digest.nullable().describe('SHA-256 of those bytes'),
    message: z.string().describe('The fault in words'),
    text: z.string().nullable().describe('The first 4 KiB of the bytes in readable form'),
    base64: z
      .string()
      .nullable()
      .describe('The first bytes exactly, where they are not valid UTF-8: 4 KiB of a line, 64 KiB of a body'),
    raw: exact.optional().describe('The line exactly, where it was kept and stands in no other event'),
  })
  .describe('Anything odd on the wire or around it.');

export const message = z
  .strictObject({
    ...envelope,
    type: z.literal('message'),
    trial,
    direction: z.enum(['to_server', 'to_client']).describe('Which way it went'),
    kind: z
      .enum(['request', 'notification', 'response', 'other'])
      .describe('What JSON-RPC calls it; other: a batch, or a line that is none'),
    method: z.string().nullable().describe('Method of a request or notification'),
    bytes: count.describe('Bytes of the message, newline not counted'),
    sha256: digest.describe('SHA-256 of those bytes'),
    raw: exact.describe('The message, exactly'),
  })
  .describe(
    'A message on the wire that is part of no handshake, catalog page or tool call: notifications, requests of the server and our answers, other methods, refused attempts at a handshake.',
  );

export const close = z
  .strictObject({
    ...envelope,
    type: z.literal('close'),
    trial,
    status: z.enum(['completed', 'failed', 'skipped']).describe('Execution status: a fact, not a verdict'),
    failure: z.enum(FAILURE_CODES).nullable().describe('Why the trial failed or was skipped'),
    how: z
      .enum(['stdin_end', 'sigterm', 'sigkill', 'exited', 'not_started', 'session_end'])
      .describe("How the server's session ended; session_end: over HTTP, where there is no process"),
    exit_code: z.int().nullable().describe('Exit code of the server'),
    signal: z.string().nullable().describe('Signal that ended the server'),
    elapsed_ms: milliseconds.describe('Milliseconds of the whole trial'),
    message: z.string().nullable().describe('The failure in words'),
    stderr_tail: z.string().nullable().describe("End of the server's standard error, at most 8 KiB"),
  })
  .describe('A trial ended.');
