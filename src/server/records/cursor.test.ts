/** What a cursor survives and what it does not. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type CursorScope, decodeCursor, encodeCursor } from './cursor.js';

const digest = fc
  .array(fc.constantFrom(...'0123456789abcdef'), { minLength: 64, maxLength: 64 })
  .map((all) => all.join(''));
const scopes: fc.Arbitrary<CursorScope> = fc.record({ snapshot: digest, query: digest });
const indexes = fc.integer({ min: 0, max: 99_999 });

const scope: CursorScope = { snapshot: 'a'.repeat(64), query: 'b'.repeat(64) };
const forged = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url');

describe('a cursor', () => {
  it('leads back to its position', () => {
    fc.assert(
      fc.property(indexes, scopes, (index, anywhere) => {
        assert.equal(decodeCursor(encodeCursor(index, anywhere), anywhere, index + 1), index);
      }),
    );
  });

  it('is refused with any one character changed, cut or added', () => {
    const character = fc.oneof(
      fc.string({ maxLength: 2 }),
      fc.constantFrom('', 'A', 'B', '0', '1', '9', '-', '_', '=', '+'),
    );
    fc.assert(
      fc.property(indexes, scopes, fc.nat(), character, (index, anywhere, place, other) => {
        const cursor = encodeCursor(index, anywhere);
        const at = place % cursor.length;
        fc.pre(other !== cursor.charAt(at));
        const changed = cursor.slice(0, at) + other + cursor.slice(at + 1);
        assert.equal(typeof decodeCursor(changed, anywhere, 100_000), 'string');
      }),
      { numRuns: 2_000 },
    );
  });

  it('is refused with another position written into it', () => {
    fc.assert(
      fc.property(indexes, indexes, scopes, (index, other, anywhere) => {
        fc.pre(index !== other);
        const parts = JSON.parse(Buffer.from(encodeCursor(index, anywhere), 'base64url').toString());
        assert.equal(decodeCursor(forged({ ...parts, index: other }), anywhere, 100_000), 'INVALID_CURSOR');
      }),
    );
  });

  it('is 214 characters long at position 5', () => {
    assert.equal(encodeCursor(5, scope).length, 214);
  });

  it('is stale on another snapshot', () => {
    const other = { ...scope, snapshot: 'c'.repeat(64) };
    assert.equal(decodeCursor(encodeCursor(5, scope), other, 10), 'STALE_CURSOR');
  });

  it('does not fit another query', () => {
    const other = { ...scope, query: 'c'.repeat(64) };
    assert.equal(decodeCursor(encodeCursor(5, scope), other, 10), 'CURSOR_QUERY_MISMATCH');
  });

  it('is invalid behind the last match', () => {
    assert.equal(decodeCursor(encodeCursor(10, scope), scope, 10), 'INVALID_CURSOR');
  });

  it('is the beginning where there is none, or an empty one', () => {
    assert.deepEqual([decodeCursor(undefined, scope, 0), decodeCursor('', scope, 0)], [0, 0]);
  });

  it('is invalid if it is not JSON inside', () => {
    assert.equal(decodeCursor('bad', scope, 10), 'INVALID_CURSOR');
  });

  it('is stale if it is JSON but says nothing of a snapshot', () => {
    assert.deepEqual(
      [null, 5, 'text', [], {}].map((parts) => decodeCursor(forged(parts), scope, 10)),
      ['STALE_CURSOR', 'STALE_CURSOR', 'STALE_CURSOR', 'STALE_CURSOR', 'STALE_CURSOR'],
    );
  });

  it('does not fit if it says nothing of a query', () => {
    assert.equal(
      decodeCursor(forged({ hash: scope.snapshot, index: 5 }), scope, 10),
      'CURSOR_QUERY_MISMATCH',
    );
  });

  it('is invalid with a position that is no index', () => {
    assert.deepEqual(
      [-1, 1.5, '5', null].map((index) =>
        decodeCursor(forged({ index, hash: scope.snapshot, scope: scope.query }), scope, 10),
      ),
      ['INVALID_CURSOR', 'INVALID_CURSOR', 'INVALID_CURSOR', 'INVALID_CURSOR'],
    );
  });
});
