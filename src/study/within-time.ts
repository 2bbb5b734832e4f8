/** Actions that may never end: a check whose rule and whose value both come from others. */
import { createContext, Script } from 'node:vm';

const stage: { run: () => void } = { run: () => undefined };
const context = createContext(stage);
const script = new Script('run()');

/** What a synchronous action gives. Throws what `isTimeout` tells, where it takes longer than `ms` milliseconds. */
export function withinTime<T>(ms: number, action: () => T): T {
  const results: T[] = [];
  stage.run = () => void results.push(action());
  script.runInContext(context, { timeout: ms });
  const [result] = results;
  if (result === undefined) throw new Error('the action gave nothing');
  return result;
}

/** Told by its code: the error may be of the other context, and then no `Error` of this one. */
export function isTimeout(error: unknown): boolean {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error;
  return hasCode && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
