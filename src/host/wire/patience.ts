/** Patience: waiting for something, but not for ever. */
import { setTimeout as pause } from 'node:timers/promises';

/** Work that is under way, and is not kept beyond that. */
export class UnderWay {
  readonly #promises = new Set<Promise<unknown>>();

  /** Its rejection is left to others. */
  add(promise: Promise<unknown>): void {
    const ended: Promise<unknown> = promise.catch(() => undefined);
    this.#promises.add(ended);
    void ended.then(() => this.#promises.delete(ended));
  }

  /** Resolves once all that is under way now has ended, in whatever way. */
  async done(): Promise<void> {
    await Promise.all(this.#promises);
  }
}

/** True if it resolves within so many milliseconds; rejects as it does. What comes later is ignored. */
export async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = pause(ms, false, { signal: timer.signal });
  return Promise.race([promise.then(() => true), late]).finally(() => timer.abort());
}
