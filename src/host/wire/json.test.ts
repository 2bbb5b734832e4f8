/** What is read from a line, and what is said about it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deeperThan, readLine } from './json.js';

/** The number of messages of a line, and the codes of its faults. */
function reading(line: string | Buffer): [number, ...string[]] {
  const { messages, faults } = readLine(Buffer.from(line));
  return [messages.length, ...faults.map((fault) => `${fault.severity} ${fault.code}`)];
}

describe('a line', () => {
  it('that is a message has no fault', () => {
    assert.deepEqual(reading('{"jsonrpc":"2.0","id":1,"result":{}}'), [1]);
  });
  it('that ends in a carriage return is read as usual', () => {
    assert.deepEqual(reading('{"jsonrpc":"2.0","method":"ping","id":1}\r'), [1]);
  });
  it('of log text is a stray line', () => {
    assert.deepEqual(reading('Server listening on stdio'), [0, 'error STRAY_LINE']);
  });
  it('with log text glued to a reply is a stray line, as any client would see it', () => {
    assert.deepEqual(reading('debug: {"jsonrpc":"2.0","id":1,"result":{}}'), [0, 'error STRAY_LINE']);
  });
  it('that is blank is told apart', () => {
    assert.deepEqual(reading(' \t'), [0, 'warning BLANK_LINE']);
  });
  it('of JSON that is no JSON-RPC is named so', () => {
    assert.deepEqual(reading('{"level":"info"}'), [0, 'error NOT_JSON_RPC']);
    assert.deepEqual(reading('42'), [0, 'error NOT_JSON_RPC']);
    assert.deepEqual(reading('[]'), [0, 'warning BATCH', 'error NOT_JSON_RPC']);
  });
  it('with a batch is read message by message', () => {
    const one = '{"jsonrpc":"2.0","id":1,"result":{}}';
    assert.deepEqual(reading(`[${one},${one}]`), [2, 'warning BATCH']);
  });
  it('with a byte order mark is read without it', () => {
    assert.deepEqual(reading('\uFEFF{"jsonrpc":"2.0","id":1,"result":{}}'), [1, 'warning BYTE_ORDER_MARK']);
  });
  it('with invalid UTF-8 is read with replacement characters, and its exact bytes are kept', () => {
    const line = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","method":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    const { messages, faults } = readLine(line);
    assert.deepEqual(messages, [{ jsonrpc: '2.0', method: '\uFFFD' }]);
    assert.equal(faults[0]?.base64, line.toString('base64'));
  });
  it('nested too deeply is not handed on', () => {
    const deep = `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(600)}${']'.repeat(600)}}`;
    assert.deepEqual(reading(deep), [0, 'error TOO_DEEP']);
  });
});

describe('nesting', () => {
  it('counts arrays and objects in one another, not what stands in strings', () => {
    assert.equal(deeperThan({ a: [1, { b: '[[[{' }] }, 3), false);
    assert.equal(deeperThan({ a: [1, { b: '[[[{' }] }, 2), true);
    assert.equal(deeperThan('[[', 0), false);
  });
  it('of fifty thousand levels is noticed without a stack overflow', () => {
    const deep = `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    assert.deepEqual(reading(deep), [0, 'error TOO_DEEP']);
  });
});
