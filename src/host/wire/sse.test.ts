/** Events of a stream, whatever its chunks and bytes are. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { EventSplitter } from './sse.js';

/** The events of a stream that comes in these chunks, as text. */
function eventsOf(...chunks: string[]): [string | null, string][] {
  const splitter = new EventSplitter(1000);
  return chunks.flatMap((chunk) =>
    splitter.push(Buffer.from(chunk)).map(({ type, data }): [string | null, string] => [type, String(data)]),
  );
}

it('an event is its data lines, joined, and its type', () => {
  assert.deepEqual(eventsOf(': hi\n\nevent: odd\ndata: a\ndata:b\nmore: x\n\ndata\n\n'), [
    ['odd', 'a\nb'],
    [null, ''],
  ]);
});

it('events are the same however the stream is cut, and whatever bytes they hold', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 9 }), (bytes, size) => {
      const data = Buffer.from(bytes.filter((byte) => byte !== 0x0a && byte !== 0x0d));
      const stream = Buffer.concat([Buffer.from('data: '), data, Buffer.from('\r\n\r\n')]);
      const splitter = new EventSplitter(1000);
      const chunks = Array.from({ length: Math.ceil(stream.length / size) }, (_, at) =>
        stream.subarray(at * size, (at + 1) * size),
      );
      // The second half of a last CR LF is waited for, so that one more byte is needed.
      const events = [...chunks, Buffer.from(':')].flatMap((chunk) => splitter.push(chunk));
      assert.deepEqual(events, [{ type: null, data }]);
    }),
  );
});

it('the place to resume from, and the time to wait, are kept', () => {
  const splitter = new EventSplitter(1000);
  splitter.push(Buffer.from('id: 1\nretry: 250\ndata: a\n\ndata: b\n\nid: 2\ndata: cut'));
  assert.deepEqual([splitter.lastId, splitter.retryMs], ['1', 250]);
});

it('what the end cut off is handed out apart', () => {
  const splitter = new EventSplitter(1000);
  assert.equal(splitter.push(Buffer.from('data: a\n\ndata: b\ndata: c')).length, 1);
  assert.equal(splitter.end()?.toString(), 'b\nc');
  assert.equal(new EventSplitter(1000).end(), undefined);
});

it('an event over the cap ends it, in one piece or in many', () => {
  const whole = new EventSplitter(10);
  assert.deepEqual(whole.push(Buffer.from(`data: 0123456789\n\ndata: 0123456789a\n\n`)).length, 1);
  assert.equal(whole.overflowed, true);
  const many = new EventSplitter(10);
  many.push(Buffer.from('data: '));
  many.push(Buffer.from('0123456789a'));
  assert.deepEqual([many.overflowed, many.end()], [true, undefined]);
});
