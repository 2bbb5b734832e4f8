/** What is kept of a stderr. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Tail } from './tail.js';

describe('a tail', () => {
  it('keeps the last bytes and counts all', () => {
    const tail = new Tail(4);
    tail.push(Buffer.from('abc'));
    tail.push(Buffer.from('defghi'));
    assert.deepEqual([tail.text(), tail.total], ['fghi', 9]);
  });
  it('leaves out a character that was cut in two', () => {
    const tail = new Tail(4);
    tail.push(Buffer.from('é€x'));
    assert.equal(tail.text(), '€x');
    tail.push(Buffer.from('y'));
    assert.equal(tail.text(), 'xy');
  });
});
