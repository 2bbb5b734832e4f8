/** Specification: how the first difference between two results is shown. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstDifference } from './difference.js';

const text = (value: unknown) => [{ type: 'text', text: JSON.stringify(value) }];

describe('the first difference', () => {
  it('is none between equal values, whatever the order of keys', () => {
    assert.equal(firstDifference({ a: 1, b: [2] }, { b: [2], a: 1 }), null);
  });

  it('is shown with its path and both values', () => {
    assert.equal(
      firstDifference({ rows: [{ id: 'a' }, { id: 'b' }] }, { rows: [{ id: 'a' }, { id: 'c' }] }),
      'rows[1].id: "b" → "c"',
    );
    assert.equal(firstDifference(1, null), '1 → null');
  });

  it('may be something that is there on one side only', () => {
    assert.equal(firstDifference([1, 2], [1]), '[1]: 2 → absent');
    assert.equal(firstDifference({ a: 1 }, { a: 1, b: {} }), 'b: absent → {}');
    assert.equal(firstDifference({}, { constructor: 1 }), 'constructor: absent → 1');
  });

  it('is looked for in a text that is JSON', () => {
    assert.equal(
      firstDifference(text({ total: 6, rows: [1] }), text({ total: 6, rows: [2] })),
      '[0].text: rows[0]: 1 → 2',
    );
  });

  it('is one of the text where the JSON in it is the same', () => {
    assert.equal(firstDifference('{"a":1}', '{ "a": 1 }'), '"{\\"a\\":1}" → "{ \\"a\\": 1 }"');
    assert.equal(firstDifference('{"a":1}', 'none'), '"{\\"a\\":1}" → "none"');
  });

  it('in a long text is shown with what stands around it', () => {
    const [before, after] = [`${'x'.repeat(100)} old ${'y'.repeat(100)}`, `${'x'.repeat(100)} new`];
    assert.equal(
      firstDifference(before, after, 'text'),
      `text from character 102: …"${'x'.repeat(19)} old ${'y'.repeat(36)}"… → …"${'x'.repeat(19)} new"`,
    );
  });

  it('shows no more of a value than a line can hold', () => {
    assert.equal(firstDifference({ a: 'x'.repeat(100) }, {}), `a: "${'x'.repeat(59)}… → absent`);
  });
});
