/** How long results are kept, and how many. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResultCache } from './cache.js';

/** A cache and the clock that it reads. */
function cacheAt(now: number) {
  const clock = { now };
  return { clock, cache: new ResultCache<string>(() => clock.now) };
}

describe('a result cache', () => {
  it('keeps a result for less than a minute', () => {
    const { clock, cache } = cacheAt(1_000);
    cache.set('query', 'result', 5);
    clock.now = 60_999;
    assert.equal(cache.get('query'), 'result');
  });

  it('has forgotten it when the minute is up', () => {
    const { clock, cache } = cacheAt(1_000);
    cache.set('query', 'result', 5);
    clock.now = 61_000;
    assert.equal(cache.get('query'), undefined);
  });

  it('counts the minute from the last time that the result was computed', () => {
    const { clock, cache } = cacheAt(0);
    cache.set('query', 'old', 5);
    clock.now = 50_000;
    cache.set('query', 'new', 5);
    clock.now = 100_000;
    assert.equal(cache.get('query'), 'new');
  });

  it('gives back the room of results that are out of date', () => {
    const { clock, cache } = cacheAt(0);
    cache.set('first', 'result', 5);
    cache.set('second', 'result', 5);
    clock.now = 60_000;
    cache.set('third', 'result', 9);
    assert.equal(cache.weight, 10);
  });

  it('lets the oldest results go when it is full', () => {
    const { cache } = cacheAt(0);
    cache.set('first', 'one', 99_999);
    cache.set('second', 'two', 99_999);
    cache.set('third', 'three', 0);
    assert.deepEqual(
      [cache.get('first'), cache.get('second'), cache.get('third')],
      [undefined, 'two', 'three'],
    );
    assert.equal(cache.weight, 100_001);
  });

  it('does not keep a result that would fill it alone, nor the one that it replaces', () => {
    const { cache } = cacheAt(0);
    cache.set('query', 'small', 1);
    cache.set('query', 'huge', 200_000);
    assert.equal(cache.get('query'), undefined);
    assert.equal(cache.weight, 0);
  });

  it('forgets everything when it is cleared', () => {
    const { cache } = cacheAt(0);
    cache.set('query', 'result', 5);
    cache.clear();
    assert.equal(cache.get('query'), undefined);
    assert.equal(cache.weight, 0);
  });
});
