/** The one door to the Anthropic SDK: a Messages call whose exact bytes are known, in both directions. */
import { isUtf8 } from 'node:buffer';
import Anthropic, { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { z } from 'zod';
import { sha256 } from '../events/bytes.js';
import { elapsedMs, systemClock } from '../events/clock.js';
import type { requestBody } from '../events/conversation.js';
import { DEPTH_LIMIT, deeperThan } from '../events/depth.js';
import type { FailureCode } from '../events/failures.js';
import { BODY_LIMIT, type Exchange, nothingSeen, recordingFetch, retryAfter } from './exchange.js';
import { saysTheSame } from './json-text.js';

export type RequestBody = ReturnType<typeof requestBody>;

export interface ModelReply {
  message_id: string | null;
  model: string | null;
  stop_reason: string | null;
  content: unknown[];
  /** Null where the endpoint gave none. */
  usage: unknown;
  request_id: string | null;
  http_status: number;
  response_bytes: number;
  response_sha256: string;
  elapsed_ms: number;
  /** The body, where what is above does not say all that it says: a number beyond 53 bits, a repeated key. Else null. */
  lossy: Buffer | null;
}

/** A model call that brought no message. It is data: the host records it and decides about a retry. */
export class ModelFailure extends Error {
  readonly code: FailureCode;
  readonly http_status: number | null;
  /** Whether the study's retries apply: 408, 409, 429, 5xx and lost connections. */
  readonly retryable: boolean;
  /** Milliseconds that the endpoint asked to wait, null where it did not. */
  readonly retry_after_ms: number | null;
  /** Whether the call may have been billed all the same. */
  readonly may_be_billed: boolean;
  /** The response body as far as it came, null where no response began. */
  readonly body: Buffer | null;

  constructor(code: FailureCode, message: string, seen: Exchange, reached = true) {
    super(message);
    this.name = 'ModelFailure';
    this.code = code;
    this.http_status = seen.status;
    const status = seen.status ?? 0;
    const lost = code === 'MODEL_CONNECTION' || code === 'MODEL_TIMEOUT';
    this.retryable = lost || [408, 409, 429].includes(status) || status >= 500;
    this.retry_after_ms = retryAfter(seen.headers);
    const cutShort = lost || code === 'MODEL_BAD_RESPONSE' || [408, 502, 504].includes(status);
    this.may_be_billed = reached && cutShort;
    this.body = seen.body;
  }
}

export interface ModelClient {
  /** Makes one call. `onRequest` is given the exact body before it is sent, and must have stored it when it returns. */
  send(
    body: RequestBody,
    options: { onRequest(bytes: Buffer): void; signal: AbortSignal },
  ): Promise<ModelReply>;
  /** The provider's own count of input tokens; null where the endpoint does not give one. */
  countTokens(body: RequestBody, signal: AbortSignal): Promise<number | null>;
  /** Origin of the endpoint. */
  origin: string;
}

export interface ModelClientOptions {
  /** Endpoint, without `/v1`; Anthropic's own where absent. The environment is not asked. */
  baseURL?: string | undefined;
  apiKey: string;
  timeoutMs: number;
}

/** The endpoint where none is named. */
export const ANTHROPIC = 'https://api.anthropic.com';

/** A client with the SDK's retries off: retries are the host's, and recorded. */
export function openModelClient(options: ModelClientOptions): ModelClient {
  const baseURL = options.baseURL ?? ANTHROPIC;
  const settings: Settings = {
    ...{ apiKey: options.apiKey, authToken: null, baseURL, timeout: options.timeoutMs, maxRetries: 0 },
    // The SDK logs to stdout where ANTHROPIC_LOG asks for it, and stdout is for results.
    logLevel: 'off',
  };
  return {
    origin: new URL(baseURL).origin,
    send: (body, { onRequest, signal }) => sendOnce(settings, body, onRequest, signal),
    countTokens: (body, signal) => countOnce(settings, body, signal),
  };
}

interface Settings {
  apiKey: string;
  authToken: null;
  baseURL: string;
  timeout: number;
  maxRetries: number;
  logLevel: 'off';
}

const countSchema = z.object({ input_tokens: z.int().nonnegative() });

/** Whatever goes wrong here is no answer and costs nothing: the caller has another bound. */
async function countOnce(
  settings: Settings,
  { model, system, messages, tools }: RequestBody,
  signal: AbortSignal,
): Promise<number | null> {
  const seen = nothingSeen();
  const client = new Anthropic({ ...settings, fetch: recordingFetch(seen, () => {}) });
  try {
    await client.post('/v1/messages/count_tokens', { body: { model, system, messages, tools }, signal });
  } catch {
    return null;
  }
  return countSchema.safeParse(bodyOf(seen)).data?.input_tokens ?? null;
}

async function sendOnce(
  settings: Settings,
  body: RequestBody,
  onRequest: (bytes: Buffer) => void,
  signal: AbortSignal,
): Promise<ModelReply> {
  const seen = nothingSeen();
  const client = new Anthropic({ ...settings, fetch: recordingFetch(seen, onRequest) });
  const started = systemClock.monotonic();
  try {
    await client.post('/v1/messages', { body, signal });
  } catch (error) {
    throw failureOf(error, seen);
  }
  return readReply(seen, elapsedMs(started));
}

function failureOf(error: unknown, seen: Exchange): unknown {
  if (seen.refused !== null) return seen.refused;
  if (seen.endless) return badResponse(`a body of more than ${BODY_LIMIT} bytes`, seen);
  if (error instanceof APIConnectionTimeoutError)
    return new ModelFailure('MODEL_TIMEOUT', 'the model did not answer in time', seen);
  if (error instanceof APIConnectionError) {
    const chain = causes(error);
    const reached = !chain.some((cause) => 'code' in cause && UNREACHED.includes(String(cause.code)));
    const message = chain.map((cause) => cause.message).join(': ');
    return new ModelFailure('MODEL_CONNECTION', message, seen, reached);
  }
  if (error instanceof APIError && seen.status !== null) {
    const message = `the endpoint answered ${error.message}`.slice(0, 2000);
    return new ModelFailure('MODEL_HTTP_ERROR', message, seen);
  }
  if (error instanceof SyntaxError && seen.body !== null)
    return badResponse('something that is not JSON', seen);
  return error;
}

function badResponse(what: string, seen: Exchange): ModelFailure {
  return new ModelFailure('MODEL_BAD_RESPONSE', `the endpoint answered with ${what}`, seen);
}

/** Errors of a connection that never came about: nothing was sent, so nothing was billed. */
const UNREACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/** An error and what caused it, outermost first. */
function causes(error: Error): Error[] {
  const found = [error];
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) found.push(cause);
  return found;
}

const messageSchema = z.looseObject({
  id: z.string().nullish(),
  model: z.string().nullish(),
  stop_reason: z.string().nullish(),
  content: z.array(z.unknown()),
  usage: z.unknown().optional(),
});

function readReply(seen: Exchange, elapsed_ms: number): ModelReply {
  const parsed = messageSchema.safeParse(bodyOf(seen));
  if (!parsed.success) throw badResponse('something that is not a message', seen);
  const { id, model, stop_reason, content, usage } = parsed.data;
  const body = seen.body ?? Buffer.alloc(0);
  return {
    ...{ message_id: id ?? null, model: model ?? null, stop_reason: stop_reason ?? null },
    ...{ content, usage: usage ?? null },
    request_id: seen.headers?.get('request-id') ?? null,
    http_status: seen.status ?? 0,
    response_bytes: body.length,
    response_sha256: sha256(body),
    elapsed_ms,
    lossy: saysTheSame(body.toString('utf8'), JSON.stringify(bodyOf(seen))) ? null : body,
  };
}

/** The response as JSON; undefined where it is none, is not UTF-8, or is nested deeper than a log can hold. */
function bodyOf({ body }: Exchange): unknown {
  if (body === null || !isUtf8(body) || deeperThan(body, DEPTH_LIMIT)) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
