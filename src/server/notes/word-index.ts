/** Which notes fit a query best: BM25 over the words of each note, and a boost for words of its title. */
import { indexTerms, piecesOf } from './words.js';

/** How soon repetition stops to count, and how much a long note must repeat. */
const K1 = 1.2;
const B = 0.75;
/** What a word in the title adds, in units of its weight (`idf`). In the text it adds less than K1 + 1 = 2.2. */
const TITLE_BOOST = 2.5;

/** A posting is one number: note × 4096, 2048 for a word of the title, and how often the text has it, up to 2047. */
const NOTE = 4096;
const IN_TITLE = 2048;

/** The most pieces of text whose terms are remembered while notes are added, and the longest: others hardly recur. */
const KEPT_PIECES = 500_000;
const LONGEST_KEPT = 24;
/** Removed notes stay in the postings, uncounted, until there are that many, and half as many as notes. */
const FEWEST_REMOVED = 1000;

/** What a note is found by. */
export interface Indexed {
  title: string;
  /** Everything else: the text, and the words of its path. */
  text: string;
}

/** A note and how well it fits, rounded to 3 decimals; 0 or more. */
export interface Hit {
  path: string;
  score: number;
}

/**
 * Notes by their words. A ranking depends on the notes that are there and the query alone, not on the order in which
 * notes came and went: sums are of whole numbers, terms are added up in the order of the query, and equal scores are
 * ordered by path.
 */
export class WordIndex {
  #postings = new Map<string, number[]>();
  /** Postings of the terms of a piece. */
  #pieces = new Map<string, number[][]>();
  #paths: (string | null)[] = [];
  #lengths: number[] = [];
  #noteOf = new Map<string, number>();
  #words = 0;

  get size(): number {
    return this.#noteOf.size;
  }

  /** Adds a note, in the place of what its path had. */
  set(path: string, { title, text }: Indexed): void {
    this.delete(path);
    const note = this.#paths.length;
    const length = this.#count(note, text);
    this.#markTitle(note, title);
    this.#paths.push(path);
    this.#lengths.push(length);
    this.#noteOf.set(path, note);
    this.#words += length;
  }

  /** Takes a note out; nothing where it is not there. */
  delete(path: string): void {
    const note = this.#noteOf.get(path);
    if (note === undefined) return;
    this.#noteOf.delete(path);
    this.#paths[note] = null;
    this.#words -= this.#lengths[note] ?? 0;
    const removed = this.#paths.length - this.size;
    if (removed > FEWEST_REMOVED && removed > this.size / 2) this.#compact();
  }

  /** The `limit` best notes that have any of the terms, best first. */
  rank(terms: readonly string[], limit: number): Hit[] {
    const scores = new Float64Array(this.#paths.length);
    for (const term of terms) this.#score(term, scores);
    const best: Hit[] = [];
    scores.forEach((exact, note) => {
      const path = exact > 0 ? this.#paths[note] : null;
      if (typeof path === 'string') insert(best, { path, score: Math.round(exact * 1000) / 1000 }, limit);
    });
    return best;
  }

  /** How much a term says: ln(1 + (N - n + 0.5) / (n + 0.5)), where n of N notes have it. 0 where none has. */
  weight(term: string): number {
    const count = this.#live(this.#postings.get(term) ?? []);
    return count === 0 ? 0 : Math.log(1 + (this.size - count + 0.5) / (count + 0.5));
  }

  /** BM25 as in Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), and the title's boost. */
  #score(term: string, scores: Float64Array): void {
    const weight = this.weight(term);
    const average = this.#words / this.size;
    for (const posting of this.#postings.get(term) ?? []) {
      const note = Math.floor(posting / NOTE);
      if (this.#paths[note] === null) continue;
      const rest = posting % NOTE;
      const times = rest % IN_TITLE;
      const stretch = K1 * (1 - B + (B * (this.#lengths[note] ?? 0)) / average);
      const inText = times === 0 ? 0 : (times * (K1 + 1)) / (times + stretch);
      const inTitle = rest >= IN_TITLE ? TITLE_BOOST : 0;
      scores[note] = (scores[note] ?? 0) + weight * (inText + inTitle);
    }
  }

  #live(postings: readonly number[]): number {
    if (this.#paths.length === this.size) return postings.length;
    return postings.filter((posting) => this.#paths[Math.floor(posting / NOTE)] !== null).length;
  }

  /** Counts the words of a text; gives how many terms there are, repetitions included. */
  #count(note: number, text: string): number {
    let length = 0;
    for (const piece of piecesOf(text)) {
      const found = this.#postingsOf(piece);
      length += found.length;
      for (const postings of found) {
        const last = openPosting(postings, note);
        if (last % IN_TITLE < IN_TITLE - 1) postings[postings.length - 1] = last + 1;
      }
    }
    return length;
  }

  #markTitle(note: number, title: string): void {
    for (const postings of piecesOf(title).flatMap((piece) => this.#postingsOf(piece))) {
      const last = openPosting(postings, note);
      if (last % NOTE < IN_TITLE) postings[postings.length - 1] = last + IN_TITLE;
    }
  }

  #postingsOf(piece: string): number[][] {
    const kept = this.#pieces.get(piece);
    if (kept !== undefined) return kept;
    const found = indexTerms(piece).map((term) => {
      const postings = this.#postings.get(term) ?? [];
      if (postings.length === 0) this.#postings.set(term, postings);
      return postings;
    });
    if (this.#pieces.size >= KEPT_PIECES) this.#pieces.clear();
    if (piece.length <= LONGEST_KEPT) this.#pieces.set(piece, found);
    return found;
  }

  /** Numbers the notes anew, without those that were removed. */
  #compact(): void {
    const numbers = new Map<number, number>();
    for (const note of this.#noteOf.values()) numbers.set(note, numbers.size);
    for (const [term, postings] of this.#postings) {
      const kept = postings.flatMap((posting) => {
        const number = numbers.get(Math.floor(posting / NOTE));
        return number === undefined ? [] : [number * NOTE + (posting % NOTE)];
      });
      if (kept.length === 0) this.#postings.delete(term);
      else this.#postings.set(term, kept);
    }
    this.#pieces.clear();
    this.#lengths = [...numbers.keys()].map((note) => this.#lengths[note] ?? 0);
    this.#paths = [...this.#noteOf.keys()];
    this.#noteOf = new Map([...this.#noteOf.keys()].map((path, number) => [path, number]));
  }
}

/** This note's posting, the last of its term; a new one that counts nothing where there was none. */
function openPosting(postings: number[], note: number): number {
  const last = postings[postings.length - 1] ?? -1;
  if (last >= note * NOTE) return last;
  postings.push(note * NOTE);
  return note * NOTE;
}

/** Puts a hit into its place, if it is among the `limit` best. */
function insert(best: Hit[], hit: Hit, limit: number): void {
  const at = best.findIndex(
    ({ path, score }) => hit.score > score || (hit.score === score && hit.path < path),
  );
  if (at < 0) best.push(hit);
  else best.splice(at, 0, hit);
  if (best.length > limit) best.pop();
}
