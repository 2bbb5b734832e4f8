/** Rates and spreads, held to published values. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { rateOf, spreadOf, wilson } from './rate.js';

const rounded = (count: number, of: number) => wilson(count, of)?.map((bound) => Number(bound.toFixed(4)));

describe("Wilson's interval", () => {
  it('is that of Newcombe, Statistics in Medicine 17 (1998) 857–872, table I, method 3', () => {
    assert.deepEqual(rounded(81, 263), [0.2553, 0.3662]);
    assert.deepEqual(rounded(15, 148), [0.0624, 0.1605]);
    assert.deepEqual(rounded(0, 20), [0, 0.1611]);
    assert.deepEqual(rounded(1, 29), [0.0061, 0.1718]);
  });

  it('is none of nothing', () => {
    assert.equal(wilson(0, 0), null);
  });

  it('lies between 0 and 1, around the share, the same from either side', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (of, part) => {
          const count = Math.round(of * part);
          const [low = 0, high = 0] = wilson(count, of) ?? [];
          const [other = 0] = wilson(of - count, of) ?? [];
          assert.ok(0 <= low && low <= count / of + 1e-12 && count / of <= high + 1e-12 && high <= 1);
          assert.ok(Math.abs(1 - high - other) < 1e-12);
        },
      ),
    );
  });
});

describe('a rate', () => {
  it('names what was counted', () => {
    const things = [1, 2, 3, 4].map((value) => ({ trial: `t${value}`, value }));
    const { interval: _interval, ...rate } = rateOf(things, ({ value }) => value > 3);
    assert.deepEqual(rate, { count: 1, of: 4, share: 0.25, trials: ['t4'] });
    assert.deepEqual(
      rateOf([], () => true),
      { count: 0, of: 0, share: null, interval: null, trials: [] },
    );
  });
});

describe('a spread', () => {
  it('has the middle one, or the mean of the two in the middle', () => {
    assert.deepEqual(spreadOf([10, 9, 100]), { n: 3, median: 10, min: 9, max: 100 });
    assert.deepEqual(spreadOf([4, 1, 3, 2]), { n: 4, median: 2.5, min: 1, max: 4 });
    assert.deepEqual(spreadOf([7]), { n: 1, median: 7, min: 7, max: 7 });
    assert.equal(spreadOf([]), null);
  });
});
