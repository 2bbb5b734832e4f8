/** Rates with their intervals, and spreads of figures, each with the trials that it was counted from. */

export interface Rate {
  count: number;
  of: number;
  /** Count ÷ of, null where there is nothing to count. */
  share: number | null;
  /** 95 % interval of the share, null where there is nothing to count. */
  interval: [number, number] | null;
  /** Ids of the trials that were counted. */
  trials: string[];
}

export interface Spread {
  n: number;
  median: number;
  min: number;
  max: number;
}

/** How many of some things are so. */
export function rateOf<T extends { trial: string }>(things: T[], isSo: (thing: T) => boolean): Rate {
  const counted = things.filter(isSo);
  const [count, of] = [counted.length, things.length];
  return {
    ...{ count, of, share: of === 0 ? null : count / of, interval: wilson(count, of) },
    trials: counted.map(({ trial }) => trial),
  };
}

/** The 0.975 quantile of the standard normal distribution. */
const Z = 1.959963984540054;

/**
 * Wilson's score interval of a share, 95 %, without a correction for continuity: E. B. Wilson, JASA 22 (1927) 209–212, in
 * the form of Brown, Cai and DasGupta, Statistical Science 16 (2001) 101–133, equation 4. Null for 0 of 0.
 */
export function wilson(count: number, of: number): [number, number] | null {
  if (of === 0) return null;
  const share = count / of;
  const square = Z * Z;
  const centre = count + square / 2;
  const reach = Z * Math.sqrt(of * share * (1 - share) + square / 4);
  return [Math.max(0, (centre - reach) / (of + square)), Math.min(1, (centre + reach) / (of + square))];
}

/** Median, least and greatest; null of nothing. The median of an even number is the mean of the two in the middle. */
export function spreadOf(values: number[]): Spread | null {
  const sorted = [...values].sort((a, b) => a - b);
  const [min, max] = [sorted[0], sorted.at(-1)];
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (min === undefined || max === undefined || low === undefined || high === undefined) return null;
  return { n: sorted.length, median: (low + high) / 2, min, max };
}
