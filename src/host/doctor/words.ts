/** Evidence in words: amounts, durations, and excerpts of what a server wrote. */
import { visible } from '../../events/visible.js';

/** Characters of an excerpt. */
const EXCERPT = 60;

/** An amount of bytes: `1,234 B`. */
export function bytes(count: number): string {
  return `${integer(count)} B`;
}

/** A whole number with thousands separated. */
export function integer(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

/** A duration: `383 ms`, below 10 ms with one decimal. */
export function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : integer(value)} ms`;
}

/** A number with its noun: `1 line`, `2 lines`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${integer(count)} ${count === 1 ? noun : plural}`;
}

/** Text of others between quotes, control characters made visible, cut after 60 characters. */
export function excerpt(text: string): string {
  const shown = Array.from(visible(text.slice(0, 4 * EXCERPT)));
  const cut = shown.length > EXCERPT || text.length > 4 * EXCERPT;
  return `"${shown.slice(0, EXCERPT).join('')}${cut ? '…' : ''}"`;
}

/** The first names of a list, and how many more there are. */
export function listed(names: string[], most = 4): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${counted(more, 'other')}` : ''}`;
}
