/** Durations: monotonic milliseconds to the microsecond. */

/** Milliseconds between two readings of `performance.now()`, with at most three decimals. */
export function elapsedSince(start: number, end: number = performance.now()): number {
  return Math.round((end - start) * 1000) / 1000;
}
