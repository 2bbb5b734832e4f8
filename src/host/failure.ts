/** Why a trial failed: always one of the documented codes. */
import type { FailureCode } from '../events/failures.js';
import { ServerFailure } from './mcp.js';
import { ModelFailure } from './messages.js';
import { Interrupted } from './recorder.js';

/** Ends a trial with a code and a message. It is data: the loop records it. */
export class TrialFailure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.name = 'TrialFailure';
    this.code = code;
  }
}

/** The failure that an error means for a trial. Signals are none, and pass on. */
export function failureOf(error: unknown): { code: FailureCode; message: string } {
  if (error instanceof Interrupted) throw error;
  if (error instanceof TrialFailure || error instanceof ModelFailure)
    return { code: error.code, message: error.message };
  if (error instanceof ServerFailure) return { code: serverCode(error.code), message: error.message };
  return { code: 'RUNTIME_ERROR', message: error instanceof Error ? error.message : String(error) };
}

function serverCode(code: ServerFailure['code']): FailureCode {
  return code === 'CALL_TIMEOUT' ? 'TOOL_FAILURE' : code;
}
