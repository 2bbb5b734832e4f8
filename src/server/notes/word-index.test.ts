/** Which notes come first, and that nothing but notes and query decides it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { WordIndex } from './word-index.js';
import { queryTerms } from './words.js';

/** An index of notes given as path, title and text. */
function indexOf(...notes: [string, string, string][]): WordIndex {
  const index = new WordIndex();
  for (const [path, title, text] of notes) index.set(path, { title, text });
  return index;
}

const ranked = (index: WordIndex, query: string, limit = 10) =>
  index.rank(queryTerms(query), limit).map(({ path }) => path);

describe('a ranking', () => {
  it('is BM25: k1 1.2, b 0.75, and a boost of 2.5 for a word of the title', () => {
    const index = indexOf(
      ['a', 'llama', 'llama hums'],
      ['b', 'other', 'llama llama stands over there'],
      ['c', 'other', 'nothing'],
    );
    // idf = ln(1 + 1.5 / 2.5); lengths 2, 5 and 1, so that the average is 8 / 3.
    assert.deepEqual(index.rank(['llama'], 3), [
      { path: 'a', score: 1.699 },
      { path: 'b', score: 0.519 },
    ]);
  });

  it('puts a word of the title before a word that is repeated in the text', () => {
    const index = indexOf(['a', 'x', 'gateway '.repeat(50)], ['b', 'The gateway', 'text'], ['c', 'y', 'z']);
    assert.deepEqual(ranked(index, 'gateway'), ['b', 'a']);
  });

  it('puts the rare word before the common one, and the short note before the long one', () => {
    const index = indexOf(
      ['a', '', 'note rare'],
      ['b', '', 'note common'],
      ['c', '', 'note common and a good many other words'],
    );
    assert.deepEqual(ranked(index, 'common rare'), ['a', 'b', 'c']);
  });

  it('orders equal scores by path', () => {
    const index = indexOf(['b', '', 'x'], ['B', '', 'x'], ['a', '', 'x'], ['ä', '', 'x']);
    assert.deepEqual(ranked(index, 'x'), ['B', 'a', 'b', 'ä']);
  });

  it('ends with the limit', () => {
    const index = indexOf(['c', '', 'x'], ['a', '', 'x'], ['b', 'x', 'x']);
    assert.deepEqual(ranked(index, 'x', 2), ['b', 'a']);
  });

  it('puts the exact name before its parts', () => {
    const index = indexOf(['a', '', 'cpp for a llama'], ['b', '', 'use llama.cpp here']);
    assert.deepEqual(ranked(index, 'llama.cpp'), ['b', 'a']);
  });

  it('has no note with none of the words, and none at all of an empty index', () => {
    assert.deepEqual(ranked(indexOf(['a', '', 'x']), 'y'), []);
    assert.deepEqual(ranked(new WordIndex(), 'y'), []);
  });

  it('never takes a word for a property of an object', () => {
    assert.deepEqual(ranked(indexOf(['a', '', 'x']), 'constructor __proto__'), []);
    assert.deepEqual(ranked(indexOf(['a', 'hasOwnProperty', '__proto__']), '__proto__'), ['a']);
  });
});

describe('a note', () => {
  it('is replaced as a whole', () => {
    const index = indexOf(['a', 'old', 'old words'], ['b', '', 'x'], ['a', 'new', 'others']);
    assert.deepEqual([ranked(index, 'old'), ranked(index, 'new'), index.size], [[], ['a'], 2]);
  });

  it('is gone once it is deleted, and may be deleted again', () => {
    const index = indexOf(['a', '', 'x'], ['b', '', 'x']);
    index.delete('a');
    index.delete('a');
    assert.deepEqual([ranked(index, 'x'), index.size], [['b'], 1]);
  });
});

describe('an index', () => {
  const words = fc.constantFrom('alpha', 'beta', 'gamma.delta', 'ε', '東京都', 'notes');
  const text = fc.array(words, { maxLength: 12 }).map((all) => all.join(' '));
  const change = fc.record({ path: fc.integer({ min: 0, max: 5 }).map(String), title: text, text });

  it('ranks by the notes that are there, not by how they came there', () => {
    fc.assert(
      fc.property(fc.array(change), fc.array(fc.nat({ max: 5 })), text, (changes, deleted, query) => {
        const index = new WordIndex();
        for (const { path, ...note } of changes) index.set(path, note);
        for (const path of deleted) index.delete(String(path));
        const left = new Map(changes.map(({ path, ...note }) => [path, note]));
        for (const path of deleted) left.delete(String(path));
        const fresh = new WordIndex();
        for (const [path, note] of [...left].sort()) fresh.set(path, note);
        assert.deepEqual(index.rank(queryTerms(query), 10), fresh.rank(queryTerms(query), 10));
      }),
    );
  });

  it('is the same after thousands of changes, when it is tidied up', () => {
    const index = indexOf(['a', 'alpha', 'alpha beta'], ['b', '', 'beta']);
    const before = index.rank(['alpha', 'beta'], 10);
    for (let at = 0; at < 5000; at += 1) index.set('c', { title: 'alpha', text: `beta ${at}` });
    index.delete('c');
    index.set('b', { title: '', text: 'beta' });
    assert.deepEqual(index.rank(['alpha', 'beta'], 10), before);
    assert.deepEqual(index.rank(['4999'], 10), []);
  });
});
