/** Why a model stopped, where that is no answer and no wish for tools. */
import type { FailureCode } from '../events/failures.js';
import { TrialFailure } from './failure.js';

const STOPS = new Map<string, FailureCode>([
  ['max_tokens', 'STOP_max_tokens'],
  ['refusal', 'STOP_refusal'],
  ['pause_turn', 'STOP_pause_turn'],
  ['stop_sequence', 'STOP_stop_sequence'],
  ['model_context_window_exceeded', 'STOP_model_context_window_exceeded'],
]);

/** The failure that a stop reason means for a trial. */
export function stopFailure(reason: string | null): TrialFailure {
  const code = STOPS.get(reason ?? '') ?? 'STOP_UNKNOWN';
  return new TrialFailure(code, `the model stopped with ${reason === null ? 'no reason' : `"${reason}"`}`);
}
