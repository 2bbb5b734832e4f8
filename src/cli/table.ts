/** Tables for a terminal. */
import Table from 'cli-table3';

export interface Column {
  name: string;
  align?: 'left' | 'right';
}

const RULES = {
  ...{
    top: '',
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
  },
  ...{
    'bottom-right': '',
    left: '',
    'left-mid': '',
    mid: '',
    'mid-mid': '',
    right: '',
    'right-mid': '',
    middle: '  ',
  },
};

/** A plain table: columns two spaces apart, no rules, no colour. */
export function renderTable(columns: Column[], rows: string[][]): string {
  const table = new Table({
    head: columns.map((column) => column.name),
    colAligns: columns.map((column) => column.align ?? 'left'),
    chars: RULES,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
  });
  table.push(...rows);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** A whole number with thousands separated: `12,345`. */
export function integer(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

/** A ratio with two decimals: `0.37×`; `–` where there is none. */
export function ratio(value: number | null): string {
  return value === null ? '–' : `${value.toFixed(2)}×`;
}
