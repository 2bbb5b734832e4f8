/** The environment of a server: an allow-list, never the whole of ours, so that no key reaches it by accident. */
import { randomUUID } from 'node:crypto';
import { env } from 'node:process';

const ALLOWED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'USER', 'LOGNAME', 'SHELL', 'TERM'];

/** The variable that marks a server and all that it starts, so that what leaves its process group is found again. */
export const MARK = 'MEASURE_SERVER';

/**
 * The allowed variables that are set here, then `extra` over them, and a mark of its own. Nothing else of our environment
 * is in it.
 */
export function serverEnvironment(extra: Record<string, string>): Record<string, string> {
  const allowed: Record<string, string> = {};
  for (const name of ALLOWED) {
    const value = env[name];
    if (value !== undefined) allowed[name] = value;
  }
  return { ...allowed, ...extra, [MARK]: randomUUID() };
}
