/** Whether a trial used the server of its study: a fact of the log, apart from whether its answer is right. */
import type { CallReceipt, TrialReceipt } from '../events/trial-receipt.js';

/** Whether a call of the trial reached the server: one of the host's own tools, or one that was refused, did not. */
export function called({ calls }: TrialReceipt): boolean {
  return calls.some(reachedServer);
}

/** Whether a call was of the study's server, and something came back from it. */
export function reachedServer({ origin, wire_bytes }: CallReceipt): boolean {
  return origin === 'server' && wire_bytes > 0;
}
