/** Tables and figures for a terminal. */
import { renderGrid } from '../analysis/grid.js';
import { visible } from '../events/visible.js';

export interface Column {
  name: string;
  align?: 'left' | 'right';
}

/** A plain table: columns two spaces apart, no rules, no colour; one field a line where a terminal is too narrow. */
export function renderTable(columns: Column[], rows: string[][]): string {
  const right = columns.map((column) => column.align === 'right');
  const cells = rows.map((row) => row.map(visible));
  return renderGrid(
    columns.map((column) => column.name),
    right,
    cells,
    process.stdout.columns,
  ).trimEnd();
}

/** A whole number with thousands separated: `12,345`. */
export function integer(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

/** A ratio with two decimals: `0.37×`; `–` where there is none. */
export function ratio(value: number | null): string {
  return value === null ? '–' : `${value.toFixed(2)}×`;
}

/** Milliseconds as a person says them: `8 s`, `3 min 12 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A number with its noun: `1 trial`, `2 trials`. */
export function counted(value: number, noun: string, plural = `${noun}s`): string {
  return `${integer(value)} ${value === 1 ? noun : plural}`;
}
