/** One writer a run: a lock that the kernel frees when its process ends, however that is. */
import { realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { sha256 } from './bytes.js';
import { Problem, type ProblemFacts } from './problem.js';
import { systemCode } from './system-error.js';

/**
 * Holds the log of a run until the returned function is called, or this process ends. Throws `RUN_LOCKED` where another
 * process holds it. Linux only, where a socket can have a name without a file; elsewhere nothing is held, and two writers
 * are seen by the chain.
 */
export function lockRun(directory: string): Promise<() => void> {
  return hold(directory, '', { code: 'RUN_LOCKED', what: 'another process is writing to this run' });
}

/** Holds the verdicts on some runs while something is done. Throws `GRADES_LOCKED`; otherwise as `lockRun`. */
export async function holdingGrades<T>(directories: string[], action: () => T | Promise<T>): Promise<T> {
  const facts = { code: 'GRADES_LOCKED', what: 'another process is writing verdicts on this run' };
  const held: (() => void)[] = [];
  try {
    for (const directory of new Set(directories)) held.push(await hold(directory, '\0grades', facts));
    return await action();
  } finally {
    for (const release of held) release();
  }
}

type Taken = Pick<ProblemFacts, 'code' | 'what'>;

async function hold(directory: string, part: string, taken: Taken): Promise<() => void> {
  if (process.platform !== 'linux') return () => undefined;
  const server = createServer();
  const path = `\0measure-${sha256(realpathSync(directory) + part)}`;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(isTaken(error) ? locked(directory, taken) : error));
    server.listen({ path }, resolve);
  });
  server.unref();
  return () => void server.close();
}

function isTaken(error: unknown): boolean {
  return systemCode(error) === 'EADDRINUSE';
}

function locked(directory: string, taken: Taken): Problem {
  return new Problem({ ...taken, todo: 'wait until it has ended, or end it', file: directory, exit: 3 });
}
