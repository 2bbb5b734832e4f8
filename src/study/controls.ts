/** The five context controls of a records study: the switches by which a condition differs from the baseline. */
import { Problem } from '../events/problem.js';

/**
 * Every control, in the order in which lists of controls are written. `select` belongs to the host; the others are
 * switches of the records server, whose `tools.ts` says what each of them changes.
 */
export const CONTROLS = ['filter', 'count', 'paginate', 'select', 'cache'] as const;

/** The name of one context control. */
export type Control = (typeof CONTROLS)[number];

/**
 * The controls that a text asks for, each once, in the order of `CONTROLS`: `none`, `all`, or names with commas
 * between them (`filter,cache`). Throws the Problem `INVALID_CONTROLS` for an empty, unknown or repeated name.
 */
export function parseControls(text: string): Control[] {
  if (text === 'none') return [];
  if (text === 'all') return [...CONTROLS];
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !CONTROLS.some((control) => control === name));
  if (unknown !== undefined) throw invalid(`${JSON.stringify(unknown)} is not a control`);
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined) throw invalid(`${repeated} stands there twice`);
  return CONTROLS.filter((control) => names.includes(control));
}

function invalid(what: string): Problem {
  return new Problem({
    code: 'INVALID_CONTROLS',
    what,
    todo: `write none, all, or some of ${CONTROLS.join(',')} with commas between them`,
  });
}
