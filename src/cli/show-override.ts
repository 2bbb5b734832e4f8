/** An override for people. */
import type { OverrideResult } from '../analysis/override.js';
import type { Override } from '../analysis/verdicts.js';
import { visible } from '../events/visible.js';

export function showOverride({ run, trial, verdict, graded, override, was }: OverrideResult): string {
  const before = was === verdict ? '' : ` (was ${was ?? 'not graded'})`;
  const person = override === null ? '' : `; override: ${inWords(override)}`;
  const key = `; the key says ${graded ?? 'nothing: it was not graded'}`;
  return `run ${run}\n${trial}: ${verdict ?? 'not graded'}${before}${person}${key}`;
}

/** `fail by Ada: a guess`, on one line. */
export function inWords({ verdict, author, reason }: Override): string {
  return `${verdict} by ${visible(author)}: ${visible(reason)}`;
}
