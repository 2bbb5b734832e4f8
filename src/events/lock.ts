/** One writer a run: a lock that the kernel frees when its process ends, however that is. */
import { realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { sha256 } from './bytes.js';
import { Problem } from './problem.js';
import { systemCode } from './system-error.js';

/**
 * Holds the folder of a run until the returned function is called, or this process ends. Throws `RUN_LOCKED` where
 * another process holds it. Linux only, where a socket can have a name without a file; elsewhere nothing is held, and two
 * writers are seen by the chain.
 */
export async function lockRun(directory: string): Promise<() => void> {
  if (process.platform !== 'linux') return () => undefined;
  const server = createServer();
  const path = `\0measure-${sha256(realpathSync(directory))}`;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(isTaken(error) ? locked(directory) : error));
    server.listen({ path }, resolve);
  });
  server.unref();
  return () => void server.close();
}

function isTaken(error: unknown): boolean {
  return systemCode(error) === 'EADDRINUSE';
}

function locked(directory: string): Problem {
  const what = 'another process is writing to this run';
  const todo = 'wait until it has ended, or end it';
  return new Problem({ code: 'RUN_LOCKED', what, todo, file: directory, exit: 3 });
}
