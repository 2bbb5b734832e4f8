/** JSONata expressions of a script: checked when the script is read, evaluated over what the model has seen. */
import jsonata from 'jsonata';
import { z } from 'zod';
import type { Scene } from './scene.js';

/** Functions of a script by name, without the `$`. */
export type Definitions = Readonly<Record<string, string>>;

/** A syntax error: why, and how many line ends stand before it. Null where the expression is sound. */
export function syntaxError(expression: string): { reason: string; lines: number } | null {
  try {
    jsonata(expression);
    return null;
  } catch (error) {
    const { position = 0 } = thrown.safeParse(error).data ?? {};
    const before = expression.slice(0, position);
    return { reason: reasonOf(error), lines: before.split('\n').length - 1 };
  }
}

/** The value as plain JSON data, undefined where there is none. Throws an Error with JSONata's reason. */
export async function evaluate(definitions: Definitions, expression: string, scene: Scene): Promise<unknown> {
  try {
    const value: unknown = await compile(definitions, expression).evaluate(scene, UNREPEATABLE);
    return plain(value);
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error });
  }
}

/** Whether a condition holds, by JSONata's rules for truth. Nothing at all is false. */
export async function holds(definitions: Definitions, condition: string, scene: Scene): Promise<boolean> {
  return (await evaluate(definitions, `$boolean((${condition}\n))`, scene)) === true;
}

/** Functions whose value differs from call to call: they would make two equal runs differ. */
const UNREPEATABLE = Object.fromEntries(
  ['now', 'millis', 'random', 'shuffle'].map((name) => [
    name,
    () => {
      throw new Error(`$${name}() is not allowed: the same request must get the same answer`);
    },
  ]),
);

/** An expression may run for 20 seconds. */
const OPTIONS = { timeout: 20_000 };

const compiled = new WeakMap<Definitions, Map<string, jsonata.Expression>>();

function compile(definitions: Definitions, expression: string): jsonata.Expression {
  const known = compiled.get(definitions) ?? new Map<string, jsonata.Expression>();
  compiled.set(definitions, known);
  const found = known.get(expression);
  if (found !== undefined) return found;
  const defined = Object.entries(definitions).map(([name, body]) => `$${name} := (${body}\n);`);
  const made = jsonata(`(${defined.join('\n')}\n(${expression}\n))`, OPTIONS);
  known.set(expression, made);
  return made;
}

/** JSONata's arrays carry hidden properties; a round trip through JSON leaves only the data. */
function plain(value: unknown): unknown {
  const json = JSON.stringify(value);
  return json === undefined ? undefined : JSON.parse(json);
}

/** JSONata throws plain objects as well as Errors. */
const thrown = z.object({ message: z.string().optional(), position: z.number().optional() });

function reasonOf(error: unknown): string {
  return thrown.safeParse(error).data?.message ?? String(error);
}
