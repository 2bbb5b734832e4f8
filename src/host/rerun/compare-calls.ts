/** Two builds' answers to the same call, side by side. */
import { jsonOf } from '../../events/answer.js';
import { canonicalJson } from '../../events/canonical-json.js';
import type { Answer } from './answer.js';
import { firstDifference } from './difference.js';

/** The same amount in the recording and in the rerun. */
export interface Pair<T = number> {
  before: T;
  after: T;
}

/**
 * `same`: equal content, or the same error in words. `changed`: another content, or another error. `fails_now`: what
 * brought a result is an error now, of the tool or of the protocol, or has no answer. `works_now`: the reverse.
 */
export type Outcome = 'same' | 'changed' | 'fails_now' | 'works_now';

/** A recorded call and the same call of the rerun. */
export interface CallComparison {
  trial: string;
  tool: string;
  arguments: unknown;
  /** seq of both `tool_call` events: in the recorded log, and in that of the rerun. */
  events: Pair;
  outcome: Outcome;
  /** The first difference in words, null where the outcome is `same`. */
  difference: string | null;
  schema_verdict: Pair<string>;
  wire_bytes: Pair;
  content_bytes: Pair;
  structured_bytes: Pair;
  /** Estimated tokens of what a model is sent. */
  tokens: Pair;
  /** Whether totals count it: both brought a result, and both or neither called it an error. */
  counted: boolean;
}

/** Compares two answers. `estimate` gives the tokens of a text. Pure. */
export function compareCall(
  call: Pick<CallComparison, 'trial' | 'tool' | 'arguments'>,
  before: Answer,
  after: Answer,
  estimate: (text: string) => number,
): CallComparison {
  const pair = <K extends keyof Answer>(key: K): Pair<Answer[K]> => ({
    before: before[key],
    after: after[key],
  });
  const difference = differenceOf(before, after);
  return {
    ...call,
    events: pair('event'),
    outcome: outcomeOf(before, after, difference !== null),
    difference,
    schema_verdict: pair('schema_verdict'),
    wire_bytes: pair('wire_bytes'),
    content_bytes: pair('content_bytes'),
    structured_bytes: pair('structured_bytes'),
    tokens: { before: estimate(before.text), after: estimate(after.text) },
    counted: before.failed === null && after.failed === null && before.is_error === after.is_error,
  };
}

function outcomeOf(before: Answer, after: Answer, differs: boolean): Outcome {
  if (works(before) !== works(after)) return works(before) ? 'fails_now' : 'works_now';
  return differs ? 'changed' : 'same';
}

function works({ failed, is_error }: Answer): boolean {
  return failed === null && !is_error;
}

function differenceOf(before: Answer, after: Answer): string | null {
  if (before.failed !== null || after.failed !== null) {
    const [a, b] = [inWords(before), inWords(after)];
    return a === b ? null : `${a} → ${b}`;
  }
  const fields = [
    inField('content', before.content_json, after.content_json),
    inField('structuredContent', before.structured_json, after.structured_json),
    before.is_error === after.is_error ? null : `isError: ${before.is_error} → ${after.is_error}`,
  ];
  return fields.find((field) => field !== null) ?? null;
}

function inWords({ failed, is_error }: Answer): string {
  return failed ?? (is_error ? 'an error of the tool' : 'a result');
}

type Json = string | null | undefined;

/**
 * Null where both are equal, or one is not known. A number beyond what JavaScript holds may be the only difference: then
 * the texts say it.
 */
function inField(name: string, before: Json, after: Json): string | null {
  if (before === undefined || after === undefined || before === after) return null;
  const difference = firstDifference(jsonOf(before), jsonOf(after), name);
  if (difference !== null || before === null || after === null) return difference;
  return firstDifference(canonicalJson(before), canonicalJson(after), `${name} as JSON`);
}
