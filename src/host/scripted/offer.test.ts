/** Specification: what a request offers, and in which way. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { offerOf } from './offer.js';
import { readRequest } from './request.js';

const find = { name: 'find', input_schema: { type: 'object' } };
const ask = { role: 'user', content: 'Where is a?' };

describe('an offer', () => {
  it('tells tools with their schemas from those that a host keeps back', () => {
    const asked = request({ tools: [find, { ...find, name: 'count', defer_loading: true }] });
    assert.deepEqual(asked, { tools: ['find'], deferred: ['count'], system: '' });
  });

  it('knows tools that stand by name alone in a system message, in a list under a sentence about them', () => {
    const content = 'Today.\nThese deferred tools are there:\nmcp__notes__find\nCronList\n\nNotADeferredTool';
    const { deferred } = request({ messages: [ask, { role: 'system', content }] });
    assert.deepEqual(deferred, ['mcp__notes__find', 'CronList']);
  });

  it('has all text around the question: the system text, what stands beside the question, and asides', () => {
    const content = ['A reminder.', 'Where is a?'].map((text) => ({ type: 'text', text }));
    const messages = [
      { role: 'user', content },
      { role: 'system', content: 'An aside.' },
    ];
    const system = [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }];
    assert.equal(request({ system, messages }).system, 'Be brief.\n\nAn aside.\n\nA reminder.');
  });

  it('finds names of tools only, whatever a system text is', () => {
    const words = fc.constantFrom('deferred tools', '\n', 'a', 'b c', ':', 'mcp__x__y');
    fc.assert(
      fc.property(
        fc.array(words).map((parts) => parts.join('')),
        (content) => {
          const { deferred } = request({ messages: [ask, { role: 'system', content: `${content}.` }] });
          assert.deepEqual(
            deferred.filter((name) => !/^[A-Za-z0-9_-]+$/.test(name)),
            [],
          );
        },
      ),
    );
  });
});

function request(more: object) {
  return offerOf(readRequest({ model: 'm', max_tokens: 9, messages: [ask], ...more }), 'Where is a?');
}
