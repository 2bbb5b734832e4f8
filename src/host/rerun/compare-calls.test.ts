/** Specification: how two answers to the same call compare, from events as a log holds them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BodyOf, EventOf } from '../../events/event.js';
import { stamped, toolCall } from '../../events/events.test.support.js';
import { answerOf } from './answer.js';
import { compareCall } from './compare-calls.js';

const NO_BLOBS = { getBlob: () => assert.fail('nothing is in a blob') };
const inWords = (text: string) => text.split(' ').length;

function event(body: BodyOf<'tool_call'>): EventOf<'tool_call'> {
  const [first] = stamped([body]);
  return first?.type === 'tool_call' ? first : assert.fail();
}

/** A call that this line answered; `content` is what a reader makes of it. */
function answered(response: string, content: unknown[], change: Partial<BodyOf<'tool_call'>> = {}) {
  const raw = { request: { as: 'utf8', data: '{}' }, response: { as: 'utf8', data: response } } as const;
  const wire = {
    request_bytes: 2,
    request_sha256: 'a'.repeat(64),
    response_bytes: response.length,
    response_sha256: 'b'.repeat(64),
  };
  return toolCall({ raw, wire, content, is_error: false, ...change });
}

const text = (words: string) => [{ type: 'text', text: words }];
const result = (words: string, more = '') =>
  answered(`{"id":1,"result":{"content":[{"type":"text","text":"${words}"}]${more}}}`, text(words));
const refused = (message: string) =>
  answered(`{"id":1,"error":{"code":-32602,"message":"${message}"}}`, [], {
    ...{ error: `PROTOCOL_ERROR: node: answered tools/call with error -32602: ${message}` },
    ...{ error_code: 'PROTOCOL_ERROR', is_error: true },
  });
const silent = (error_code: 'CALL_TIMEOUT' | 'SERVER_EXITED') =>
  toolCall({ error: `${error_code}: node: …`, error_code, is_error: true, wire: null, content: [] });

function compared(before: BodyOf<'tool_call'>, after: BodyOf<'tool_call'>, select: string[] = []) {
  const call = { trial: 't', tool: 'find', arguments: {} };
  const [a, b] = [answerOf(event(before), select, NO_BLOBS), answerOf(event(after), select, NO_BLOBS)];
  return compareCall(call, a, b, inWords);
}

const verdictOf = (before: BodyOf<'tool_call'>, after: BodyOf<'tool_call'>) => {
  const { outcome, difference } = compared(before, after);
  return [outcome, difference];
};

describe('two answers to a call', () => {
  it('are the same where their content is, whatever else the line says and however it is written', () => {
    const other = '{ "result": {"_meta":{"v":2},"content":[{"text":"a\\u0062","type":"text"}]}, "id": 9 }';
    assert.deepEqual(verdictOf(result('ab'), answered(other, text('ab'))), ['same', null]);
  });

  it('differ in their content, or in their structured content alone', () => {
    assert.deepEqual(verdictOf(result('a'), result('b')), ['changed', 'content[0].text: "a" → "b"']);
    assert.deepEqual(verdictOf(result('a', ',"structuredContent":{"n":1}'), result('a')), [
      'changed',
      'structuredContent: {"n":1} → absent',
    ]);
  });

  it('differ in a number beyond what JavaScript holds', () => {
    const [one, other] = ['12345678901234567890', '12345678901234567891'];
    const big = (n: string) => result('a', `,"structuredContent":${n}`);
    assert.deepEqual(verdictOf(big(one), big(other)), [
      'changed',
      `structuredContent as JSON: "${one}" → "${other}"`,
    ]);
  });

  it('fail now where a result becomes an error of the tool, of the protocol, or nothing', () => {
    const toolError = result('a', ',"isError":true');
    assert.deepEqual(verdictOf(result('a'), toolError), ['fails_now', 'isError: false → true']);
    assert.deepEqual(verdictOf(result('a'), refused('no')), ['fails_now', 'a result → error -32602: no']);
    assert.deepEqual(verdictOf(result('a'), silent('CALL_TIMEOUT')), [
      'fails_now',
      'a result → CALL_TIMEOUT',
    ]);
    assert.deepEqual(verdictOf(silent('SERVER_EXITED'), result('a')), [
      'works_now',
      'SERVER_EXITED → a result',
    ]);
  });

  it('are the same where the error is, whatever the command of the server is', () => {
    assert.deepEqual(verdictOf(refused('no'), refused('no')), ['same', null]);
    assert.deepEqual(verdictOf(refused('no'), refused('never')), [
      'changed',
      'error -32602: no → error -32602: never',
    ]);
  });

  it('count in totals where both brought a result of the same standing', () => {
    assert.equal(compared(result('a'), result('b')).counted, true);
    assert.equal(compared(result('a'), refused('no')).counted, false);
    assert.equal(compared(refused('no'), refused('no')).counted, false);
  });

  it('cost what a model is sent, without the fields that the host leaves out', () => {
    const json = (cache: string) => text(JSON.stringify({ cache, a: 'b' }));
    const [before, after] = [
      toolCall({ content: json('one two three') }),
      toolCall({ content: json('one') }),
    ];
    assert.deepEqual(compared(before, after).tokens, { before: 3, after: 1 });
    assert.deepEqual(compared(before, after, ['cache']).tokens, { before: 1, after: 1 });
  });
});

describe('an answer recorded without its bytes', () => {
  it('is what the event holds', () => {
    assert.deepEqual(verdictOf(toolCall({ content: text('a') }), toolCall({ content: text('b') })), [
      'changed',
      'content[0].text: "a" → "b"',
    ]);
  });

  it('is not held against a structured content that it says nothing of', () => {
    const before = toolCall({ content: text('a'), structured_bytes: 7 });
    assert.deepEqual(verdictOf(before, result('a', ',"structuredContent":{"n":1}')), ['same', null]);
    assert.equal(
      verdictOf({ ...before, structured_bytes: 0 }, result('a', ',"structuredContent":1'))[0],
      'changed',
    );
  });

  it('is no error of the tool where the host only missed a text in it', () => {
    const empty = toolCall({ content: [], is_error: true, model_facing_text: 'EMPTY_TOOL_CONTENT' });
    assert.deepEqual(verdictOf(empty, answered('{"id":1,"result":{"content":[]}}', [])), ['same', null]);
  });
});
