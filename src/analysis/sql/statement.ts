/** Which statements may run: one SELECT that calls no table function with a side effect. Judged before anything runs. */
import { z } from 'zod';
import { Problem } from '../../events/problem.js';

/** What DuckDB's json_serialize_sql says of a text: its statements as trees, or why it has none. Nothing is bound or run. */
const serialized = z.object({
  error: z.boolean(),
  error_type: z.string().optional(),
  statements: z.array(z.unknown()).optional(),
});

/** Table functions that only compute. Others read files, or change how the engine logs and profiles. */
const HARMLESS = new Set([
  ...['range', 'generate_series', 'unnest', 'repeat', 'repeat_row', 'json_each', 'json_tree'],
  ...['histogram', 'histogram_values', 'summary', 'duckdb_columns', 'duckdb_functions', 'duckdb_keywords'],
  ...[
    'duckdb_settings',
    'duckdb_tables',
    'duckdb_types',
    'pragma_table_info',
    'pragma_version',
    'test_all_types',
  ],
]);

/** `syntax`: the text does not parse, so preparing it will say where. Throws where it is something else than a SELECT. */
export function judgeStatement(sql: string, serializedTree: string): 'select' | 'syntax' {
  if (sql.includes('\0')) throw notASelect('there is a NUL in the query');
  const { error, error_type, statements = [] } = serialized.parse(JSON.parse(serializedTree));
  if (error_type === 'parser') return 'syntax';
  if (error) throw notASelect('this is not a SELECT', /^\s*pivot\b/i.test(sql) ? PIVOT : undefined);
  if (statements.length !== 1) throw notASelect(`there are ${statements.length} statements`);
  const refused = [...tableFunctions(statements)].find((name) => !HARMLESS.has(name.toLowerCase()));
  if (refused !== undefined) throw refusedFunction(refused);
  return 'select';
}

/** Tables that a query may read: those whose name is anywhere in it, for a name cannot be put together at run time. */
export function tablesNamedIn<T extends { name: string }>(sql: string, tables: readonly T[]): T[] {
  const text = sql.toLowerCase();
  return tables.filter((table) => text.includes(table.name));
}

const PIVOT = 'name the values of a PIVOT: PIVOT … ON column IN (…)';

/** A statement that is not one SELECT. */
export function notASelect(
  what: string,
  todo = 'write one SELECT; `measure sql --schema` shows the tables',
): Problem {
  return new Problem({ code: 'SQL_NOT_A_SELECT', what, todo });
}

function refusedFunction(name: string): Problem {
  const what = `the table function ${name} may not be used: a query reads the tables of this store and nothing else`;
  return new Problem({ code: 'SQL_ERROR', what, todo: 'see `measure sql --schema`' });
}

/** Names of the functions in the FROM clauses of a tree, however deep. */
function* tableFunctions(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  const call = tableFunction.safeParse(node);
  if (call.success) yield call.data.function.function_name;
  for (const child of Object.values(node)) yield* tableFunctions(child);
}

const tableFunction = z.object({
  type: z.literal('TABLE_FUNCTION'),
  function: z.object({ function_name: z.string() }),
});
