/** What a fault keeps of the bytes at fault. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sha256 } from '../../events/bytes.js';
import { faultOf } from './fault.js';

describe('a fault', () => {
  it('keeps length and hash of all bytes, however little it shows', () => {
    const bytes = Buffer.alloc(10_000, 0x61);
    const fault = faultOf('STRAY_LINE', 'error', 'odd', bytes);
    assert.equal(fault.bytes_length, 10_000);
    assert.equal(fault.sha256, sha256(bytes));
    assert.equal(fault.text, 'a'.repeat(4096));
    assert.equal('base64' in fault, false);
  });
  it('cuts its text at a character', () => {
    assert.equal(
      faultOf('STRAY_LINE', 'error', 'odd', Buffer.from(`a${'é'.repeat(3000)}`)).text,
      `a${'é'.repeat(2047)}`,
    );
  });
  it('shows invalid UTF-8 with replacement characters, beside the exact bytes', () => {
    const fault = faultOf('STRAY_LINE', 'error', 'odd', Buffer.from([0x61, 0xff]));
    assert.deepEqual([fault.text, fault.base64], ['a\uFFFD', 'Yf8=']);
  });
});
