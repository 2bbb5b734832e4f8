/** The one door to the MCP client: a session with one fresh server, every result exactly as it crossed the wire. */
import type { CloseFacts, CloseWaits } from './wire/child.js';
import { connect } from './wire/connect.js';
import { serverEnvironment } from './wire/environment.js';
import type { RawExchange, WireFacts } from './wire/failure.js';
import type { Fault } from './wire/fault.js';
import type { PassingMessage } from './wire/ledger.js';
import type { SchemaVerdict } from './wire/output-schema.js';
import { findProgram, type Program } from './wire/program.js';
import { WireSession } from './wire/session.js';
import { shownUrl } from './wire/url.js';

export type { CloseFacts } from './wire/child.js';
export { type RawExchange, ServerFailure, type WireFacts } from './wire/failure.js';
export { type Fault, type FaultCode, faultOf } from './wire/fault.js';
export type { PassingMessage } from './wire/ledger.js';

/** A server to start. `env` is laid over the allow-list of `serverEnvironment`; nothing else of ours reaches it. */
export interface CommandSpec {
  argv: [string, ...string[]];
  env: Record<string, string>;
  cwd: string;
}

/** A server over HTTP, with the headers that go with every request. */
export interface UrlSpec {
  url: string;
  headers: Record<string, string>;
}

/** A server on stdio, or one behind a URL. */
export type ServerSpec = CommandSpec | UrlSpec;

/** Which handshake to use: `initialize`, `server/discover`, or the second with the first to fall back on. */
export type EraChoice = 'legacy' | 'auto' | 'modern';

/** One request that was tried to reach an agreement. `refused`: a JSON-RPC error came back. */
export interface HandshakeAttempt {
  method: string;
  outcome: 'answered' | 'refused' | 'timeout' | 'exited';
  elapsed_ms: number;
}

/** Who answered, and what was agreed. Capabilities and instructions are as received. */
export interface Handshake {
  argv: string[];
  /** The file that really runs; for node, its script. Null where no file was found. */
  program: Program | null;
  /** Names of all variables that the server was given, sorted. */
  env_names: string[];
  /** Origin and path of a server over HTTP, else null. */
  url: string | null;
  /** Names of the headers of the spec, sorted. */
  header_names: string[];
  /** Null over HTTP. */
  pid: number | null;
  era: 'legacy' | 'modern';
  protocol_version: string;
  server_name: string | null;
  server_version: string | null;
  client_capabilities: Record<string, unknown>;
  server_capabilities: Record<string, unknown>;
  instructions: string | null;
  wire: WireFacts;
  raw: RawExchange;
  attempts: HandshakeAttempt[];
  /** From spawn to a usable session. */
  elapsed_ms: number;
}

/** One page of the catalog, one message on the wire. */
export interface CatalogPage {
  /** From 1. */
  page: number;
  /** As received: unknown keys and the order of keys kept, nothing validated. */
  tools: unknown[];
  next_cursor: string | null;
  wire: WireFacts;
  raw: RawExchange;
  elapsed_ms: number;
}

/** The result of a tool call that the server answered, be it with an error of the tool. */
export interface ToolReply {
  /** The JSON-RPC result as received. */
  result: Record<string, unknown>;
  is_error: boolean;
  /** Empty, with a fault, where the result has no `content` array. */
  content: unknown[];
  /** `structuredContent`; undefined where absent. */
  structured: unknown;
  /** Of the structured content against the tool's output schema. */
  schema: SchemaVerdict;
  wire: WireFacts;
  raw: RawExchange;
  elapsed_ms: number;
}

/** A connected server. Every method that asks it something rejects with a `ServerFailure`. */
export interface McpSession {
  handshake: Handshake;
  /** Lists the tools page by page. A repeated cursor, or more than 1,000 pages, is a `PROTOCOL_ERROR`. */
  pages(): AsyncIterable<CatalogPage>;
  /** Calls a tool. A JSON-RPC error rejects with `PROTOCOL_ERROR`, silence for `timeoutMs` with `CALL_TIMEOUT`. */
  call(tool: string, args: Record<string, unknown>, timeoutMs: number): Promise<ToolReply>;
  /** Ends the server and all that it started. The same answer each time; never rejects. */
  close(): Promise<CloseFacts>;
  /** SIGKILL to the server's process group, at once and synchronously: for signal handlers. */
  killNow(): void;
  /** The last 8 KiB of the server's stderr. */
  stderrTail(): string;
}

/** How to open a session. Times in milliseconds. */
export interface SessionOptions {
  /** From spawn to the answered handshake. */
  connectTimeoutMs: number;
  onFault(fault: Fault): void;
  /** Every message that is part of no handshake, catalog page or call. */
  onPassing?(message: PassingMessage): void;
  /** Ends the server at once while it is still shaking hands. */
  signal?: AbortSignal | undefined;
  /** Default `legacy`. */
  era?: EraChoice | undefined;
  /** How long `auto` waits for an answer to `server/discover`: 3,000 by default, at most half of the connect time. */
  probeTimeoutMs?: number | undefined;
  /** For one page of the catalog; the connect time by default. */
  pageTimeoutMs?: number | undefined;
  /** For the whole catalog; ten times that of a page by default. */
  listingTimeoutMs?: number | undefined;
  /** Name and version that we give ourselves. */
  client?: { name: string; version: string } | undefined;
  waits?: CloseWaits | undefined;
  lineCapBytes?: number | undefined;
}

/** Starts a server and agrees on a protocol. Rejects with a `ServerFailure`; no process is left behind then. */
export async function openSession(spec: ServerSpec, options: SessionOptions): Promise<McpSession> {
  const { target, ...known } = 'url' in spec ? urlFacts(spec) : await commandFacts(spec);
  const connection = await connect(target, options);
  return new WireSession(connection, { ...known, ...connection.agreement }, options);
}

async function commandFacts(spec: CommandSpec) {
  const target: ServerSpec = { ...spec, env: serverEnvironment(spec.env) };
  const program = await findProgram(target);
  const env_names = Object.keys(target.env).sort();
  return { target, argv: [...spec.argv], program, env_names, url: null, header_names: [] };
}

function urlFacts(spec: UrlSpec) {
  const header_names = Object.keys(spec.headers).sort();
  return { target: spec, argv: [], program: null, env_names: [], url: shownUrl(spec.url), header_names };
}
