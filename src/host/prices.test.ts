/** List prices: in dollars, and none for a model that is not known. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_USAGE } from '../events/usage.js';
import { priceOf } from './prices.js';

const cents = (usage: object) =>
  Math.round((priceOf('claude-sonnet-4-5')?.cost({ ...NO_USAGE, ...usage }) ?? 0) * 1e6) / 1e4;

describe('the list price of a model', () => {
  it('is told for input, output, and what the cache wrote and read', () => {
    assert.equal(cents({ input_tokens: 100_000 }), 30);
    assert.equal(cents({ output_tokens: 10_000 }), 15);
    assert.equal(cents({ cache_creation_input_tokens: 10_000 }), 3.75);
    assert.equal(cents({ cache_read_input_tokens: 10_000 }), 0.3);
  });

  it('of a long prompt is that of its tier', () => {
    assert.equal(cents({ input_tokens: 1_000_000 }), 600);
  });

  it('is not known for a model that nobody lists, and for none of another provider', () => {
    assert.equal(priceOf('claude-nope-9'), null);
    assert.equal(priceOf('gpt-4o'), null);
    assert.equal(priceOf(''), null);
  });
});
