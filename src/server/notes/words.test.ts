/** Under which terms words are found. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fold } from './fold.js';
import { indexTerms, piecesOf, placesOf, queryTerms } from './words.js';

const indexed = (text: string) => [...new Set(piecesOf(text).flatMap(indexTerms))];

describe('a word', () => {
  it('is the same in any case and with any accents', () => {
    assert.deepEqual(['Größe', 'GRÖSSE', 'grosse', 'Ærø', 'ŁÓDŹ', 'İstanbul', 'ΣΊΣΥΦΟΣ'].map(fold), [
      'grosse',
      'grosse',
      'grosse',
      'aero',
      'lodz',
      'istanbul',
      'σισυφοσ',
    ]);
  });

  it('is the same however its accents are encoded, and in full or half width', () => {
    assert.equal(fold('cafe\u0301'), fold('café'));
    assert.deepEqual([fold('ＡＢＣ１'), fold('ｶﾞ'), fold('ﬁne')], ['abc1', 'ガ', 'fine']);
  });

  it('keeps the vowels of scripts that write them as marks', () => {
    assert.equal(fold('हिन्दी'), 'हिन्दी');
  });

  it('loses what nobody sees in it', () => {
    assert.deepEqual(indexed('co\u00adopera\u200dte'), ['cooperate']);
  });

  it('is found in the singular and the plural', () => {
    assert.deepEqual(queryTerms('tokens queries caches bus class this'), [
      'token',
      'query',
      'cache',
      'bus',
      'class',
      'thi',
    ]);
  });

  it('counts with its first 64 characters', () => {
    assert.deepEqual(queryTerms('x'.repeat(100)), ['x'.repeat(64)]);
  });
});

describe('words that are joined', () => {
  it('are found one by one and as a whole', () => {
    assert.deepEqual(indexed('llama.cpp'), ['llama', 'cpp', 'llama.cpp']);
    assert.deepEqual(indexed('`search_notes`, 2.1.332'), [
      'search',
      'note',
      'search_notes',
      '2',
      '1',
      '332',
      '2.1.332',
    ]);
  });

  it('are found with what distinguishes a language', () => {
    assert.deepEqual(queryTerms('C++, C# and c'), ['c', 'c++', 'c#', 'and']);
  });

  it('may be joined by any apostrophe', () => {
    assert.deepEqual(queryTerms('l’avion'), queryTerms("l'avion"));
  });

  it('are not joined by Markdown', () => {
    assert.deepEqual(indexed('**bold**text [a](b.md) --flag'), [
      'bold',
      'text',
      'a',
      'b',
      'md',
      'b.md',
      'flag',
    ]);
  });
});

describe('text without spaces', () => {
  it('is found by any two neighbours, or one character', () => {
    assert.deepEqual(indexed('東京都'), ['東', '京', '都', '東京', '京都']);
    assert.deepEqual(queryTerms('東京都'), ['東京', '京都']);
    assert.deepEqual(queryTerms('京'), ['京']);
  });

  it('may be Korean, Thai, or mixed with other words', () => {
    assert.deepEqual(queryTerms('노트를'), ['노트', '트를']);
    assert.deepEqual(queryTerms('ไทย'), ['ไท', 'ทย']);
    assert.deepEqual(queryTerms('Tokyo東京2024'), ['tokyo', '2024', '東京']);
  });
});

describe('a symbol', () => {
  it('is a word if it is an emoji, and none if it is punctuation', () => {
    assert.deepEqual(queryTerms('🚀 !?… --- |'), ['🚀']);
  });
});

describe('any text', () => {
  it('is found by each of its own pieces', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const terms = new Set(indexed(text));
        assert.deepEqual(
          queryTerms(text).filter((term) => !terms.has(term)),
          [],
        );
      }),
    );
  });

  it('has its terms where they are said to be', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const { at, end, terms } of placesOf(text)) {
          assert.deepEqual(indexTerms(text.slice(at, end)), terms);
        }
      }),
    );
  });
});

describe('the places of a text', () => {
  it('are its pieces, and pairs of characters where there are no spaces', () => {
    assert.deepEqual(
      [...placesOf('a llama.cpp 東京都X')],
      [
        { at: 0, end: 1, terms: ['a'] },
        { at: 2, end: 11, terms: ['llama', 'cpp', 'llama.cpp'] },
        { at: 12, end: 14, terms: ['東', '京', '東京'] },
        { at: 13, end: 15, terms: ['京', '都', '京都'] },
        { at: 14, end: 15, terms: ['都'] },
        { at: 15, end: 16, terms: ['x'] },
      ],
    );
  });
});
