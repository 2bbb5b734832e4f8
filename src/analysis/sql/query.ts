/** The engine of `measure sql`: DuckDB in memory, locked before it sees the user's text. The only file that knows DuckDB. */

import { availableParallelism } from 'node:os';
import type { DuckDBConnection, DuckDBInstance, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { Problem } from '../../events/problem.js';
import type { Store } from '../../events/store.js';
import { memoryLimit, within } from './deadline.js';
import { isoOfMicros } from './iso.js';
import { type Damage, readRun } from './run-record.js';
import { sqlError } from './sql-error.js';
import { judgeStatement, notASelect, tablesNamedIn } from './statement.js';
import type { Cell, ColumnType, Table } from './table.js';
import { RESULT_LIMIT, TABLES } from './tables.js';

export interface SqlResult {
  /** Type: as DuckDB names it. Names may repeat. */
  columns: { name: string; type: string }[];
  /**
   * Values in the order of the columns: boolean; number (up to 32 bits, and floating point); bigint (wider integers);
   * string (text, JSON text, decimals digit by digit, dates, ISO 8601 times); null; arrays and objects of these.
   */
  rows: unknown[][];
}

type Duck = typeof import('@duckdb/node-api');
interface Session {
  duck: Duck;
  instance: DuckDBInstance;
  connection: DuckDBConnection;
}

/**
 * Answers one SELECT over the runs of a store (all, or those of `runs`), with the damage that was met.
 * Throws `SQL_ERROR`, `SQL_NOT_A_SELECT`, `SQL_TIMEOUT` (after `timeoutMs`, 60,000 where not given; loading is
 * not counted), `SQL_TOO_LARGE`, and `LOG_UNREADABLE` of the reader.
 */
export async function querySql(
  store: Store,
  sql: string,
  options: { timeoutMs?: number; runs?: string[] } = {},
): Promise<SqlResult & { damaged: Damage[] }> {
  const memory = memoryLimit();
  const session = await openSession(memory);
  const damaged = await closeOnError(session, async () => {
    await judge(session, sql);
    const tables = tablesNamedIn(sql, TABLES);
    return tables.length === 0 ? [] : load(session, store, options.runs ?? store.runs(), tables);
  });
  const work = answer(session, sql).finally(() => session.instance.closeSync());
  const limits = { timeoutMs: options.timeoutMs ?? 60_000, memory };
  const result = await within(limits, work, () => session.connection.interrupt());
  return { ...result, damaged };
}

/** A database in memory with every table, empty, that can no longer reach a file, an extension or a setting. */
export async function openSession(memory: number): Promise<Session> {
  const duck = await import('@duckdb/node-api');
  const instance = await duck.DuckDBInstance.create(':memory:', {
    ...{ temp_directory: '', autoload_known_extensions: 'false', autoinstall_known_extensions: 'false' },
    ...{
      allow_community_extensions: 'false',
      allow_persistent_secrets: 'false',
      enable_external_access: 'false',
    },
    ...{
      memory_limit: `${Math.floor(memory / 1e6)}MB`,
      threads: String(Math.min(4, availableParallelism())),
    },
  });
  const connection = await instance.connect();
  for (const table of TABLES) await connection.run(createTable(table));
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run('SET lock_configuration = true');
  return { duck, instance, connection };
}

function createTable({ name, columns }: Table): string {
  return `CREATE TABLE ${name} (${columns.map((column) => `"${column.name}" ${column.type}`).join(', ')})`;
}

async function closeOnError<T>(session: Session, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    session.instance.closeSync();
    const translated = sqlError(error, '');
    throw translated.code === 'SQL_TOO_LARGE' ? translated : error;
  }
}

/** Lets only a SELECT through. DuckDB parses the text for this and does nothing else with it. */
async function judge({ connection }: Session, sql: string): Promise<void> {
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql(?::VARCHAR)', [sql]);
  const [row] = reader.getRows();
  if (judgeStatement(sql, String(row?.[0])) === 'select') return;
  await connection.prepare(sql).catch((error: unknown) => Promise.reject(sqlError(error, sql)));
  throw notASelect('this is not a SELECT');
}

async function load(session: Session, store: Store, runs: string[], tables: Table[]): Promise<Damage[]> {
  const writers = await Promise.all(tables.map((table) => openWriter(session, table)));
  const damaged: Damage[] = [];
  for (const run of runs) {
    const record = readRun(store, run);
    if (record.damage !== null) damaged.push(record.damage);
    for (const writer of writers) writer.add(writer.table.rowsOf(record));
  }
  for (const writer of writers) writer.close();
  return damaged;
}

/** Rows of a chunk; DuckDB's own size of a vector. */
const CHUNK = 2048;

/** Writes rows into a table, a chunk at a time. */
async function openWriter({ duck, connection }: Session, table: Table) {
  const appender = await connection.createAppender(table.name);
  const types = table.columns.map(({ type }) => typeOf(duck, type));
  let waiting: Cell[][] = [];
  const flush = () => {
    for (let from = 0; from < waiting.length; from += CHUNK) {
      const rows = waiting.slice(from, from + CHUNK);
      const chunk = duck.DuckDBDataChunk.create(types, rows.length);
      const values = table.columns.map(({ type }, at) =>
        rows.map((row) => duckValue(duck, row[at] ?? null, type)),
      );
      chunk.setColumns(values);
      appender.appendDataChunk(chunk);
    }
    waiting = [];
  };
  return {
    table,
    add(rows: Cell[][]) {
      waiting = waiting.concat(rows);
      if (waiting.length >= CHUNK) flush();
    },
    close() {
      flush();
      appender.closeSync();
    },
  };
}

function typeOf(duck: Duck, type: ColumnType): DuckDBType {
  const { BIGINT, BOOLEAN, DOUBLE, LIST, TIMESTAMPTZ, VARCHAR } = duck;
  const types = { BIGINT, BOOLEAN, DOUBLE, TIMESTAMPTZ, VARCHAR, JSON: VARCHAR, 'VARCHAR[]': LIST(VARCHAR) };
  return types[type];
}

function duckValue(duck: Duck, cell: Cell, type: ColumnType): DuckDBValue {
  if (type === 'BIGINT' && typeof cell === 'number') return BigInt(cell);
  if (type === 'TIMESTAMPTZ' && typeof cell === 'string') {
    return new duck.DuckDBTimestampTZValue(BigInt(Date.parse(cell)) * 1000n);
  }
  return Array.isArray(cell) ? duck.listValue(cell) : cell;
}

async function answer({ duck, connection }: Session, sql: string): Promise<SqlResult> {
  const result = await runSelect(duck, connection, sql);
  const values = result.rowCount * result.columnCount;
  if (values > RESULT_LIMIT) {
    const what = `the result has ${result.rowCount} rows, ${values} values; at most ${RESULT_LIMIT} are returned`;
    throw new Problem({ code: 'SQL_TOO_LARGE', what, todo: 'add a LIMIT, or aggregate' });
  }
  const columns = result.columnNames().map((name, at) => {
    const type = result.columnType(at);
    return { name, type: type.alias ?? type.toString() };
  });
  const rows = (await result.getRows()).map((row) => row.map((value) => plain(duck, value)));
  return { columns, rows };
}

/** Materialized, not streamed: a stream that fails half-way ends as if it were complete. */
async function runSelect(duck: Duck, connection: DuckDBConnection, sql: string) {
  try {
    const prepared = await connection.prepare(sql);
    if (prepared.statementType !== duck.StatementType.SELECT) throw notASelect('this is not a SELECT');
    return await prepared.run();
  } catch (error) {
    throw error instanceof Problem ? error : sqlError(error, sql);
  }
}

/** A value without the classes of DuckDB. */
function plain(duck: Duck, value: DuckDBValue): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof duck.DuckDBListValue || value instanceof duck.DuckDBArrayValue) {
    return value.items.map((item) => plain(duck, item));
  }
  if (value instanceof duck.DuckDBStructValue) {
    return Object.fromEntries(Object.entries(value.entries).map(([name, item]) => [name, plain(duck, item)]));
  }
  if (value instanceof duck.DuckDBMapValue) {
    return value.entries.map((entry) => ({ key: plain(duck, entry.key), value: plain(duck, entry.value) }));
  }
  if (value instanceof duck.DuckDBUnionValue) return plain(duck, value.value);
  if (value instanceof duck.DuckDBTimestampTZValue) return isoOfMicros(value.micros) ?? String(value);
  if (value instanceof duck.DuckDBTimestampValue)
    return isoOfMicros(value.micros)?.slice(0, -1) ?? String(value);
  return String(value);
}
