/** Times as text. */

/** ISO 8601 in UTC, with milliseconds, or microseconds where there are any; null outside the years of a Date. */
export function isoOfMicros(micros: bigint): string | null {
  const rest = ((micros % 1000n) + 1000n) % 1000n;
  const date = new Date(Number((micros - rest) / 1000n));
  if (Number.isNaN(date.getTime())) return null;
  const iso = date.toISOString();
  return rest === 0n ? iso : `${iso.slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}
