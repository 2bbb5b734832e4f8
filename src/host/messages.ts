/** The one door to the Anthropic SDK: a Messages call whose exact bytes are known, in both directions. */
import Anthropic, { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { z } from 'zod';
import { sha256 } from '../events/bytes.js';
import { elapsedMs, systemClock } from '../events/clock.js';
import type { requestBody } from '../events/conversation.js';
import type { FailureCode } from '../events/failures.js';

export type RequestBody = ReturnType<typeof requestBody>;

export interface ModelReply {
  message_id: string | null;
  model: string | null;
  stop_reason: string | null;
  content: unknown[];
  usage: unknown;
  request_id: string | null;
  http_status: number;
  response_bytes: number;
  response_sha256: string;
  elapsed_ms: number;
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
  /** Start of the response body, where there was one. */
  readonly body: Buffer | null;

  constructor(code: FailureCode, message: string, seen: Exchange) {
    super(message);
    this.name = 'ModelFailure';
    this.code = code;
    this.http_status = seen.status;
    const status = seen.status ?? 0;
    const lost = code === 'MODEL_CONNECTION' || code === 'MODEL_TIMEOUT';
    this.retryable = lost || [408, 409, 429].includes(status) || status >= 500;
    this.retry_after_ms = retryAfter(seen.headers);
    this.may_be_billed = lost || code === 'MODEL_BAD_RESPONSE';
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
  /** Endpoint; the SDK's own default, or ANTHROPIC_BASE_URL, where absent. */
  baseURL?: string | undefined;
  apiKey: string;
  timeoutMs: number;
}

/** What crossed the wire in one call, as far as it got. */
interface Exchange {
  status: number | null;
  headers: Headers | null;
  body: Buffer | null;
  /** Why the request was not let out, where the host could not store it. */
  refused: unknown;
}

/** A client with the SDK's retries off: retries are the host's, and recorded. */
export function openModelClient(options: ModelClientOptions): ModelClient {
  const settings = { apiKey: options.apiKey, timeout: options.timeoutMs, maxRetries: 0, authToken: null };
  const base = options.baseURL === undefined ? settings : { ...settings, baseURL: options.baseURL };
  const origin = new URL(new Anthropic(base).baseURL).origin;
  return {
    origin,
    send: (body, { onRequest, signal }) => sendOnce(base, body, onRequest, signal),
    countTokens: async ({ model, system, messages, tools }, signal) => {
      try {
        const client = new Anthropic(base);
        const counted = await client.post('/v1/messages/count_tokens', {
          body: { model, system, messages, tools },
          signal,
        });
        return countSchema.safeParse(counted).data?.input_tokens ?? null;
      } catch (error) {
        if (error instanceof APIError) return null;
        throw error;
      }
    },
  };
}

const countSchema = z.object({ input_tokens: z.int().nonnegative() });

type Settings = { apiKey: string; timeout: number; maxRetries: number; authToken: null; baseURL?: string };

async function sendOnce(
  settings: Settings,
  body: RequestBody,
  onRequest: (bytes: Buffer) => void,
  signal: AbortSignal,
): Promise<ModelReply> {
  const seen: Exchange = { status: null, headers: null, body: null, refused: null };
  const client = new Anthropic({ ...settings, fetch: recordingFetch(seen, onRequest) });
  const started = systemClock.monotonic();
  try {
    await client.post('/v1/messages', { body, signal });
  } catch (error) {
    throw failureOf(error, seen);
  }
  return readReply(seen, elapsedMs(started));
}

/** A fetch that hands over the request before it leaves, and keeps the whole response. */
function recordingFetch(seen: Exchange, onRequest: (bytes: Buffer) => void): typeof fetch {
  return async (url, init) => {
    try {
      onRequest(Buffer.from(typeof init?.body === 'string' ? init.body : '', 'utf8'));
    } catch (error) {
      seen.refused = error;
      throw error;
    }
    const response = await fetch(url, init);
    seen.status = response.status;
    seen.headers = response.headers;
    const bytes = Buffer.from(await response.arrayBuffer());
    seen.body = bytes;
    return new Response(bytes, { status: response.status, headers: response.headers });
  };
}

function failureOf(error: unknown, seen: Exchange): unknown {
  if (seen.refused !== null) return seen.refused;
  if (error instanceof APIConnectionTimeoutError)
    return new ModelFailure('MODEL_TIMEOUT', 'the model did not answer in time', seen);
  if (error instanceof APIConnectionError) return new ModelFailure('MODEL_CONNECTION', causeOf(error), seen);
  if (error instanceof APIError && seen.status !== null) {
    return new ModelFailure(
      'MODEL_HTTP_ERROR',
      `the endpoint answered ${error.message}`.slice(0, 2000),
      seen,
    );
  }
  if (error instanceof SyntaxError && seen.body !== null) {
    return new ModelFailure(
      'MODEL_BAD_RESPONSE',
      'the endpoint answered with something that is not JSON',
      seen,
    );
  }
  return error;
}

function causeOf(error: Error): string {
  const parts = [error.message];
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) parts.push(cause.message);
  return parts.join(': ');
}

const messageSchema = z.looseObject({
  id: z.string().nullish(),
  model: z.string().nullish(),
  stop_reason: z.string().nullish(),
  content: z.array(z.unknown()),
  usage: z.unknown(),
});

function readReply(seen: Exchange, elapsed_ms: number): ModelReply {
  const body = seen.body ?? Buffer.alloc(0);
  const parsed = messageSchema.safeParse(parse(body));
  if (!parsed.success) {
    throw new ModelFailure(
      'MODEL_BAD_RESPONSE',
      'the endpoint answered with something that is not a message',
      seen,
    );
  }
  const { id, model, stop_reason, content, usage } = parsed.data;
  return {
    ...{ message_id: id ?? null, model: model ?? null, stop_reason: stop_reason ?? null, content, usage },
    request_id: seen.headers?.get('request-id') ?? null,
    http_status: seen.status ?? 0,
    response_bytes: body.length,
    response_sha256: sha256(body),
    elapsed_ms,
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Milliseconds of a Retry-After header: `retry-after-ms`, seconds, or an HTTP date. */
function retryAfter(headers: Headers | null): number | null {
  const ms = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const value = headers?.get('retry-after');
  if (value === null || value === undefined) return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}
