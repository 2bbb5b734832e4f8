/** Connecting: starts a server and agrees on a protocol, and remembers each request that was tried. */
import { existsSync } from 'node:fs';
import { Client, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import type { EraChoice, Handshake, HandshakeAttempt, ServerSpec, SessionOptions } from '../mcp.js';
import { fail, isTimeout, type Line, messageOf, rawOf, wireOf } from './ask.js';
import { exitWords, type ServerFailure } from './failure.js';
import { faultOf } from './fault.js';
import { kindOf } from './inbound.js';
import { isObject, type JsonObject } from './json.js';
import type { Exchange, Reply } from './ledger.js';
import { openTransport } from './open.js';
import { elapsedSince } from './time.js';
import { shownUrl } from './url.js';

/** What the handshake settled; the rest of a `Handshake` is known before. */
type Agreement = Omit<Handshake, 'argv' | 'program' | 'env_names' | 'url' | 'header_names'>;

/** A connected line and what was agreed on it. */
interface Connection extends Line {
  agreement: Agreement;
}

const PROBE_TIMEOUT_MS = 3000;
const MODERN_VERSION = '2026-07-28';
const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';

/** One life of a server process while connecting. */
interface Try extends Line {
  exchanges: Exchange[];
  started: number;
}

/**
 * Starts the server and shakes hands. With `auto`, a server that exits on `server/discover` is started again and
 * greeted with `initialize`. Rejects with a `ServerFailure`, after the process and its group are gone.
 */
export async function connect(spec: ServerSpec, options: SessionOptions): Promise<Connection> {
  const era = options.era ?? 'legacy';
  const first = begin(spec, options, era);
  const failure = await shake(first, options.connectTimeoutMs, options.signal);
  if (failure === undefined) return settle(first, [], options);
  if (
    era === 'auto' &&
    failure.code === 'SERVER_EXITED' &&
    first.exchanges.at(-1)?.method === 'server/discover'
  ) {
    const left = Math.max(1, options.connectTimeoutMs - failure.elapsed_ms);
    const second = begin(spec, options, 'legacy');
    const again = await shake(second, left, options.signal);
    passOn(first.exchanges, options);
    if (again !== undefined) throw again;
    return settle(second, attemptsOf(first), options);
  }
  throw failure;
}

function begin(spec: ServerSpec, options: SessionOptions, era: EraChoice): Try {
  const exchanges: Exchange[] = [];
  const { onFault, onPassing = () => undefined, lineCapBytes, waits } = options;
  const transport = openTransport(spec, { onFault, onPassing, lineCapBytes, waits });
  transport.onexchange = (exchange) => exchanges.push(exchange);
  const timeoutMs = Math.min(options.probeTimeoutMs ?? PROBE_TIMEOUT_MS, options.connectTimeoutMs / 2);
  const client = new Client(options.client ?? { name: 'measure', version: '0' }, {
    capabilities: {},
    versionNegotiation: {
      mode: modeOf(era),
      probe: { timeoutMs: era === 'modern' ? options.connectTimeoutMs : timeoutMs },
    },
  });
  client.onerror = (error) => onFault(faultOf('CLIENT_ERROR', 'warning', messageOf(error), Buffer.alloc(0)));
  return { client, transport, command: commandOf(spec), exchanges, started: performance.now() };
}

function modeOf(era: EraChoice): VersionNegotiationMode {
  return era === 'modern' ? { pin: MODERN_VERSION } : era;
}

function commandOf(spec: ServerSpec): string {
  if ('url' in spec) return shownUrl(spec.url);
  return existsSync(spec.cwd) ? spec.argv[0] : `${spec.argv[0]} in ${spec.cwd} (no such folder)`;
}

/** Undefined on success. On failure the server is ended first, so that its whole exit is known. */
async function shake(
  attempt: Try,
  timeoutMs: number,
  ended: AbortSignal | undefined,
): Promise<ServerFailure | undefined> {
  const { client, transport } = attempt;
  const kill = () => transport.killNow();
  ended?.addEventListener('abort', kill);
  try {
    await client.connect(transport, {
      timeout: timeoutMs,
      signal: AbortSignal.timeout(Math.ceil(timeoutMs)),
    });
    transport.onexchange = undefined;
    return undefined;
  } catch (error) {
    const elapsed = elapsedSince(attempt.started);
    const { lost } = transport;
    const { how } = await transport.end();
    if (how === 'not_started')
      return fail(attempt, 'SERVER_START_FAILED', `could not be started: ${messageOf(error)}`, elapsed);
    return refusal(attempt, error, lost, elapsed);
  } finally {
    ended?.removeEventListener('abort', kill);
  }
}

function refusal(attempt: Try, error: unknown, lost: boolean, elapsed: number): ServerFailure {
  const last = attempt.exchanges.at(-1);
  const method = last?.method ?? 'the handshake';
  if (lost && last?.reply === undefined) {
    return fail(
      attempt,
      'SERVER_EXITED',
      `${exitWords(attempt.transport.exit)} before it answered ${method}`,
      elapsed,
    );
  }
  if (isTimeout(error) || last?.reply === undefined) {
    const { heard } = attempt.transport;
    const noise =
      heard === 0 ? 'nothing came on stdout' : `${heard} lines came on stdout, none of them an answer`;
    return fail(
      attempt,
      'CONNECT_TIMEOUT',
      `no answer to ${method} within ${Math.round(elapsed)} ms; ${noise}`,
      elapsed,
    );
  }
  const more = { wire: wireOf(last, last.reply), raw: rawOf(last, last.reply) };
  return fail(attempt, 'PROTOCOL_ERROR', `no agreement by ${method}: ${messageOf(error)}`, elapsed, more);
}

function settle(attempt: Try, earlier: HandshakeAttempt[], options: SessionOptions): Connection {
  const { client, transport, command } = attempt;
  const answered = attempt.exchanges.findLast((exchange) => exchange.reply !== undefined);
  const version = client.getNegotiatedProtocolVersion();
  if (answered?.reply === undefined || version === undefined) {
    throw fail(
      attempt,
      'PROTOCOL_ERROR',
      'the handshake left no trace on the wire',
      elapsedSince(attempt.started),
    );
  }
  passOn(
    attempt.exchanges.filter((exchange) => exchange !== answered),
    options,
  );
  const agreement = {
    pid: transport.pid,
    era: client.getProtocolEra() ?? 'legacy',
    protocol_version: version,
    ...introduction(answered.reply),
    client_capabilities: {},
    wire: wireOf(answered, answered.reply),
    raw: rawOf(answered, answered.reply),
    attempts: [...earlier, ...attemptsOf(attempt)],
    elapsed_ms: elapsedSince(attempt.started),
  };
  return { client, transport, command, agreement };
}

/** Attempts that settled nothing are messages like others. */
function passOn(exchanges: Exchange[], { onPassing }: SessionOptions): void {
  for (const { request_line, method, reply } of exchanges) {
    onPassing?.({ direction: 'to_server', kind: 'request', method, line: request_line });
    if (reply !== undefined)
      onPassing?.({ direction: 'to_client', ...kindOf(reply.message), line: reply.line });
  }
}

/** What the server says of itself, from the wire: at the top of a legacy answer, under `_meta` of a modern one. */
function introduction(reply: Reply) {
  const result = object(reply.message.result);
  const info = object(result.serverInfo ?? object(result._meta)[SERVER_INFO_KEY]);
  return {
    server_name: text(info.name),
    server_version: text(info.version),
    server_capabilities: object(result.capabilities),
    instructions: text(result.instructions),
  };
}

function attemptsOf({ exchanges, transport }: Try): HandshakeAttempt[] {
  return exchanges.map((exchange, at) => {
    const end = exchange.reply?.facts.at_ms ?? exchanges[at + 1]?.request.at_ms;
    const elapsed_ms = elapsedSince(exchange.request.at_ms, end);
    if (exchange.reply === undefined)
      return { method: exchange.method, outcome: transport.lost ? 'exited' : 'timeout', elapsed_ms };
    return {
      method: exchange.method,
      outcome: 'result' in exchange.reply.message ? 'answered' : 'refused',
      elapsed_ms,
    };
  });
}

function object(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
