/** Numbers in prose: what is one, and what only looks like one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { numbersIn } from './numbers.js';

const values = (text: string) => numbersIn(text).map(({ value }) => value);

describe('the numbers of a text', () => {
  it('are whole: 25 holds no 5', () => {
    assert.deepEqual(values('5, 25 and 52'), [5, 25, 52]);
  });

  it('have their sign, which a hyphen between two things is not', () => {
    assert.deepEqual(values('-5, −5, +5 and 5'), [-5, -5, 5, 5]);
    assert.deepEqual(values('3-5, 43/48, (4)-5, 7 - 5'), [3, 5, 43, 48, 4, 5, 7, 5]);
  });

  it('may have groups of thousands, decimals and an exponent', () => {
    assert.deepEqual(values("1,242 1242.00 1'242 1_242 12,345,678.5 1.242e3 .5"), [
      ...[1242, 1242, 1242, 1242, 12345678.5, 1242, 0.5],
    ]);
    assert.deepEqual(values('1\u00a0242 and 1\u202f242'), [1242, 1242]);
  });

  it('end where the sentence does', () => {
    assert.deepEqual(values('It is 5. Or 6, or (7); "8"! **9**, `10`, _11_ … 12...'), [
      ...[5, 6, 7, 8, 9, 10, 11, 12],
    ]);
  });

  it('are no part of versions, times, dates, addresses, or digits with other commas', () => {
    assert.deepEqual(
      values('2.1.332 at 10:05 on 2026-11-05 or 11/05/2026 at 127.0.0.1, 12,5 and 1,00,000'),
      [],
    );
  });

  it('are none where it is not clear whether they are one or several', () => {
    assert.deepEqual(values('5 000 tokens, 12 345 678.5'), []);
    assert.deepEqual(values('in 2026 300 of 1 0000, 5 00'), [2026, 300, 1, 0, 5, 0]);
  });

  it('are no part of names', () => {
    assert.deepEqual(values('GPT-5, v5, Q5, foo_5, x², 5², 5½'), []);
  });

  it('are what letters touch from behind, too: their unit is looked at apart', () => {
    assert.deepEqual(
      numbersIn('64K, 5ms, 46%').map(({ text, start, end }) => [text, start, end]),
      [
        ['64', 0, 2],
        ['5', 5, 6],
        ['46', 10, 12],
      ],
    );
  });

  it('are not the numbers of a list', () => {
    assert.deepEqual(values('1. One of 7\n2. Two of 8\n  3) Three'), [7, 8]);
    assert.deepEqual(values('5. That is the count.'), [5]);
  });

  it('are found as they were written, whatever stands around them', () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom('', ' ', '(', '"', '\n', '≈ '), (value, before) => {
        assert.deepEqual(values(`${before}${value}.`), [value]);
        assert.deepEqual(values(`${before}${value.toLocaleString('en-US')} `), [value]);
      }),
    );
  });

  it('are looked for in any text without an error, each where it says', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.,-−/:e%_ \n()aé€²') }), (text) => {
        for (const { text: found, start, end, value } of numbersIn(text)) {
          assert.equal(text.slice(start, end), found);
          assert.ok(Number.isFinite(value) || /e/i.test(found));
        }
      }),
    );
  });
});
