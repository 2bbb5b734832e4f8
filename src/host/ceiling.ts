/** The most that a run can do, from its limits alone. */
import { NO_USAGE } from '../events/usage.js';
import { retriesOf } from './claude-code/environment.js';
import type { Prepared } from './prepare.js';

export interface Ceiling {
  trials: number;
  probes: number;
  /** How often one turn may be asked for. */
  attempts: number;
  /** Trials × turns × attempts. */
  calls: number;
  /** Null where the host decides how much one call may give. */
  output_tokens: number | null;
  /** Calls × the model's context window; null where that is not known. */
  input_tokens: number | null;
  /** US dollars at list price; null where a price, the context window or the output is not known. */
  usd: number | null;
}

/** The ceiling of all of a run, or of the part that is left. */
export function ceilingOf(
  prepared: Prepared,
  { trials, probes }: { trials: unknown[]; probes: unknown[] } = prepared,
): Ceiling {
  const { limits, price, host } = prepared;
  const attempts = attemptsOf(prepared);
  const calls = trials.length * limits.max_turns * attempts;
  const window = price?.context_window ?? null;
  const call = { ...NO_USAGE, input_tokens: window ?? 0, output_tokens: limits.max_tokens };
  const output_tokens = host === 'claude-code' ? null : calls * limits.max_tokens;
  return {
    ...{ trials: trials.length, probes: probes.length, attempts, calls, output_tokens },
    input_tokens: window === null ? null : calls * window,
    usd: price === null || window === null || output_tokens === null ? null : calls * price.cost(call),
  };
}

/** Claude Code tries a call again by itself, and is launched again where it gave nothing. */
function attemptsOf({ host, limits, conditions }: Prepared): number {
  if (host !== 'claude-code') return 1 + limits.retries;
  const retries = Math.max(...conditions.map(({ settings }) => retriesOf(settings)));
  return (1 + retries) * (1 + limits.launch_retries);
}
