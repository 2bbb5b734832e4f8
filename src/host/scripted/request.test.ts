/** Specification: which requests are refused, as the Messages API refuses them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialogueOf, readCountRequest, readRequest, requestDigest } from './request.js';

const ask = { role: 'user', content: 'q' };
const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'find', input: {} }] };
const reply = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }] };

describe('a request', () => {
  it('is accepted with every call answered', () => {
    assert.equal(readRequest(body([ask, call, reply])).messages.length, 3);
  });

  it('must say max_tokens, unless its tokens are only counted', () => {
    const given = { model: 'm', messages: [ask] };
    assert.throws(() => readRequest(given), refused(/^max_tokens: /));
    assert.equal(readCountRequest(given).model, 'm');
  });

  it('must answer each tool_use in the next message', () => {
    assert.throws(() => readRequest(body([ask, call, ask])), refused(/^messages\.1: .*toolu_1/));
  });

  it('must not answer a tool_use that was not made', () => {
    assert.throws(() => readRequest(body([reply])), refused(/^messages\.0: .*toolu_1/));
  });

  it('must not answer a tool_use twice', () => {
    const twice = { role: 'user', content: [...reply.content, ...reply.content] };
    assert.throws(() => readRequest(body([ask, call, twice])), refused(/^messages\.2: .*toolu_1/));
  });

  it('must not use the id of a tool_use again', () => {
    assert.throws(
      () => readRequest(body([ask, call, reply, call, reply])),
      refused(/^messages\.3: .*toolu_1/),
    );
  });

  it('must alternate roles and end with the user', () => {
    assert.throws(() => readRequest(body([ask, ask])), refused(/^messages\.1: the role must be assistant/));
    assert.throws(() => readRequest(body([ask, call])), refused(/the last message must be from the user/));
  });

  it('may hold system messages between the others: what one side says around one is said at once', () => {
    const aside = { role: 'system', content: 'Tools changed.' };
    const { messages } = readRequest(body([ask, aside, call, reply, aside, ask]));
    assert.deepEqual(
      dialogueOf(messages).map(({ at, role, blocks }) => [at, role, blocks.map(({ type }) => type)]),
      [
        [0, 'user', ['text']],
        [2, 'assistant', ['tool_use']],
        [3, 'user', ['tool_result', 'text']],
      ],
    );
  });

  it('may hold what a host adds to results: references to tools, text beside them, marks for the cache', () => {
    const reference = { type: 'tool_reference', tool_name: 'find' };
    const content = [
      { ...reply.content[0], content: [reference], cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'A reminder.' },
    ];
    const thinking = { thinking: { type: 'adaptive' }, context_management: { edits: [] } };
    const asked = { ...body([ask, call, { role: 'user', content }]), ...thinking };
    assert.equal(readRequest(asked).messages.length, 3);
  });

  it('must not name a tool twice, nor offer one without an input schema', () => {
    const tool = { name: 'find', input_schema: { type: 'object' } };
    assert.throws(() => readRequest({ ...body([ask]), tools: [tool, tool] }), refused(/find is given twice/));
    assert.throws(
      () => readRequest({ ...body([ask]), tools: [{ name: 'find' }] }),
      refused(/^tools\.0: .*input_schema/),
    );
  });

  it('has the same digest whether it streams or not', () => {
    const streamed = readRequest({ ...body([ask]), stream: true });
    assert.equal(requestDigest(streamed), requestDigest(readRequest(body([ask]))));
  });

  it('has another digest when a message differs', () => {
    const other = readRequest(body([{ role: 'user', content: 'r' }]));
    assert.notEqual(requestDigest(other), requestDigest(readRequest(body([ask]))));
  });
});

function body(messages: object[]): object {
  return { model: 'm', max_tokens: 10, messages };
}

function refused(message: RegExp) {
  return { type: 'invalid_request_error', status: 400, message };
}
