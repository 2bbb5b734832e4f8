/** A result as text, in the formats that `measure sql --format` offers. */
import { stringify as stringifyCsv } from 'csv-stringify/sync';
import { stringify } from 'lossless-json';
import { markdownTable } from 'markdown-table';
import { visible } from '../../events/visible.js';
import { renderGrid } from '../grid.js';
import type { SqlResult } from './query.js';

export type SqlFormat = 'table' | 'json' | 'jsonl' | 'csv' | 'markdown';

/** The result as text, ending with a newline. `width`: columns of the terminal, which only `table` keeps to. */
export function formatResult(result: SqlResult, format: SqlFormat, width?: number): string {
  switch (format) {
    case 'table':
      return renderGrid(shownNames(result), result.columns.map(isNumeric), shownCells(result), width);
    case 'json':
      return result.rows.length === 0 ? '[]\n' : `[\n  ${jsonRows(result).join(',\n  ')}\n]\n`;
    case 'jsonl':
      return jsonRows(result)
        .map((row) => `${row}\n`)
        .join('');
    case 'csv':
      return csv(result);
    case 'markdown':
      return markdown(result);
    default:
      return format satisfies never;
  }
}

const NUMERIC = /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|BIGNUM|FLOAT|DOUBLE|DECIMAL\(.*\))$/;

function isNumeric({ type }: { type: string }): boolean {
  return NUMERIC.test(type);
}

/** A row as a JSON object on one line. */
function jsonRows({ columns, rows }: SqlResult): string[] {
  const names = uniqueNames(columns.map(({ name }) => name)).map((name) => JSON.stringify(name));
  const types = columns.map(({ type }) => type);
  return rows.map(
    (row) => `{${row.map((value, at) => `${names[at]}:${jsonCell(value, types[at])}`).join(',')}}`,
  );
}

/** Names in which a repeated one gets a number: `a`, `a_1`. */
function uniqueNames(names: string[]): string[] {
  const taken = new Set(names);
  const seen = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let number = 1; seen.has(unique) || (unique !== name && taken.has(unique)); number += 1)
      unique = `${name}_${number}`;
    seen.add(unique);
    return unique;
  });
}

function jsonCell(value: unknown, type: string | undefined): string {
  if (typeof value === 'string' && type === 'JSON' && isJson(value)) return value.replace(/[\r\n]+/g, ' ');
  if (typeof value === 'string' && type?.startsWith('DECIMAL(') && !type.endsWith(']')) return value;
  return jsonText(value);
}

/** JSON text of a value: integers digit by digit, NaN and infinities as strings. */
function jsonText(value: unknown): string {
  const finite = (_key: string, inner: unknown) =>
    typeof inner === 'number' && !Number.isFinite(inner) ? String(inner) : inner;
  return stringify(value, finite) ?? 'null';
}

/** DuckDB takes a little more for JSON than JSON is. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A value as text: nested ones as JSON. */
function plainText(value: unknown): string {
  return typeof value === 'object' && value !== null ? jsonText(value) : String(value);
}

/** RFC 4180. An empty text is quoted, so that it is not taken for NULL. */
function csv({ columns, rows }: SqlResult): string {
  const lines = rows.map((row) => row.map((value) => (value === null ? null : plainText(value))));
  return stringifyCsv([columns.map(({ name }) => name), ...lines], {
    record_delimiter: '\r\n',
    quoted_match: /[\r\n]/,
    cast: { string: (value) => (value === '' ? { value, quoted_empty: true } : value) },
  });
}

function markdown(result: SqlResult): string {
  const align = result.columns.map((column) => (isNumeric(column) ? 'r' : 'l'));
  const lines = [shownNames(result), ...shownCells(result)].map((line) => line.map(escapeMarkdown));
  return `${markdownTable(lines, { align })}\n`;
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\|]/g, '\\$&').replace(/</g, '&lt;');
}

function shownNames({ columns }: SqlResult): string[] {
  return columns.map(({ name }) => visible(name));
}

/** Cells for people: NULL by its name, control characters as escapes, so that a cell is one line and moves no cursor. */
function shownCells({ rows }: SqlResult): string[][] {
  return rows.map((row) => row.map((value) => (value === null ? 'NULL' : visible(plainText(value)))));
}
