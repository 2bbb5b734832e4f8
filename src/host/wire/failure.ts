/** Why a server could not be used: one error class for starting, connecting and calling. */
import type { CloseFacts, ExitFacts } from './child.js';
import type { HttpFacts } from './ledger.js';

/**
 * - `SERVER_START_FAILED`: the program could not be started at all.
 * - `SERVER_EXITED`: it exited, or closed its stdout, before it answered.
 * - `CONNECT_TIMEOUT`, `CALL_TIMEOUT`: no answer in time; a tool call that timed out may still have had its effect.
 * - `PROTOCOL_ERROR`: it answered with a JSON-RPC error, or outside the protocol.
 */
export type ServerFailureCode =
  | 'SERVER_START_FAILED'
  | 'SERVER_EXITED'
  | 'CONNECT_TIMEOUT'
  | 'CALL_TIMEOUT'
  | 'PROTOCOL_ERROR';

/** One request and its response as bytes on the wire, newlines not counted. */
export interface WireFacts {
  request_bytes: number;
  request_sha256: string;
  response_bytes: number;
  response_sha256: string;
  /** Over HTTP: the response that carried the message. */
  http?: HttpFacts | undefined;
}

/** The messages of one exchange as they crossed the wire; the response is null where none came. */
export interface RawExchange {
  request: Buffer;
  response: Buffer | null;
}

/** A JSON-RPC error as received. */
export interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

/** What is known of a failure. */
export interface FailureFacts {
  code: ServerFailureCode;
  /** What happened, in words that follow the command: `exited with code 3 before it answered initialize`. */
  what: string;
  command: string;
  exit: ExitFacts | undefined;
  stderr_tail: string;
  /** Milliseconds from the request to the failure. */
  elapsed_ms: number;
  /** Only where a reply came. */
  wire?: WireFacts | undefined;
  /** Only where a request was sent. */
  raw?: RawExchange | undefined;
  /** How the server was ended; only where the handshake failed, and it with that. */
  close?: CloseFacts | undefined;
  /** Only where the reply was a JSON-RPC error. */
  rpc_error?: RpcError | undefined;
}

/** Thrown by everything that talks to a server. Its message names the command, its exit and the last line of stderr. */
export class ServerFailure extends Error {
  readonly facts: FailureFacts;

  constructor(facts: FailureFacts) {
    const lines = facts.stderr_tail.split('\n').map((line) => line.trim());
    // Node ends what it says of a crash with its version.
    const words = lines.findLast((line) => line !== '' && !/^Node\.js v\d/.test(line)) ?? '';
    super(
      `${facts.code}: ${facts.command}: ${facts.what}${words === '' ? '' : `; last line on stderr: ${words}`}`,
    );
    this.name = 'ServerFailure';
    this.facts = facts;
  }

  get code(): ServerFailureCode {
    return this.facts.code;
  }

  /** The last 8 KiB of the server's stderr. */
  get stderr_tail(): string {
    return this.facts.stderr_tail;
  }

  get exit_code(): number | null {
    return this.facts.exit?.exit_code ?? null;
  }

  get signal(): string | null {
    return this.facts.exit?.signal ?? null;
  }

  get wire(): WireFacts | undefined {
    return this.facts.wire;
  }

  get raw(): RawExchange | undefined {
    return this.facts.raw;
  }

  get close(): CloseFacts | undefined {
    return this.facts.close;
  }

  get elapsed_ms(): number {
    return this.facts.elapsed_ms;
  }
}

/** An exit in words, to stand before `before it answered …`. */
export function exitWords(exit: ExitFacts | undefined): string {
  if (exit === undefined) return 'closed its stdout';
  return exit.signal === null ? `exited with code ${exit.exit_code}` : `was ended by ${exit.signal}`;
}
