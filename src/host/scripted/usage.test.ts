/** Specification: how tokens are estimated. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { estimateInput, estimateUsage, TOKENIZER } from './usage.js';

describe('estimated usage', () => {
  it('names the tokenizer with its version', () => {
    assert.match(TOKENIZER, /^cl100k_base \(gpt-tokenizer \d+\.\d+\.\d+\)$/);
  });

  it('counts system, tools, messages and the content that answers them', async () => {
    const usage = await estimateUsage({ ...asking('hello world'), system: 'hello world' }, [
      { type: 'text', text: 'hello' },
      { type: 'tool_use', id: 'toolu_1', name: 'find', input: {} },
    ]);
    assert.deepEqual(usage, {
      input_tokens: 4,
      output_tokens: 10,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    });
  });

  it('counts each tool as JSON', async () => {
    const tools = [{ name: 'find', input_schema: { type: 'object' } }];
    const bare = await estimateInput(asking('hello'));
    assert.equal(await estimateInput({ ...asking('hello'), tools }), bare + 12);
  });

  it('counts a deferred tool once a result refers to it', () => {
    const tools = [{ name: 'find', input_schema: { type: 'object' }, defer_loading: true }];
    const id = 'toolu_1';
    const use = { type: 'tool_use' as const, id, name: 'ToolSearch', input: {} };
    const block = { type: 'tool_reference', tool_name: 'find' };
    const reference = { type: 'other' as const, block };
    const result = { type: 'tool_result' as const, tool_use_id: id, content: [reference] };
    const searched = {
      model: 'm',
      messages: [
        { role: 'user' as const, content: 'hello' },
        { role: 'assistant' as const, content: [use] },
        { role: 'user' as const, content: [result] },
      ],
    };
    assert.equal(estimateInput({ ...asking('hello'), tools }), estimateInput(asking('hello')));
    assert.equal(estimateInput({ ...searched, tools }), estimateInput(searched) + 17);
  });

  it('gives a text the same count the second time', async () => {
    assert.equal(
      await estimateInput(asking('once and again')),
      await estimateInput(asking('once and again')),
    );
  });

  it('counts the name of a control token as text', async () => {
    assert.equal(await estimateInput(asking('<|endoftext|>')), 7);
  });

  it('counts 200,000 blanks in seconds, not in a minute', async () => {
    const started = performance.now();
    assert.equal(await estimateInput(asking(' '.repeat(200_000))), 1563);
    assert.ok(performance.now() - started < 10_000);
  });
});

function asking(content: string) {
  return { model: 'm', messages: [{ role: 'user' as const, content }] };
}
