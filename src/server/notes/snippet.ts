/** The passage of a note that shows best why it was found. */
import { onOneLine } from './note.js';
import { type Place, placesOf } from './words.js';

/** The length of a passage, in UTF-16 units; what is cut off is shown by `…`. */
const LENGTH = 240;
/** How far from each other words may be that one passage shows. */
const SPAN = 200;
/** How many places of words are looked at. */
const MOST_PLACES = 2000;

/**
 * The passage whose different words weigh most, the first of several; the beginning where there is none. One line of at
 * most 242 UTF-16 units, cut between words where there are spaces, and never within a character.
 */
export function snippetOf(body: string, weights: ReadonlyMap<string, number>): string {
  const text = onOneLine(body);
  const { at, end } = bestSpan(foundIn(text, weights), weights);
  const spare = Math.max(0, LENGTH - (end - at));
  const from = Math.max(0, Math.min(at - Math.floor(spare / 3), text.length - LENGTH));
  const begin = from === 0 ? 0 : snapForward(text, from, at);
  const stop = begin + LENGTH >= text.length ? text.length : snapBack(text, begin, begin + LENGTH);
  return `${begin > 0 ? '…' : ''}${text.slice(begin, stop).trim()}${stop < text.length ? '…' : ''}`;
}

/** The first places of words that were looked for, with those alone. */
function foundIn(text: string, weights: ReadonlyMap<string, number>): Place[] {
  const found: Place[] = [];
  for (const place of placesOf(text)) {
    const terms = place.terms.filter((term) => weights.has(term));
    if (terms.length > 0) found.push({ ...place, terms });
    if (found.length === MOST_PLACES) break;
  }
  return found;
}

/** The stretch of at most `SPAN` whose terms weigh most, each counted once. */
function bestSpan(
  places: readonly Place[],
  weights: ReadonlyMap<string, number>,
): { at: number; end: number } {
  let best = { at: 0, end: 0, weight: 0 };
  const seen = new Map<string, number>();
  let first = 0;
  for (const [last, { end, terms }] of places.entries()) {
    count(seen, terms, 1);
    while (first < last && end - (places[first]?.at ?? 0) > SPAN) {
      count(seen, places[first]?.terms ?? [], -1);
      first += 1;
    }
    const weight = [...seen.keys()].reduce((sum, term) => sum + (weights.get(term) ?? 0), 0);
    if (weight > best.weight) best = { at: places[first]?.at ?? 0, end, weight };
  }
  return best;
}

function count(seen: Map<string, number>, terms: readonly string[], step: 1 | -1): void {
  for (const term of terms) {
    const times = (seen.get(term) ?? 0) + step;
    if (times === 0) seen.delete(term);
    else seen.set(term, times);
  }
}

/** The first beginning of a word at or after `from`, before `limit`; of a character where there is none. */
function snapForward(text: string, from: number, limit: number): number {
  const space = text.indexOf(' ', from - 1);
  if (space >= 0 && space < limit) return space + 1;
  return Math.min(characterStart(text, from), limit);
}

/** The last end of a word at or before `to`, in the second half of the passage; of a character where there is none. */
function snapBack(text: string, begin: number, to: number): number {
  const space = text.lastIndexOf(' ', to);
  if (space > begin + LENGTH / 2) return space;
  const start = characterStart(text, to);
  if (start > begin) return start;
  return /[\udc00-\udfff]/.test(text.charAt(to)) ? to - 1 : to;
}

let graphemes: Intl.Segmenter | undefined;

/** Where the character begins that stands at `at`, with all that belongs to it. */
function characterStart(text: string, at: number): number {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const from = Math.max(0, at - LENGTH);
  return from + (graphemes.segment(text.slice(from, at + LENGTH)).containing(at - from)?.index ?? 0);
}
