/** Asking: one request through the client, one reply from the wire, and every way in which it can fail. */
import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { jsonOf } from '../../events/answer.js';
import {
  exitWords,
  type FailureFacts,
  type RawExchange,
  type RpcError,
  ServerFailure,
  type ServerFailureCode,
  type WireFacts,
} from './failure.js';
import { ConnectionLost } from './http-request.js';
import { refusalWords } from './http-words.js';
import { isObject, type JsonObject } from './json.js';
import type { Exchange, Reply } from './ledger.js';
import { elapsedSince } from './time.js';
import type { WireTransport } from './transport.js';

/** A client on a transport of ours. */
export interface Line {
  client: Client;
  transport: WireTransport;
  command: string;
}

/** A result as received, with its cost. */
export interface Answer {
  result: JsonObject;
  line: Buffer;
  wire: WireFacts;
  raw: RawExchange;
  elapsed_ms: number;
}

/** Accepts every result: what the client would strip, reject or repair is ours to keep. */
const AS_IT_IS: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'measure', validate: (value) => ({ value }) },
};

/** Sends one request and returns its result from the wire. Rejects with a `ServerFailure`. */
export async function ask(
  line: Line,
  method: string,
  params: JsonObject,
  timeoutMs: number,
): Promise<Answer> {
  const { client, transport } = line;
  const started = performance.now();
  let exchange: Exchange | undefined;
  transport.onexchange = (opened) => {
    exchange = opened;
  };
  // The client writes within this call, so the exchange is known when it returns.
  const asked = client.request({ method, params }, AS_IT_IS, {
    timeout: timeoutMs,
    allowInputRequired: true,
  });
  transport.onexchange = undefined;
  const complaint = await asked.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (exchange?.reply !== undefined) return read(line, exchange, exchange.reply, complaint);
  if (exchange !== undefined) transport.abandon(exchange);
  const elapsed_ms = elapsedSince(started);
  const more = exchange === undefined ? {} : { raw: { request: exchange.request_line, response: null } };
  if (transport.over || lostWords(complaint) !== undefined) {
    const what = `${endWords(transport, complaint)} before it answered ${method}`;
    throw fail(line, 'SERVER_EXITED', what, elapsed_ms, more);
  }
  const timedOut = isTimeout(complaint);
  const what = timedOut
    ? `no answer to ${method} within ${timeoutMs} ms`
    : `${method}: ${messageOf(complaint)}`;
  throw fail(line, timedOut ? 'CALL_TIMEOUT' : 'PROTOCOL_ERROR', what, elapsed_ms, more);
}

function read(line: Line, exchange: Exchange, reply: Reply, complaint: unknown): Answer {
  const wire = wireOf(exchange, reply);
  const raw = rawOf(exchange, reply);
  const elapsed_ms = elapsedSince(exchange.request.at_ms, reply.facts.at_ms);
  const { result, error } = reply.message;
  if (isObject(result) && !('error' in reply.message))
    return { result, line: reply.line, wire, raw, elapsed_ms };
  const rpc_error = rpcErrorOf(error);
  const what =
    rpc_error === undefined
      ? 'neither a result nor an error'
      : `error ${rpc_error.code}: ${rpc_error.message}`;
  const words = `answered ${exchange.method} with ${refusalWords(exchange.method, reply, complaint) ?? what}`;
  throw fail(line, 'PROTOCOL_ERROR', words, elapsed_ms, { wire, raw, rpc_error });
}

/** How the server went, to stand before `before it answered …`. */
export function endWords({ pid, exit }: Pick<WireTransport, 'pid' | 'exit'>, error: unknown): string {
  return lostWords(error) ?? (pid === null ? 'was left' : exitWords(exit));
}

/** How a connection was lost, where that is what the error, or its cause, is about. */
export function lostWords(error: unknown): string | undefined {
  if (error instanceof ConnectionLost) return error.message;
  return error instanceof Error && error.cause instanceof ConnectionLost ? error.cause.message : undefined;
}

/** The cost of an exchange that was answered. */
export function wireOf(exchange: Exchange, reply: Reply): WireFacts {
  return {
    request_bytes: exchange.request.bytes,
    request_sha256: exchange.request.sha256,
    response_bytes: reply.facts.bytes,
    response_sha256: reply.facts.sha256,
    ...(reply.http === undefined ? {} : { http: reply.http }),
  };
}

/** The bytes of an exchange that was answered. */
export function rawOf(exchange: Exchange, reply: Reply): RawExchange {
  return { request: exchange.request_line, response: reply.line };
}

/** A failure of this server, with what is known of its end. */
export function fail(
  line: Pick<Line, 'transport' | 'command'>,
  code: ServerFailureCode,
  what: string,
  elapsed_ms: number,
  more: Pick<FailureFacts, 'wire' | 'raw' | 'rpc_error' | 'close'> = {},
): ServerFailure {
  const { transport, command } = line;
  return new ServerFailure({
    code,
    what,
    command,
    exit: transport.exit,
    stderr_tail: transport.stderrTail(),
    elapsed_ms,
    ...more,
  });
}

/** True for the client's own time-out, whatever it waited for. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'REQUEST_TIMEOUT';
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return inOneLine(error instanceof Error ? error.message : String(error));
}

const issues = z.array(
  z.looseObject({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }),
);

/** The client tells what is wrong with a result as a list in JSON over many lines: here as `path: what is wrong`. */
function inOneLine(message: string): string {
  const at = message.indexOf('[\n');
  const parsed = at < 0 ? undefined : issues.safeParse(jsonOf(message.slice(at)));
  if (parsed?.success !== true) return message;
  const told = parsed.data.map(({ path, message: what }) => `${path.join('.')}: ${what}`);
  return `${message.slice(0, at)}${told.join('; ')}`;
}

function rpcErrorOf(error: unknown): RpcError | undefined {
  if (!isObject(error)) return undefined;
  const { code, message, data } = error;
  if (typeof code !== 'number' || typeof message !== 'string') return undefined;
  return data === undefined ? { code, message } : { code, message, data };
}
