/** Token counts out of usage blocks. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addUsage, NO_USAGE, totalInput, usageOf } from './usage.js';

describe('usage', () => {
  it('takes absent or null cache figures as 0', () => {
    assert.deepEqual(
      usageOf({ input_tokens: 3, output_tokens: 4, cache_read_input_tokens: null, service_tier: 'x' }),
      {
        ...{ input_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 4 },
      },
    );
  });

  it('is unknown where a figure is missing, negative, broken, text, or larger than a number can hold', () => {
    assert.equal(usageOf({ input_tokens: 3 }), null);
    assert.equal(usageOf({ input_tokens: -3, output_tokens: 4 }), null);
    assert.equal(usageOf({ input_tokens: 3.5, output_tokens: 4 }), null);
    assert.equal(usageOf({ input_tokens: '3', output_tokens: 4 }), null);
    assert.equal(usageOf({ input_tokens: 2 ** 53, output_tokens: 4 }), null);
    assert.equal(usageOf(null), null);
  });

  it('counts as input what was written to and read from the prompt cache', () => {
    assert.equal(
      totalInput({
        ...{ input_tokens: 1, cache_creation_input_tokens: 10, cache_read_input_tokens: 100 },
        output_tokens: 1000,
      }),
      111,
    );
  });

  it('adds figure by figure', () => {
    const one = {
      input_tokens: 1,
      cache_creation_input_tokens: 2,
      cache_read_input_tokens: 3,
      output_tokens: 4,
    };
    assert.deepEqual(addUsage(addUsage(NO_USAGE, one), one), {
      ...{ input_tokens: 2, cache_creation_input_tokens: 4, cache_read_input_tokens: 6, output_tokens: 8 },
    });
  });
});
