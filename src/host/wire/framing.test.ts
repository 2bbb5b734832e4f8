/** What the line splitter promises. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sha256 } from '../../events/bytes.js';
import { type FramedLine, LineSplitter } from './framing.js';

/** The lines and the tail of these chunks, as text. */
function split(chunks: Uint8Array[], cap?: number): string[] {
  return framed(chunks, cap).map((line) =>
    line.kind === 'line' ? line.bytes.toString('latin1') : `OVER ${line.bytes_length}`,
  );
}

function framed(chunks: Uint8Array[], cap?: number): FramedLine[] {
  const splitter = new LineSplitter(cap);
  const lines = chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk)));
  const tail = splitter.end();
  return tail === undefined ? lines : [...lines, tail];
}

describe('a line splitter', () => {
  it('gives each line without its newline, and the partial tail at the end', () => {
    assert.deepEqual(split([Buffer.from('one\ntw'), Buffer.from('o\n\nth')]), ['one', 'two', '', 'th']);
  });

  it('has no tail after a newline', () => {
    assert.deepEqual(split([Buffer.from('one\n')]), ['one']);
  });

  it('splits on byte 0x0A alone: carriage returns and other line ends stay in the line', () => {
    assert.deepEqual(split([Buffer.from('a\r\nb\u2028c\n')]), [
      'a\r',
      Buffer.from('b\u2028c').toString('latin1'),
    ]);
  });

  it('gives the same lines however the bytes are cut into chunks', () => {
    const bytes = fc.array(fc.oneof(fc.constant(0x0a), fc.integer({ min: 0, max: 255 })), { maxLength: 200 });
    const cuts = fc.array(fc.nat(200), { maxLength: 20 });
    const caps = fc.integer({ min: 1, max: 64 });
    fc.assert(
      fc.property(bytes, cuts, caps, (content, at, cap) => {
        const whole = Buffer.from(content);
        const edges = [
          0,
          ...at.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b),
          whole.length,
        ];
        const chunks = edges.slice(1).map((edge, index) => whole.subarray(edges[index], edge));
        assert.deepEqual(framed(chunks, cap), framed([whole], cap));
        assert.equal(split(chunks).join('\n'), whole.toString('latin1').replace(/\n$/, ''));
      }),
      { numRuns: 1000 },
    );
  });

  it('drops a line over the cap, says how long it was and what it hashed to, and reads the next line', () => {
    const [over, next] = framed([Buffer.from('12345'), Buffer.from('678\nok\n')], 6);
    assert.deepEqual(over, {
      kind: 'oversize',
      head: Buffer.from('12345678'),
      bytes_length: 8,
      sha256: sha256('12345678'),
    });
    assert.deepEqual(next, { kind: 'line', bytes: Buffer.from('ok') });
  });

  it('keeps a line of exactly the cap', () => {
    assert.deepEqual(split([Buffer.from('123456\n1234567\n')], 6), ['123456', 'OVER 7']);
  });

  it('keeps only the first 4 KiB of an oversize line', () => {
    const [over] = framed([Buffer.alloc(3000, 0x61), Buffer.alloc(9000, 0x62)], 5000);
    assert.equal(over?.kind === 'oversize' ? over.head.length : 0, 4096);
  });

  it('takes a 50 MB line in 64 KiB chunks in well under a second', () => {
    const splitter = new LineSplitter();
    const chunk = Buffer.alloc(65_536, 0x61);
    const started = performance.now();
    const early = Array.from({ length: 763 }, () => splitter.push(chunk)).flat();
    const [line] = splitter.push(Buffer.from('\n'));
    assert.deepEqual(early, []);
    assert.equal(line?.kind === 'line' ? line.bytes.length : 0, 763 * 65_536);
    assert.ok(performance.now() - started < 1000);
  });
});
