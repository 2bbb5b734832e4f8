/** JSON Schemas in keys: whether one is sound, and whether a value conforms to it, both in bounded time. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { Problem } from '../events/problem.js';
import { isTimeout, withinTime } from './within-time.js';

/**
 * What compiling a schema, or checking one value, may take. Keys come from people and results from servers: a `pattern`
 * that backtracks without end, or a `$ref` that multiplies, may meet a text that was made for it.
 */
const CHECK_MS = 2000;

/** Ajv refuses keywords that it does not know: a misspelt one would mean "anything". It fetches nothing. */
const OPTIONS = { ownProperties: true, logger: false } as const;
/** Knows what a schema of draft 2020-12 looks like. */
const dialect = new Ajv2020(OPTIONS);

/** A JSON Schema of draft 2020-12, an object, that compiles: without a `format`, and with references into itself only. */
export const jsonSchema = z.record(z.string(), z.unknown()).superRefine((schema, context) => {
  const fault = faultOf(schema);
  if (fault !== null) context.addIssue({ code: 'custom', message: `is not a JSON Schema: ${fault}` });
});

export type JsonSchema = z.infer<typeof jsonSchema>;

/**
 * Whether a value conforms to a schema. Throws `KEY_TOO_COSTLY` where that takes over two seconds or overflows the stack;
 * `what` says which schema of which key on which value.
 */
export function conforms(schema: JsonSchema, value: unknown, what: string): boolean {
  const check = compiled(schema);
  try {
    return withinTime(CHECK_MS, () => check(value));
  } catch (error) {
    const reason = isTimeout(error) ? `takes over ${CHECK_MS} ms` : `cannot be checked: ${String(error)}`;
    const todo = 'give the task a simpler schema, in a file for --keys';
    throw new Problem({ code: 'KEY_TOO_COSTLY', what: `${what} ${reason}`, todo });
  }
}

function faultOf(schema: JsonSchema): string | null {
  try {
    withinTime(CHECK_MS, () => dialect.validateSchema(schema, true) && compiled(schema));
    return '$async' in schema ? '`$async` has no meaning here' : null;
  } catch (error) {
    if (isTimeout(error)) return `compiling it takes over ${CHECK_MS} ms`;
    return error instanceof Error ? error.message : String(error);
  }
}

/** By the schema's JSON text: the same keys are read again for every run that is graded. */
const known = new Map<string, ValidateFunction>();

function compiled(schema: JsonSchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const check = known.get(text) ?? compile(schema);
  known.set(text, check);
  return check;
}

/** Each schema by an Ajv of its own: names that it gives itself with `$id` mean nothing to the others. */
function compile(schema: JsonSchema): ValidateFunction {
  return new Ajv2020({ ...OPTIONS, meta: false, validateSchema: false }).compile(schema);
}
