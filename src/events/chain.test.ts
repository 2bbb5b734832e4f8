/** R5 and R16: an event becomes one line, byte for byte, and each line is chained to the one before. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chainHash, GENESIS, hashHolds, openingAfter, serialize, statedHash } from './chain.js';

const FIELDS = {
  ...{ type: 'run_interrupted' as const, signal: 'SIGINT', trial: 't/baseline' },
  ...{ v: 1, run: '20261103T090000000Z-sample-0123456789abcdef', seq: 0, at: '2026-11-03T09:00:01.000Z' },
  mono_ns: 1_000_000,
};
const H = '75fd0b747b28fef1f58e7fa095010d37b18590457fd67c33a1093a48506672ea';
const LINE = `{"h":"${H}","v":1,"run":"20261103T090000000Z-sample-0123456789abcdef","seq":0,"at":"2026-11-03T09:00:01.000Z","mono_ns":1000000,"type":"run_interrupted","signal":"SIGINT","trial":"t/baseline"}`;

describe('the chain (R5)', () => {
  it('begins with 64 zeros', () => {
    assert.equal(GENESIS, '0000000000000000000000000000000000000000000000000000000000000000');
  });

  it('writes the fields of an event in the order of the schema, h first, whatever their order was', () => {
    assert.equal(serialize(GENESIS, FIELDS).line.toString(), `${LINE}\n`);
  });

  it('hashes the previous h and the bytes after the first comma, as sha256sum does over the same text', () => {
    assert.equal(serialize(GENESIS, FIELDS).h, H);
    assert.equal(chainHash(GENESIS, Buffer.from(LINE.slice(72))), H);
  });

  it('gives the same event another h after another line', () => {
    assert.equal(serialize(H, FIELDS).h, 'c57981db83b2b6446e9ae97be74a57f4d6742f660ab6b7fa46437746c34e9cdf');
  });

  it('holds for the bytes that were hashed, and for no others', () => {
    assert.equal(hashHolds(GENESIS, Buffer.from(LINE)), true);
    assert.equal(hashHolds(H, Buffer.from(LINE)), false);
    assert.equal(hashHolds(GENESIS, Buffer.from(LINE.replace('SIGINT', 'SIGHUP'))), false);
    assert.equal(hashHolds(GENESIS, Buffer.from(`${LINE} `)), false);
  });

  it('writes a field that the schema does not know last, so that the reader refuses the line', () => {
    const { line } = serialize(GENESIS, { extra: 1, ...FIELDS });
    assert.match(line.toString(), /"trial":"t\/baseline","extra":1\}\n$/);
  });
});

describe('the h that a line states', () => {
  it('is read from the first 72 bytes', () => {
    assert.equal(statedHash(Buffer.from(LINE)), H);
    assert.equal(statedHash(Buffer.from(LINE.slice(0, 72))), H);
  });

  it('is none where those bytes are anything else', () => {
    assert.equal(statedHash(Buffer.from(LINE.slice(0, 71))), null);
    assert.equal(statedHash(Buffer.from(` ${LINE}`)), null);
    assert.equal(statedHash(Buffer.from(LINE.toUpperCase())), null);
    assert.equal(statedHash(Buffer.alloc(0)), null);
  });

  it('shows where the next line may begin among other bytes', () => {
    assert.equal(openingAfter(Buffer.from(`{"h":"half${LINE}`), 1), 10);
    assert.equal(openingAfter(Buffer.from(LINE), 1), LINE.length);
  });
});

describe('text in a line (R16)', () => {
  it('escapes U+2028 and U+2029, which end a line for some readers', () => {
    const { line } = serialize(GENESIS, { ...FIELDS, signal: 'a\u2028b\u2029c' });
    assert.match(line.toString(), /"signal":"a\\u2028b\\u2029c"/);
  });

  it('keeps a lone surrogate as an escape', () => {
    assert.match(serialize(GENESIS, { ...FIELDS, signal: 'x\ud800' }).line.toString(), /"signal":"x\\ud800"/);
  });

  it('never holds a newline within', () => {
    const { line } = serialize(GENESIS, { ...FIELDS, signal: 'a\nb\r\n' });
    assert.equal(line.indexOf(0x0a), line.length - 1);
  });
});
