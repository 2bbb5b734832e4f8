/** The one door to the MCP client: a session with one fresh server, every result exactly as it crossed the wire. */
import type { CloseFacts, CloseWaits } from './wire/child.js';
import { connect } from './wire/connect.js';
import { serverEnvironment } from './wire/environment.js';
import type { WireFacts } from './wire/failure.js';
import type { Fault } from './wire/fault.js';
import { findProgram, type Program } from './wire/program.js';
import { WireSession } from './wire/session.js';

export type { CloseFacts } from './wire/child.js';
export { ServerFailure, type WireFacts } from './wire/failure.js';
export type { Fault } from './wire/fault.js';

/** A server to start. `env` is laid over the allow-list of `serverEnvironment`; nothing else of ours reaches it. */
export interface ServerSpec {
  argv: [string, ...string[]];
  env: Record<string, string>;
  cwd: string;
}

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
  pid: number;
  era: 'legacy' | 'modern';
  protocol_version: string;
  server_name: string | null;
  server_version: string | null;
  client_capabilities: Record<string, unknown>;
  server_capabilities: Record<string, unknown>;
  instructions: string | null;
  wire: WireFacts;
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
  wire: WireFacts;
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
  /** Ends the server at once while it is still shaking hands. */
  signal?: AbortSignal | undefined;
  /** Default `legacy`. */
  era?: EraChoice | undefined;
  /** How long `auto` waits for an answer to `server/discover`: 3,000 by default, at most half of the connect time. */
  probeTimeoutMs?: number | undefined;
  /** For one page of the catalog; the connect time by default. */
  pageTimeoutMs?: number | undefined;
  /** Name and version that we give ourselves. */
  client?: { name: string; version: string } | undefined;
  waits?: CloseWaits | undefined;
  lineCapBytes?: number | undefined;
}

/** Starts a server and agrees on a protocol. Rejects with a `ServerFailure`; no process is left behind then. */
export async function openSession(spec: ServerSpec, options: SessionOptions): Promise<McpSession> {
  const child = { ...spec, env: serverEnvironment(spec.env) };
  const program = await findProgram(child);
  const connection = await connect(child, options);
  const handshake: Handshake = {
    argv: [...spec.argv],
    program,
    env_names: Object.keys(child.env).sort(),
    ...connection.agreement,
  };
  return new WireSession(connection, handshake, options);
}
