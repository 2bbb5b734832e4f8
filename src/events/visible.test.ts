/** What a terminal is shown of text that others wrote. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { visible } from './visible.js';

describe('visible text', () => {
  it('is one line, whatever it held', () => {
    assert.equal(visible('a\nb\tc\r\u2028d'), 'a\\nb\\tc\\r\\u2028d');
  });

  it('cannot move the cursor or change the colour', () => {
    assert.equal(visible('\u001b[2J\u009b31mred\u0007'), '\\u001b[2J\\u009b31mred\\u0007');
  });

  it('cannot be reordered, and hides nothing', () => {
    assert.equal(visible('a\u202eb\u2066c\u200bd\ufeffe'), 'a\\u202eb\\u2066c\\u200bd\\ufeffe');
    assert.equal(visible('x\u{e0041}\ud800y'), 'x\\u{e0041}\\ud800y');
  });

  it('keeps every letter of every script', () => {
    assert.equal(visible('grün 日本 😀'), 'grün 日本 😀');
  });
});
