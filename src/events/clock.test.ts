/** R15: durations are monotonic. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { elapsedMs } from './clock.js';

describe('an elapsed time', () => {
  it('is milliseconds on the monotonic clock, to the microsecond, whatever the wall clock does', () => {
    const clock = { now: () => new Date(0), monotonic: () => 5_001_234_567n };
    assert.equal(elapsedMs(5_000_000_000n, clock), 1.234);
  });
});
