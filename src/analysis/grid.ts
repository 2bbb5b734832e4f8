/** Rows for a terminal: side by side where they fit its width, else one field a line. */
import stringWidth from 'string-width';

/** The narrowest that a column of text is made before the rows are shown one field a line. */
const NARROWEST = 8;
const GAP = '  ';

/** Longer texts are measured in parts: measuring takes time that grows faster than their length. */
const PART = 500;

/** Columns that a text takes on a terminal. */
function cellWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (let at = 0; at < text.length; at += PART) width += stringWidth(text.slice(at, at + PART));
  return width;
}

/** Columns two spaces apart, numbers to the right; text that is too long for `width` ends with `…`. */
export function renderGrid(names: string[], numeric: boolean[], rows: string[][], width?: number): string {
  const natural = names.map((name, at) =>
    rows.reduce((widest, row) => Math.max(widest, cellWidth(row[at] ?? '')), cellWidth(name)),
  );
  const widths = width === undefined ? natural : fit(natural, numeric, width);
  if (widths === null) return renderRecords(names, numeric, rows, width ?? 0);
  const line = (cells: string[]) =>
    `${cells
      .map((cell, at) => pad(cell, widths[at] ?? 0, numeric[at] ?? false))
      .join(GAP)
      .trimEnd()}\n`;
  return [names, ...rows].map(line).join('');
}

function pad(cell: string, width: number, right: boolean): string {
  const shown = right ? cell : cut(cell, width);
  const blanks = ' '.repeat(Math.max(0, width - cellWidth(shown)));
  return right ? blanks + shown : shown + blanks;
}

/** Widths that fit, or null where text would get too narrow. Numbers keep their width: a cut number is another number. */
function fit(natural: number[], numeric: boolean[], width: number): number[] | null {
  const room = width - GAP.length * (natural.length - 1);
  const capped = (cap: number) => natural.map((size, at) => (numeric[at] ? size : Math.min(size, cap)));
  const fits = (sizes: number[]) => sizes.reduce((sum, size) => sum + size, 0) <= room;
  if (fits(natural)) return natural;
  for (let cap = room; cap >= NARROWEST; cap -= 1) if (fits(capped(cap))) return capped(cap);
  return null;
}

function renderRecords(names: string[], numeric: boolean[], rows: string[][], width: number): string {
  const label = Math.max(...names.map((name) => cellWidth(name)));
  const room = Math.max(NARROWEST, width - label - GAP.length);
  const line = (name: string, at: number, value: string) =>
    `${name}${' '.repeat(label - cellWidth(name))}${GAP}${numeric[at] ? value : cut(value, room)}\n`;
  return rows.map((row) => names.map((name, at) => line(name, at, row[at] ?? '')).join('')).join('\n');
}

function cut(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  const kept: string[] = [];
  let used = 1;
  for (const character of text) {
    used += cellWidth(character);
    if (used > width) break;
    kept.push(character);
  }
  return `${kept.join('')}…`;
}
