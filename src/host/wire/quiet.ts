/** Silence: how the end of an output is seen that somebody may still hold open. */

const TURN_MS = 50;
const QUIET_TURNS = 4;
/** A process left behind may hold the pipe and write for ever, so that waiting ends after so many turns in all. */
const TURN_LIMIT = 40;

/** How long an output must pause to count as over, in milliseconds. */
export const QUIET_MS = TURN_MS * QUIET_TURNS;

/**
 * Calls `done` when `received()`, a count of bytes, has not grown for `QUIET_MS`, or after two seconds. Time in which
 * `isHeld()` does not count: nothing could have been received. Returns a stop.
 */
export function whenQuiet(
  received: () => number,
  done: () => void,
  isHeld: () => boolean = () => false,
): () => void {
  let [turns, quiet, seen] = [0, 0, received()];
  const timer = setInterval(() => {
    if (isHeld()) return;
    quiet = received() === seen ? quiet + 1 : 0;
    seen = received();
    turns++;
    if (quiet < QUIET_TURNS && turns < TURN_LIMIT) return;
    clearInterval(timer);
    done();
  }, TURN_MS);
  return () => clearInterval(timer);
}
