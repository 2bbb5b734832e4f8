/** Specification: when two JSON texts are the same value. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalJson } from './canonical-json.js';

describe('canonical JSON', () => {
  it('sorts keys at every level and leaves blanks out', () => {
    assert.equal(
      canonicalJson(' {"b": [1, {"d":null,"c":true}], "a": "x"} '),
      '{"a":"x","b":[1,{"c":true,"d":null}]}',
    );
  });

  it('writes a string and a number in one way', () => {
    assert.equal(canonicalJson('["\\u0041\\/", 1.0, 1e2, -0.50]'), '["A/",1,100,-0.5]');
  });

  it('keeps digits that JavaScript would lose', () => {
    assert.equal(canonicalJson('12345678901234567890'), '12345678901234567890');
    assert.notEqual(canonicalJson('12345678901234567890'), canonicalJson('12345678901234567891'));
  });

  it('takes the last of a repeated key, as a reader would', () => {
    assert.equal(canonicalJson('{"a":1,"a":2}'), '{"a":2}');
  });

  it('takes no key for a special one', () => {
    assert.equal(canonicalJson('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}');
  });

  it('tells empty values apart', () => {
    assert.deepEqual(['{}', '[]', '""', 'null'].map(canonicalJson), ['{}', '[]', '""', 'null']);
  });
});
