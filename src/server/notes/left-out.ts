/** Files that look like notes and are not served, with the reason. */
import { visible } from '../../events/visible.js';
import { isWithin } from './scan.js';

/** How many are named in one go. */
const MOST_NAMED = 5;

/** What is left out of a folder. */
export class LeftOut {
  readonly #reasons = new Map<string, string>();
  readonly #untold = new Map<string, string>();

  /** Why a path is left out; undefined where it is not. */
  reason(path: string): string | undefined {
    return this.#reasons.get(path);
  }

  /** Takes what was found at a path and below it, in the place of what was known there. */
  replace(path: string, found: ReadonlyMap<string, string>): void {
    for (const known of this.#reasons.keys()) {
      if (isWithin(known, path) && !found.has(known)) this.#reasons.delete(known);
    }
    for (const [file, why] of found) this.add(file, why);
  }

  add(path: string, why: string): void {
    if (!this.#reasons.has(path)) this.#untold.set(path, why);
    this.#reasons.set(path, why);
  }

  /** Tells of the files that were added since: of the first by name, and of how many others there are. */
  tell(complain: (line: string) => void): void {
    const untold = [...this.#untold].sort();
    this.#untold.clear();
    for (const [path, why] of untold.slice(0, MOST_NAMED)) complain(`left out ${visible(path)}: ${why}`);
    if (untold.length > MOST_NAMED) complain(`and ${untold.length - MOST_NAMED} more are left out`);
  }
}
