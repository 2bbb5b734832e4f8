/** Output schemas: whether the structured content of a result is what its tool declared. A verdict, never an error. */
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isTimeout, withinTime } from '../../study/within-time.js';
import { isObject, type JsonObject } from './json.js';

/** A verdict as a tool_call event holds it. */
export interface SchemaVerdict {
  schema_verdict: 'no_schema' | 'unchecked' | 'valid' | 'invalid' | 'missing' | 'schema_broken';
  /** Where the content leaves its schema, or what is wrong with the schema; null where nothing is. */
  schema_detail: string | null;
}

/** What checking one result may take, in milliseconds: schemas and results come from others, and may be made to hang. */
const CHECK_MS = 1000;
/** A schema is compiled to code: one larger than this is not. */
const SCHEMA_LIMIT_BYTES = 1024 * 1024;

/** The output schemas of one server's tools, as its catalog declared them. */
export class OutputSchemas {
  readonly #declared = new Map<string, unknown>();
  readonly #compiled = new Map<string, Compiled>();

  /** Notes the schemas of a page of the catalog. Entries that are no tools are passed over. */
  learn(tools: unknown[]): void {
    for (const tool of tools) {
      if (isObject(tool) && typeof tool.name === 'string') this.#declare(tool.name, tool.outputSchema);
    }
  }

  /** The verdict on a result. An error may leave its structured content out; anything else may not. */
  check(tool: string, { structuredContent, isError }: JsonObject): SchemaVerdict {
    if (!this.#declared.has(tool))
      return verdict('unchecked', 'the catalog was not listed, or lacks the tool');
    const schema = this.#declared.get(tool);
    if (schema === undefined) return verdict('no_schema');
    if (structuredContent === undefined)
      return isError === true
        ? verdict('unchecked', 'an error without structured content')
        : verdict('missing', 'the tool has an output schema, and the result no structuredContent');
    const compiled = this.#compiled.get(tool) ?? compile(schema);
    this.#compiled.set(tool, compiled);
    return 'check' in compiled ? conform(compiled, structuredContent) : compiled;
  }

  #declare(name: string, schema: unknown): void {
    this.#declared.set(name, schema);
    this.#compiled.delete(name);
  }
}

/** A schema ready to check with, or why it is not. */
type Compiled = { check: ValidateFunction; ajv: Ajv } | SchemaVerdict;

function compile(schema: unknown): Compiled {
  if (!isObject(schema) && typeof schema !== 'boolean')
    return verdict('schema_broken', 'the output schema is no JSON Schema');
  if (JSON.stringify(schema).length > SCHEMA_LIMIT_BYTES)
    return verdict('unchecked', `the output schema has more than ${SCHEMA_LIMIT_BYTES} bytes`);
  const [first, ...others] = dialectsOf(schema);
  const compiled = compileAs(first, schema);
  // Whoever names no dialect may mean the older one.
  return 'check' in compiled
    ? compiled
    : (others.map((next) => compileAs(next, schema)).find(isUsable) ?? compiled);
}

type Dialect = typeof Ajv | typeof Ajv2019 | typeof Ajv2020;

/** Those that a schema may be of, the likeliest first: the one that it names, else the newest and draft-07. */
function dialectsOf(schema: JsonObject | boolean): [Dialect, ...Dialect[]] {
  const named = typeof schema === 'boolean' ? undefined : schema.$schema;
  if (typeof named !== 'string') return [Ajv2020, Ajv];
  if (/draft-0[4-7]/.test(named)) return [Ajv];
  return named.includes('2019-09') ? [Ajv2019] : [Ajv2020];
}

function isUsable(compiled: Compiled): boolean {
  return 'check' in compiled;
}

function compileAs(dialect: Dialect, schema: JsonObject | boolean): Compiled {
  const ajv = new dialect({ strict: false, validateFormats: false, logger: false });
  try {
    return { ajv, check: withinTime(CHECK_MS, () => ajv.compile(withoutDialect(schema))) };
  } catch (error) {
    return tooLate(error) ?? verdict('schema_broken', error instanceof Error ? error.message : String(error));
  }
}

/** Whether a value conforms to its schema. Never throws, and ends in about a second. */
function conform({ ajv, check }: Exclude<Compiled, SchemaVerdict>, value: unknown): SchemaVerdict {
  try {
    if (withinTime(CHECK_MS, () => check(value)) === true) return verdict('valid');
    return verdict('invalid', ajv.errorsText(check.errors, { dataVar: 'structuredContent' }));
  } catch (error) {
    return tooLate(error) ?? verdict('unchecked', error instanceof Error ? error.message : String(error));
  }
}

function tooLate(error: unknown): SchemaVerdict | null {
  return isTimeout(error) ? verdict('unchecked', `checking takes over ${CHECK_MS} ms`) : null;
}

/** The dialect has picked a validator, and one that is not known there would refuse the schema. */
function withoutDialect(schema: JsonObject | boolean): JsonObject | boolean {
  if (typeof schema === 'boolean') return schema;
  const { $schema: _dialect, ...rest } = schema;
  return rest;
}

function verdict(
  schema_verdict: SchemaVerdict['schema_verdict'],
  schema_detail: string | null = null,
): SchemaVerdict {
  return { schema_verdict, schema_detail };
}
