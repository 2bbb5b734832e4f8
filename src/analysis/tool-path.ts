/** Tool-path rules: which calls a key requires, and under which controls. */
import { z } from 'zod';
import { jsonOf } from '../events/answer.js';
import type { CallReceipt } from '../events/trial-receipt.js';
import type { Control } from '../study/controls.js';
import type { Key } from '../study/key.js';

interface PathRule {
  /** The rule is in force where all of these controls are on. */
  controls: Control[];
  /** What is required, in words. */
  words: string;
  holds: (calls: CallReceipt[], key: Key) => boolean;
}

const RULES = new Map<string, PathRule>([
  [
    'lookup',
    {
      controls: ['filter'],
      words: 'find_records with brief fields that shows an evidence id, then exact_record of it',
      holds: lookedUp,
    },
  ],
  [
    'aggregate',
    {
      controls: ['count'],
      words: 'a call of count_by_field',
      holds: (calls) => calls.some((call) => worked(call, 'count_by_field')),
    },
  ],
  [
    'later_page',
    {
      controls: ['filter', 'paginate'],
      words: 'a continuation: find_records with a cursor',
      holds: (calls) =>
        calls.some((call) => worked(call, 'find_records') && Boolean(argument(call, 'cursor'))),
    },
  ],
]);

/** Whether the calls follow the rule of the key's kind; `not_required` where no rule is in force. */
export function checkToolPath(
  calls: CallReceipt[],
  key: Key,
  controls: readonly Control[],
): { verdict: 'pass' | 'fail' | 'not_required'; words: string } {
  const rule = RULES.get(key.kind ?? '');
  if (rule === undefined || !rule.controls.every((control) => controls.includes(control))) {
    return { verdict: 'not_required', words: '' };
  }
  return { verdict: rule.holds(calls, key) ? 'pass' : 'fail', words: rule.words };
}

function lookedUp(calls: CallReceipt[], key: Key): boolean {
  const brief = calls.findIndex((call) => isBriefFind(call, key));
  if (brief < 0) return false;
  return calls
    .slice(brief + 1)
    .some((call) => worked(call, 'exact_record') && cites(key, argument(call, 'id')));
}

/** A find_records that neither matches on the detail nor asks for it, and whose rows show an evidence id. */
function isBriefFind(call: CallReceipt, key: Key): boolean {
  if (!worked(call, 'find_records')) return false;
  if (argument(call, 'matchField') === key.detailField) return false;
  const fields = argument(call, 'fields');
  if (Array.isArray(fields) && fields.includes(key.detailField)) return false;
  const found = rowsSchema.safeParse(jsonOf(call.model_facing_text));
  return found.success && found.data.rows.some((row) => cites(key, rowSchema.safeParse(row).data?.id));
}

/** Whether a call is of that tool and was not answered with an error. */
function worked(call: CallReceipt, tool: string): boolean {
  return call.tool === tool && !call.is_error;
}

const rowsSchema = z.object({ rows: z.array(z.unknown()) });
const rowSchema = z.object({ id: z.unknown() });
const argumentsSchema = z.record(z.string(), z.unknown());

function argument(call: CallReceipt, name: string): unknown {
  return argumentsSchema.safeParse(call.arguments).data?.[name];
}

function cites(key: Key, id: unknown): boolean {
  return typeof id === 'string' && key.evidenceIds.includes(id);
}
