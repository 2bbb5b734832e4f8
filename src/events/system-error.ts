/** The names of errors that the operating system reports. */
import { Problem } from './problem.js';

/** Errors that Node reports as `UNKNOWN` on Linux, by their number. */
const UNNAMED: Record<number, string> = { [-37]: 'ENOLCK', [-116]: 'ESTALE', [-122]: 'EDQUOT' };

/** The code of an error of the operating system, `ENOSPC` for example; `UNKNOWN` where it has none. */
export function systemCode(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN';
  if ('code' in error && typeof error.code === 'string' && error.code !== 'UNKNOWN') return error.code;
  return 'errno' in error && typeof error.errno === 'number'
    ? (UNNAMED[error.errno] ?? 'UNKNOWN')
    : 'UNKNOWN';
}

/** Does what may fail for reasons of the disk; such a failure becomes a problem that names `file`, exit 3. */
export function onDisk<T>(facts: { code: string; what: string; file: string }, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof Problem) throw error;
    const what = `${facts.what} (${systemCode(error)})`;
    const todo = 'check the folder, its permissions and its disk';
    throw new Problem({ code: facts.code, what, todo, file: facts.file, exit: 3 });
  }
}
