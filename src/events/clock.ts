/** The clock that the log writer is given. */

export interface Clock {
  /** Wall time. */
  now(): Date;
  /** Monotonic nanoseconds from any origin. */
  monotonic(): bigint;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => process.hrtime.bigint(),
};

/** Milliseconds since a monotonic stamp, to the microsecond. */
export function elapsedMs(since: bigint, clock: Clock = systemClock): number {
  return Number((clock.monotonic() - since) / 1000n) / 1000;
}
