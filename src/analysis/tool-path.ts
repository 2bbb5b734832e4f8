/** Whether the calls of a trial follow the tool path of a key. Knows no tool: the rules are data. */
import { jsonOf } from '../events/answer.js';
import type { CallReceipt } from '../events/trial-receipt.js';
import { conforms } from '../study/conform.js';
import type { Control } from '../study/controls.js';
import type { Key } from '../study/key.js';
import { type PathStep, type ToolPath, toolPathOf, toolsOf, wordsOf } from '../study/tool-path.js';

/**
 * Whether the calls follow the tool path of the key; `not_required` where it has none, one that requires nothing, or one
 * that is not in force under these controls. Throws `KEY_TOO_COSTLY` where a schema of it cannot be checked in time.
 */
export function checkToolPath(
  calls: CallReceipt[],
  key: Key,
  controls: readonly Control[],
): { verdict: 'pass' | 'fail' | 'not_required'; words: string } {
  const path = toolPathOf(key);
  if (path === null || !isInForce(path, controls)) return { verdict: 'not_required', words: '' };
  return { verdict: isFollowed(path, calls) ? 'pass' : 'fail', words: wordsOf(path) };
}

function isInForce({ steps, forbidden = [], controls = [] }: ToolPath, on: readonly Control[]): boolean {
  return steps.length + forbidden.length > 0 && controls.every((control) => on.includes(control));
}

/** Each step is met by the first call that can meet it: a later one would leave fewer calls for the next. */
function isFollowed({ steps, forbidden = [] }: ToolPath, calls: CallReceipt[]): boolean {
  if (calls.some((call) => forbidden.includes(call.tool))) return false;
  let left = calls;
  for (const [at, step] of steps.entries()) {
    const met = left.findIndex((call) => meets(call, step, at + 1));
    if (met < 0) return false;
    left = left.slice(met + 1);
  }
  return true;
}

function meets(call: CallReceipt, step: PathStep, number: number): boolean {
  if (call.is_error || !toolsOf(step).includes(call.tool)) return false;
  const what = (field: string) =>
    `step ${number} of the tool path: its \`${field}\`, on the call of ${call.tool} in event ${call.event},`;
  if (step.arguments !== undefined && !conforms(step.arguments, call.arguments, what('arguments')))
    return false;
  if (step.result === undefined) return true;
  const text = call.model_facing_text;
  return text !== null && conforms(step.result, resultOf(text), what('result'));
}

/** The value of a result that is JSON, or its text. */
function resultOf(text: string): unknown {
  const value = jsonOf(text);
  return value === undefined ? text : value;
}
