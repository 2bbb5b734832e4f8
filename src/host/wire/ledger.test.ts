/** Which reply belongs to which request. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Exchange, Ledger } from './ledger.js';

const facts = { bytes: 1, sha256: '', at_ms: 0 };
const reply = { line: Buffer.alloc(0), facts, message: {} };

function opened(): { ledger: Ledger; exchange: Exchange } {
  const ledger = new Ledger();
  const exchange: Exchange = {
    ...{ id: 7, method: 'tools/call', request: facts, request_line: Buffer.alloc(0) },
    ...{ passing: false, reply: undefined },
  };
  ledger.open(exchange);
  return { ledger, exchange };
}

describe('a reply', () => {
  it('finds the request with its id', () => {
    const { ledger, exchange } = opened();
    assert.deepEqual(ledger.claim(7), { kind: 'waiting', exchange, id_changed: false });
  });
  it('whose number came back as a string still finds it, and that is said', () => {
    const { ledger, exchange } = opened();
    assert.deepEqual(ledger.claim('7'), { kind: 'waiting', exchange, id_changed: true });
  });
  it('is a duplicate after the first', () => {
    const { ledger, exchange } = opened();
    ledger.answer(exchange, reply);
    assert.deepEqual(ledger.claim(7), { kind: 'duplicate' });
  });
  it('is late after the request was given up', () => {
    const { ledger, exchange } = opened();
    ledger.abandon(exchange);
    assert.deepEqual(ledger.claim(7), { kind: 'late' });
  });
  it('to nothing that was sent is unknown, and one with the id null is named so', () => {
    const { ledger } = opened();
    assert.deepEqual(ledger.claim(8), { kind: 'unknown' });
    assert.deepEqual(ledger.claim(undefined), { kind: 'unknown' });
    assert.deepEqual(ledger.claim(null), { kind: 'null_id' });
  });
});
