/** Connecting: starts a server and agrees on a protocol, and remembers each request that was tried. */
import { existsSync } from 'node:fs';
import { Client, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import type { EraChoice, Handshake, HandshakeAttempt, ServerSpec, SessionOptions } from '../mcp.js';
import { endWords, fail, isTimeout, type Line, lostWords, messageOf, rawOf, wireOf } from './ask.js';
import type { CloseFacts } from './child.js';
import type { ServerFailure } from './failure.js';
import { faultOf } from './fault.js';
import { refusalWords } from './http-words.js';
import { kindOf } from './inbound.js';
import { introduction } from './introduction.js';
import type { Exchange, Reply } from './ledger.js';
import { openTransport } from './open.js';
import { elapsedSince } from './time.js';
import type { WireTransport } from './transport.js';
import { shownUrl } from './url.js';

/** What the handshake settled; the rest of a `Handshake` is known before. */
type Agreement = Omit<Handshake, 'argv' | 'program' | 'env_names' | 'url' | 'header_names'>;

/** A connected line and what was agreed on it. */
interface Connection extends Line {
  agreement: Agreement;
}

const PROBE_TIMEOUT_MS = 3000;
const MODERN_VERSION = '2026-07-28';

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
  const failure = await shake(first, options.connectTimeoutMs, options);
  if (failure === undefined) return settle(first, []);
  if (era === 'auto' && options.signal?.aborted !== true && deservesGreeting(first, failure)) {
    const left = Math.max(1, options.connectTimeoutMs - failure.elapsed_ms);
    const second = begin(spec, options, 'legacy');
    const again = await shake(second, left, options);
    if (again !== undefined) throw again;
    return settle(second, attemptsOf(first));
  }
  throw failure;
}

/** Whether a server that failed on `server/discover` may be one of the legacy era. Over HTTP, all but a closed door may. */
function deservesGreeting({ exchanges, transport }: Try, { code }: ServerFailure): boolean {
  const last = exchanges.at(-1);
  if (last?.method !== 'server/discover') return false;
  const status = last.reply?.http?.status;
  return transport.pid === null ? status !== 401 && status !== 403 : code === 'SERVER_EXITED';
}

function begin(spec: ServerSpec, options: SessionOptions, era: EraChoice): Try {
  const exchanges: Exchange[] = [];
  const { onFault, onPassing = () => undefined, lineCapBytes, waits } = options;
  const transport = openTransport(spec, { onFault, onPassing, lineCapBytes, waits });
  transport.onexchange = (exchange) => {
    const [before] = exchanges.slice(-1);
    if (before !== undefined) supersede(before, transport, options);
    exchanges.push(exchange);
  };
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

/** An attempt that another follows has settled nothing: its reply is late from now on. */
function supersede(exchange: Exchange, transport: WireTransport, options: SessionOptions): void {
  transport.abandon(exchange);
  passOn(exchange, options);
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
  options: SessionOptions,
): Promise<ServerFailure | undefined> {
  const { client, transport } = attempt;
  const { signal: ended } = options;
  const kill = () => transport.killNow();
  ended?.addEventListener('abort', kill);
  try {
    await client.connect(transport, {
      timeout: timeoutMs,
      signal: AbortSignal.timeout(Math.ceil(timeoutMs)),
    });
    transport.onexchange = undefined;
    settled(attempt);
    return undefined;
  } catch (error) {
    const elapsed = elapsedSince(attempt.started);
    const { lost } = transport;
    const close = await transport.end();
    for (const last of attempt.exchanges.slice(-1)) passOn(last, options);
    if (close.how === 'not_started') {
      const what = lostWords(error) ?? `could not be started: ${messageOf(error)}`;
      return fail(attempt, 'SERVER_START_FAILED', what, elapsed, { close });
    }
    return refusal(attempt, error, lost, elapsed, close);
  } finally {
    ended?.removeEventListener('abort', kill);
  }
}

function refusal(
  attempt: Try,
  error: unknown,
  lost: boolean,
  elapsed: number,
  close: CloseFacts,
): ServerFailure {
  const last = attempt.exchanges.at(-1);
  const method = last?.method ?? 'the handshake';
  const { transport } = attempt;
  const isOverHttp = transport.pid === null;
  if (lost && (last?.reply === undefined || isBrokenPipe(error))) {
    const when = last?.reply === undefined ? 'before it answered' : 'behind its answer to';
    return fail(attempt, 'SERVER_EXITED', `${endWords(transport, error)} ${when} ${method}`, elapsed, {
      close,
    });
  }
  if (last?.dropped !== undefined)
    return fail(attempt, 'PROTOCOL_ERROR', `no agreement by ${method}: ${last.dropped}`, elapsed, { close });
  if (isTimeout(error) || (last?.reply === undefined && !isOverHttp)) {
    const what = `no answer to ${method} within ${Math.round(elapsed)} ms; ${noiseOf(transport)}`;
    return fail(attempt, 'CONNECT_TIMEOUT', what, elapsed, { close });
  }
  const words = (last?.reply && refusalWords(method, last.reply, error)) ?? messageOf(error);
  const more =
    last?.reply === undefined ? {} : { wire: wireOf(last, last.reply), raw: rawOf(last, last.reply) };
  return fail(attempt, 'PROTOCOL_ERROR', `no agreement by ${method}: ${words}`, elapsed, { ...more, close });
}

function isBrokenPipe(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED')
  );
}

function noiseOf({ heard, pid }: WireTransport): string {
  const [where, unit] = pid === null ? ['', 'messages'] : [' on stdout', 'lines'];
  return heard === 0 ? `nothing came${where}` : `${heard} ${unit} came${where}, none of them an answer`;
}

function settle(attempt: Try, earlier: HandshakeAttempt[]): Connection {
  const { client, transport, command } = attempt;
  const { answered, reply, protocol_version } = settled(attempt);
  const agreement = {
    pid: transport.pid,
    era: client.getProtocolEra() ?? 'legacy',
    protocol_version,
    ...introduction(reply.message.result),
    client_capabilities: {},
    wire: wireOf(answered, reply),
    raw: rawOf(answered, reply),
    attempts: [...earlier, ...attemptsOf(attempt)],
    elapsed_ms: elapsedSince(attempt.started),
  };
  return { client, transport, command, agreement };
}

/** What the client took for the agreement. Throws where it never crossed the wire. */
function settled({ client, exchanges }: Try): { answered: Exchange; reply: Reply; protocol_version: string } {
  const answered = exchanges.findLast((exchange) => exchange.reply !== undefined);
  const protocol_version = client.getNegotiatedProtocolVersion();
  if (answered?.reply === undefined || protocol_version === undefined)
    throw new Error('the handshake left no trace on the wire');
  return { answered, reply: answered.reply, protocol_version };
}

/** Attempts that settled nothing are messages like others. */
function passOn({ request_line, method, reply }: Exchange, { onPassing }: SessionOptions): void {
  onPassing?.({ direction: 'to_server', kind: 'request', method, line: request_line });
  if (reply !== undefined)
    onPassing?.({ direction: 'to_client', ...kindOf(reply.message), line: reply.line });
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
