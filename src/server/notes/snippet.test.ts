/** Which passage is shown, and how it is cut. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { snippetOf } from './snippet.js';
import { queryTerms } from './words.js';

/** The passage for a query whose words all weigh the same. */
const passage = (body: string, query: string) =>
  snippetOf(body, new Map(queryTerms(query).map((term) => [term, 1])));

const filler = (words: number) => 'lorem ipsum '.repeat(words / 2).trim();

describe('a snippet', () => {
  it('is the whole of a short note, on one line', () => {
    assert.equal(passage('# A\r\n\r\nshort\tnote\u2028here\0', 'note'), '# A short note here');
  });

  it('is empty for an empty note', () => {
    assert.equal(passage('', 'note'), '');
  });

  it('shows the words that were looked for, wherever they stand', () => {
    const shown = passage(`${filler(400)} the gateway used 120 MB ${filler(400)}`, 'gateway');
    assert.match(shown, /^…(?:ipsum|lorem) .* the gateway used 120 MB .* (?:ipsum|lorem)…$/);
    assert.ok(shown.length > 200 && shown.length <= 242);
  });

  it('shows where most different words stand together, not where one is repeated', () => {
    const body = `gateway gateway gateway ${filler(100)} idle gateway memory ${filler(100)} memory`;
    assert.match(passage(body, 'gateway memory idle'), /idle gateway memory/);
  });

  it('prefers the word that says more', () => {
    const body = `the common ${filler(100)} rare ${filler(100)}`;
    const weights = new Map([
      ['the', 0.1],
      ['common', 0.1],
      ['rare', 3],
    ]);
    assert.match(snippetOf(body, weights), / rare /);
  });

  it('shows the first of several that are as good, and the beginning where there is none', () => {
    const body = `first word ${filler(100)} second word ${filler(100)}`;
    assert.match(passage(body, 'word'), /^first word /);
    assert.match(passage(body, 'absent'), /^first word .*…$/);
  });

  it('finds other forms of a word, in other scripts, too', () => {
    assert.match(passage(`${filler(200)} GRÖSSE ${filler(200)}`, 'größe'), / GRÖSSE /);
    assert.match(passage(`${'あ'.repeat(500)}東京都${'あ'.repeat(500)}`, '東京'), /^….*東京都.*…$/);
  });

  it('cuts no character where there are no spaces', () => {
    const family = '👨‍👩‍👧‍👦';
    assert.match(passage(family.repeat(100), 'x'), new RegExp(`^(?:${family})+…$`, 'u'));
    assert.match(passage('e\u0301'.repeat(300), 'x'), /^(?:e\u0301)+…$/);
  });
});

describe('any snippet', () => {
  const text = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('word', ' ', '\n', '東京')), {
    maxLength: 200,
  });

  it('is one short line of the note', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('word', '東京', 'a b'), (parts, query) => {
        const body = parts.join('');
        const shown = passage(body, query);
        assert.doesNotMatch(shown, /[\p{Cc}\u2028\u2029]/u);
        assert.ok(shown.length <= 242);
        const inner = shown.replace(/^…/, '').replace(/…$/, '');
        assert.ok(body.replace(/[\s\p{Cc}]+/gu, ' ').includes(inner));
      }),
    );
  });

  it('shows a word that is there', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        assert.match(passage(`${before.join('')} needle ${after.join('')}`, 'needle'), /needle/);
      }),
    );
  });
});
