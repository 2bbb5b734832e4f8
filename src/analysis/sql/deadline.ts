/** Limits on a query that runs: its time and its memory. */
import { totalmem } from 'node:os';
import { Problem } from '../../events/problem.js';

export interface Limits {
  timeoutMs: number;
  /** Bytes by which the process may grow. */
  memory: number;
}

/** Half of the memory that this process may use, in bytes. */
export function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  return Math.floor(Math.min(totalmem(), constrained > 0 ? constrained : totalmem()) / 2);
}

const TICK_MS = 25;
/** How long an interrupted query may take to stop; one call of a function over a vector cannot be stopped. */
const GRACE_MS = 1000;

/**
 * The outcome of `work`, interrupted at its limits: `SQL_TIMEOUT`, `SQL_TOO_LARGE`.
 * Work that does not stop when it is interrupted is given up on; it goes on by itself.
 */
export function within<T>(limits: Limits, work: Promise<T>, interrupt: () => void): Promise<T> {
  const began = performance.now();
  const before = process.memoryUsage.rss();
  return new Promise((resolve, reject) => {
    let excess: Problem | null = null;
    let since = 0;
    const timer = setInterval(() => {
      excess ??= excessOf(limits, performance.now() - began, process.memoryUsage.rss() - before);
      if (excess === null) return;
      if (since === 0) since = performance.now();
      interrupt();
      if (performance.now() - since > GRACE_MS) settle(() => reject(excess));
    }, TICK_MS);
    const settle = (act: () => void) => {
      clearInterval(timer);
      act();
    };
    work.then(
      (value) => settle(() => (excess === null ? resolve(value) : reject(excess))),
      (error: unknown) => settle(() => reject(excess ?? error)),
    );
  });
}

function excessOf({ timeoutMs, memory }: Limits, elapsed: number, grown: number): Problem | null {
  if (elapsed > timeoutMs) {
    const what = `the query took longer than ${timeoutMs / 1000} s and was ended`;
    return new Problem({ code: 'SQL_TIMEOUT', what, todo: 'narrow it, or allow more with --timeout' });
  }
  if (grown <= memory) return null;
  const what = `the query took more than ${Math.round(memory / 1e6)} MB and was ended`;
  return new Problem({
    code: 'SQL_TOO_LARGE',
    what,
    todo: 'select fewer columns, add a LIMIT, or aggregate',
  });
}
