/** Faults without end become a sum. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sha256 } from '../../events/bytes.js';
import { type Fault, faultOf } from './fault.js';
import { FaultMeter } from './fault-meter.js';

it('after ten thousand faults of a code, the others are one, with their number, bytes and hashes', () => {
  const told: Fault[] = [];
  const meter = new FaultMeter((fault) => told.push(fault));
  const stray = (text: string) => meter.take(faultOf('STRAY_LINE', 'error', 'not JSON', Buffer.from(text)));
  for (let count = 0; count < 10_000; count += 1) stray('x');
  stray('abc');
  meter.take(faultOf('BLANK_LINE', 'warning', 'blank', Buffer.from('')));
  stray('de');
  assert.deepEqual(told.map(({ code }) => code).slice(9_999), ['STRAY_LINE', 'BLANK_LINE']);
  meter.end();
  meter.end();
  assert.deepEqual(told.slice(10_001), [
    {
      ...{ code: 'STRAY_LINE', severity: 'error', message: '2 more of the kind: not JSON', text: 'abc' },
      ...{ bytes_length: 5, sha256: sha256(sha256('abc') + sha256('de')) },
    },
  ]);
});
