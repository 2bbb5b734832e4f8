/** What a host makes of a line: only whole lines of JSON-RPC count. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStdoutLine } from './stdout-line.js';

const REPLY = '{"jsonrpc":"2.0","id":1,"result":{"text":"a } in a string"}}';
const message = JSON.parse(REPLY);
const readingOf = (text: string) => readStdoutLine(Buffer.from(text)).reading;

describe('a line of stdout', () => {
  it('is a message where the whole of it is one', () => {
    assert.deepEqual(readingOf(REPLY), { kind: 'message', message });
    assert.deepEqual(readingOf('{"jsonrpc":"2.0","method":"notifications/x"}').kind, 'message');
  });

  it('is stray where it is anything else, JSON included', () => {
    const strays = ['Server ready', '{"level":"info"}', '[1]', '{"jsonrpc":"2.0"}', '{not json}'];
    assert.deepEqual(
      strays.map((text) => readingOf(text).kind),
      ['stray', 'stray', 'stray', 'stray', 'stray'],
    );
  });

  it('has a message glued to what was written without a newline', () => {
    assert.deepEqual(readingOf(`loading {1}... ${REPLY}`), {
      ...{ kind: 'glued', message, before: 'loading {1}... ', after: '' },
    });
    assert.deepEqual(readingOf(`${REPLY}done`), { kind: 'glued', message, before: '', after: 'done' });
  });

  it('has a message glued to a byte order mark, since JSON.parse takes none', () => {
    assert.deepEqual(readingOf(`\ufeff${REPLY}`), { kind: 'glued', message, before: '\ufeff', after: '' });
  });

  it('may be blank, end with a carriage return, or be no UTF-8', () => {
    assert.equal(readingOf(' \t').kind, 'blank');
    const line = readStdoutLine(Buffer.from(`${REPLY}\r`));
    assert.deepEqual([line.crlf, line.utf8, line.reading.kind], [true, true, 'message']);
    assert.equal(readStdoutLine(Buffer.from([0x61, 0xff])).utf8, false);
  });
});
