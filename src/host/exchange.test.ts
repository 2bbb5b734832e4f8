/** How long an endpoint asks to wait. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { retryAfter } from './exchange.js';

const NOON = Date.UTC(2026, 10, 3, 12, 0, 0);
const asked = (headers: Record<string, string>) => retryAfter(new Headers(headers), NOON);

describe('Retry-After', () => {
  it('is read in seconds, as a date, or in milliseconds, which go first', () => {
    assert.equal(asked({ 'retry-after': '7' }), 7000);
    assert.equal(asked({ 'retry-after': '0' }), 0);
    assert.equal(asked({ 'retry-after': 'Tue, 03 Nov 2026 12:00:09 GMT' }), 9000);
    assert.equal(asked({ 'retry-after': '7', 'retry-after-ms': '250' }), 250);
  });

  it('in the past is no wait', () => {
    assert.equal(asked({ 'retry-after': 'Tue, 03 Nov 2026 11:00:00 GMT' }), 0);
  });

  it('that is absent or means nothing is none', () => {
    assert.equal(retryAfter(null, NOON), null);
    assert.equal(asked({}), null);
    assert.equal(asked({ 'retry-after': 'soon' }), null);
    assert.equal(asked({ 'retry-after': '', 'retry-after-ms': '' }), null);
    assert.equal(asked({ 'retry-after-ms': 'x', 'retry-after': '2' }), 2000);
  });
});
