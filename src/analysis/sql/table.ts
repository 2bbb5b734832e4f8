/** What a table of `measure sql` is: columns declared with their meaning, beside the value that each takes from a row. */
import type { RunRecord } from './run-record.js';

/** Types of DuckDB that columns are declared with; nothing is inferred from data. */
export type ColumnType = 'VARCHAR' | 'VARCHAR[]' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMPTZ' | 'JSON';

/** A value on its way into a table: whole numbers for BIGINT, ISO 8601 for TIMESTAMPTZ, JSON text for JSON. */
export type Cell = string | number | boolean | string[] | null;

export interface Column {
  name: string;
  type: ColumnType;
  /** Null where the value is not a quantity. */
  unit: 'bytes' | 'tokens' | 'ms' | 'ns' | null;
  meaning: string;
}

/** A column, and how its value is taken from what a row is made of. */
export interface ColumnOf<R> extends Column {
  of(row: R): Cell;
}

export interface Table {
  name: string;
  meaning: string;
  columns: Column[];
  /** The rows that one run adds, each with a cell for each column. */
  rowsOf(run: RunRecord): Cell[][];
}

/** A table of which each row is made from one `R`. */
export function table<R>(definition: {
  name: string;
  meaning: string;
  rows(run: RunRecord): R[];
  columns: ColumnOf<R>[];
}): Table {
  const { name, meaning, columns, rows } = definition;
  return {
    name,
    meaning,
    columns: columns.map(({ of: _of, ...column }) => column),
    rowsOf: (run) => rows(run).map((row) => columns.map((column) => column.of(row))),
  };
}

type Make<T extends Cell> = <R>(name: string, meaning: string, of: (row: R) => T | null) => ColumnOf<R>;

function maker<T extends Cell>(type: ColumnType, unit: Column['unit'] = null): Make<T> {
  return (name, meaning, of) => ({ name, type, unit, meaning, of });
}

export const text = maker<string>('VARCHAR');
export const list = maker<string[]>('VARCHAR[]');
export const flag = maker<boolean>('BOOLEAN');
export const time = maker<string>('TIMESTAMPTZ');
export const whole = maker<number>('BIGINT');
export const bytes = maker<number>('BIGINT', 'bytes');
export const tokens = maker<number>('BIGINT', 'tokens');
export const nanoseconds = maker<number>('BIGINT', 'ns');
export const dollars = maker<number>('DOUBLE');
export const milliseconds = maker<number>('DOUBLE', 'ms');

/** A JSON column: the value as JSON text; undefined becomes NULL. */
export function json<R>(name: string, meaning: string, of: (row: R) => unknown): ColumnOf<R> {
  return { name, type: 'JSON', unit: null, meaning, of: (row) => jsonText(of(row)) };
}

/** JSON text that every reader takes: a lone surrogate, which JSON.stringify escapes, becomes U+FFFD. */
function jsonText(value: unknown): string | null {
  const written: string | undefined = JSON.stringify(value);
  if (written === undefined) return null;
  return written.includes('\\ud') ? written.replace(SURROGATE_ESCAPE, '$1\\ufffd') : written;
}

/** JSON.stringify escapes only surrogates that stand alone; an even run of backslashes before is text, not an escape. */
const SURROGATE_ESCAPE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;
