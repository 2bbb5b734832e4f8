/** Specification: where values stand in a JSON text. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { elementsOf, membersOf } from './json-spans.js';

const texts = (json: string) => ({
  members: membersOf(json, 0).map(({ key, value }) => [key, json.slice(value.start, value.end)]),
});

describe('the members of an object', () => {
  it('stand where they were written, whatever is in them', () => {
    assert.deepEqual(texts('{ "id" : 7 ,"result":{"id":[1,"}"]},"s":"a\\"}b" }').members, [
      ['id', '7'],
      ['result', '{"id":[1,"}"]}'],
      ['s', '"a\\"}b"'],
    ]);
  });

  it('are all there where a key is repeated, and none where there are none', () => {
    assert.deepEqual(texts('{"a":1,"a":"2"}').members, [
      ['a', '1'],
      ['a', '"2"'],
    ]);
    assert.deepEqual(texts('{ }').members, []);
  });
});

describe('the elements of an array', () => {
  it('stand where they were written', () => {
    const json = '[ [1,2], "a,b" ,null]';
    assert.deepEqual(
      elementsOf(json, 0).map(({ start, end }) => json.slice(start, end)),
      ['[1,2]', '"a,b"', 'null'],
    );
  });
});
