/** The results that a server keeps for a minute, within a bound. */

/** How long a result is kept: 60,000 ms. */
export const KEEP_MS = 60_000;
/** The most that is kept at one time, in records over all results: two full answers of the largest snapshot. */
export const KEEP_RECORDS = 200_000;

/** A clock in milliseconds, such as `Date.now`. */
export type Clock = () => number;

/**
 * Results by key, each for 60 s after it was computed. Every result weighs the records in it plus one. Whatever is out
 * of date leaves on the next `set`; while the sum is still over `KEEP_RECORDS`, the oldest result leaves. So a result
 * may be computed again before its time is up, but memory does not grow with the number of queries.
 */
export class ResultCache<T> {
  readonly #now: Clock;
  readonly #kept = new Map<string, { value: T; expires: number; weight: number }>();
  #weight = 0;

  constructor(now: Clock) {
    this.#now = now;
  }

  /** How much is kept: records over all results, plus one a result. */
  get weight(): number {
    return this.#weight;
  }

  /** The result kept under a key, undefined if there is none or its time is up. */
  get(key: string): T | undefined {
    const kept = this.#kept.get(key);
    return kept !== undefined && kept.expires > this.#now() ? kept.value : undefined;
  }

  /** Keeps a result that holds that many records. One that is over the bound by itself is not kept. */
  set(key: string, value: T, records: number): void {
    this.#drop(key);
    const weight = records + 1;
    if (weight > KEEP_RECORDS) return;
    this.#kept.set(key, { value, expires: this.#now() + KEEP_MS, weight });
    this.#weight += weight;
    this.#trim();
  }

  /** Forgets everything. */
  clear(): void {
    this.#kept.clear();
    this.#weight = 0;
  }

  /** Entries stand in the order in which they were set, so those that leave are always the first ones. */
  #trim(): void {
    for (const [key, { expires }] of this.#kept) {
      if (expires > this.#now() && this.#weight <= KEEP_RECORDS) return;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#weight -= kept.weight;
  }
}
