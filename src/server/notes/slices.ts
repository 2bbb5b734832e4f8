/** Long work in short slices, between which messages are answered. */
import { setImmediate } from 'node:timers/promises';

/** How long one slice takes at least, in milliseconds. */
const SLICE_MS = 15;

/** Does `work` for each item; after each slice, `goOn` is asked with the milliseconds since the start. */
export async function inSlices<T>(
  items: Iterable<T>,
  work: (item: T) => void,
  goOn: (elapsed: number) => boolean,
): Promise<void> {
  const started = performance.now();
  let begun = started;
  for (const item of items) {
    work(item);
    if (performance.now() - begun < SLICE_MS) continue;
    await setImmediate();
    begun = performance.now();
    if (!goOn(begun - started)) return;
  }
}
