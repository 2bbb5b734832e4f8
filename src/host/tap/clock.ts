/** The clock of a tap: one for all of its threads. */

/** Monotonic milliseconds that mean the same in every thread. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
