/** How deeply JSON is nested. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deeperThan } from './depth.js';

const deeper = (json: string, levels: number): boolean => deeperThan(Buffer.from(json), levels);

describe('the depth of JSON', () => {
  it('counts arrays and objects that stand in one another', () => {
    assert.deepEqual([deeper('{"a":[{}]}', 3), deeper('{"a":[{}]}', 2)], [false, true]);
    assert.deepEqual([deeper('[[],[],[]]', 2), deeper('[[],[],[]]', 1)], [false, true]);
    assert.deepEqual([deeper('1', 0), deeper('[]', 0)], [false, true]);
  });

  it('passes over brackets in strings, also behind escaped quotes', () => {
    assert.equal(deeper('{"[[[[":"\\"[[[[\\\\"}', 1), false);
  });

  it('does not overflow', () => {
    assert.equal(deeper('['.repeat(1_000_000), 1000), true);
    assert.equal(deeper(']'.repeat(1_000_000), 0), false);
    assert.equal(deeper(`"${'\\'.repeat(1_000_001)}`, 0), false);
  });
});
