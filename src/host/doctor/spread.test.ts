/** The spread of measurements. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { spreadOf } from './spread.js';

describe('a spread', () => {
  it('has the middle one of an odd number, and the mean of the middle two of an even one', () => {
    assert.deepEqual(spreadOf([3, 1, 10]), { n: 3, median: 3, min: 1, max: 10 });
    assert.deepEqual(spreadOf([10, 1, 3, 4]), { n: 4, median: 3.5, min: 1, max: 10 });
    assert.deepEqual(spreadOf([7]), { n: 1, median: 7, min: 7, max: 7 });
  });

  it('of nothing is none', () => {
    assert.equal(spreadOf([]), null);
  });
});
