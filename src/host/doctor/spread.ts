/** Several measurements of one thing: the median, and how far they lie apart. */

/** Times in milliseconds, to the microsecond. */
export interface Spread {
  n: number;
  median: number;
  min: number;
  max: number;
}

/** The spread of at least one measurement; null of none. The median of an even number is the mean of the middle two. */
export function spreadOf(values: number[]): Spread | null {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (low === undefined || high === undefined || min === undefined || max === undefined) return null;
  return { n: sorted.length, median: Math.round((low + high) * 500) / 1000, min, max };
}
