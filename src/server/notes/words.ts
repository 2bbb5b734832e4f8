/** Words of a text, and the terms under which they are indexed and looked for. */
import { fold, UNSEEN } from './fold.js';

const WORD = `[\\p{L}\\p{N}\\p{M}${UNSEEN}]{1,256}`;

/**
 * A piece of text that is looked up as a whole: words, and words joined as in `llama.cpp`, `search_notes`, `2.1.332`,
 * `C++`; or a symbol such as an emoji. The classes are disjoint, so that matching is linear, and nothing repeats
 * without end, so that it needs little stack.
 */
const PIECE = new RegExp(`${WORD}(?:[._'’-]${WORD}){0,15}(?:\\+{1,2}|#)?|\\p{Extended_Pictographic}`, 'gu');

const JOINT = /[._'’+#-]+/;

/** Runs of scripts that put no space between words, or glue endings to them. */
const RUN =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/gu;

/** The most characters of a word that count. */
const LONGEST = 64;

/** The pieces of a text, in order, repetitions included. */
export function piecesOf(text: string): readonly string[] {
  return text.match(PIECE) ?? [];
}

/** Terms at a place of a text. */
export interface Place {
  at: number;
  end: number;
  terms: string[];
}

/** The terms of a text where they stand, in order: a piece at a time, and in text without spaces two characters. */
export function* placesOf(text: string): Generator<Place> {
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    let end = 0;
    for (const { 0: run, index: at } of piece.matchAll(RUN)) {
      if (at > end) yield placeOf(piece.slice(end, at), index + end);
      yield* pairPlaces(run, index + at);
      end = at + run.length;
    }
    if (end < piece.length) yield placeOf(piece.slice(end), index + end);
  }
}

function placeOf(piece: string, at: number): Place {
  return { at, end: at + piece.length, terms: indexTerms(piece) };
}

function* pairPlaces(run: string, begin: number): Generator<Place> {
  const characters = [...run];
  let at = begin;
  for (const [index, character] of characters.entries()) {
    yield placeOf(`${character}${characters[index + 1] ?? ''}`, at);
    at += character.length;
  }
}

/** The terms under which a piece is found: its words, and the whole of it where it has several. */
export function indexTerms(piece: string): string[] {
  return termsOf(piece, allGrams);
}

/** The terms that a query looks for, each once, in order. */
export function queryTerms(query: string): string[] {
  return [...new Set(piecesOf(query).flatMap((piece) => termsOf(piece, pairs)))];
}

type Grams = (characters: string[]) => string[];

function termsOf(piece: string, grams: Grams): string[] {
  if (!JOINT.test(piece)) return wordTerms(fold(piece), grams);
  const parts = piece.split(JOINT).flatMap((part) => wordTerms(fold(part), grams));
  return [...parts, fold(piece).replaceAll('’', "'").slice(0, LONGEST)];
}

function wordTerms(word: string, grams: Grams): string[] {
  if (/^[a-z]*$/.test(word)) return word === '' ? [] : [singular(word).slice(0, LONGEST)];
  const runs = [...word.matchAll(RUN)].flatMap(([run]) => grams([...run]));
  const rest = word.split(RUN).filter((part) => part !== '');
  return [...rest.map((part) => part.slice(0, LONGEST)), ...runs];
}

/** Every character, and every two neighbours: text that has no spaces is found by any part of it. */
const allGrams: Grams = (characters) => [...characters, ...neighbours(characters)];

/** The pairs alone, which say more; a single character as it is. */
const pairs: Grams = (characters) => (characters.length === 1 ? characters : neighbours(characters));

function neighbours(characters: string[]): string[] {
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

/**
 * English plurals without their ending, so that `token` finds `tokens`. The three rules of Harman, "How effective is
 * suffixing?" (1991); a word of another language that they shorten is shortened in queries, too.
 */
function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s')) return word;
  if (word.endsWith('ies')) return /[ea]ies$/.test(word) ? word : `${word.slice(0, -3)}y`;
  if (word.endsWith('es')) return /[aeo]es$/.test(word) ? word : word.slice(0, -1);
  return /[us]s$/.test(word) ? word : word.slice(0, -1);
}
