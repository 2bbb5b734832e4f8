/** Where an error, an element or a line of a JSON text is. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { elementOffset, errorOffset, lineOf } from './json-place.js';

describe('the first error of a JSON text', () => {
  it('is the bracket after a trailing comma', () => {
    assert.equal(errorOffset('[1, 2, ]'), 7);
  });

  it('is a key without quotes', () => {
    assert.equal(errorOffset('[{"a": 1, b: 2}]'), 10);
  });

  it('is the value after a missing comma', () => {
    assert.equal(errorOffset('{"a": 1 "b": 2}'), 8);
  });

  it('is a bracket that closes something else', () => {
    assert.equal(errorOffset('[{"a": 1]'), 8);
  });

  it('is a string with a raw line break in it', () => {
    assert.equal(errorOffset('["a\nb"]'), 1);
  });

  it('is whatever follows the end', () => {
    assert.equal(errorOffset('[] []'), 3);
  });

  it('is a byte order mark', () => {
    assert.equal(errorOffset('\ufeff[]'), 0);
  });

  it('is the end of a text that stops early', () => {
    assert.equal(errorOffset('[{"a": "x"'), 10);
  });

  it('is not found in any JSON text', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        assert.equal(errorOffset(text), text.length);
      }),
    );
  });
});

describe('an element of an array', () => {
  it('is found behind nested brackets and brackets in strings', () => {
    assert.equal(elementOffset('[{"a":["],["]}, [1,2],\n 3]', 3), 24);
  });

  it('may be the first', () => {
    assert.equal(elementOffset(' [ {}]', 1), 3);
  });
});

describe('a line', () => {
  it('counts from 1, and a line break still belongs to the line that it ends', () => {
    assert.deepEqual(
      [0, 1, 2, 3].map((offset) => lineOf('a\nb\n', offset)),
      [1, 1, 2, 2],
    );
  });
});
