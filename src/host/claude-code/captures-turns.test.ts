/** Turns and their usage, told by captures of the real command. The n-th answer of their model took n, 1000 n, 100 n and 10 n tokens. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { usageOf } from '../../events/usage.js';
import { deferred, faultsOf, of, orderOf, receiptOf, turnsOf, upfront } from './captures.test.support.js';

/** Usage of answers whose numbers add up to this. */
const sum = (n: number) => ({
  ...{ input_tokens: n, cache_creation_input_tokens: 1000 * n },
  ...{ cache_read_input_tokens: 100 * n, output_tokens: 10 * n },
});

describe('the turns of a launch', () => {
  it('are the messages of its transcript, once each', () => {
    assert.deepEqual(turnsOf(deferred('ok-search-on')), [
      ...['1 msg_1 tool_use', '2 msg_2 tool_use', '3 msg_3 tool_use', '4 msg_4 tool_use'],
      '5 msg_5 end_turn',
    ]);
  });

  it('have the blocks of all their lines, thinking too', () => {
    const [turn] = of(upfront('parallel-thinking').bodies, 'model_turn');
    const kinds = turn?.content.map((block) => Object.values(block ?? {})[0]);
    assert.deepEqual(kinds, ['thinking', 'text', 'tool_use', 'tool_use', 'tool_use']);
    assert.equal(turn?.request_id, 'req_1');
    assert.equal(turn?.model, 'claude-sonnet-5');
  });

  it('do not include what the host says in place of a model', () => {
    assert.deepEqual(turnsOf(upfront('error-400')), []);
    assert.deepEqual(turnsOf(upfront('error-400-later')), ['1 msg_1 tool_use']);
    assert.deepEqual(turnsOf(upfront('refusal')), ['1 msg_1 refusal', '2 msg_2 refusal']);
  });

  it('of a launch that was killed are those before', () => {
    assert.deepEqual(turnsOf(upfront('killed-sigkill')), ['1 msg_1 tool_use']);
    assert.deepEqual(turnsOf(upfront('killed-in-call')), ['1 msg_1 tool_use']);
    assert.deepEqual(turnsOf(upfront('killed-first-request')), []);
  });

  it('stand before the calls that they ask for, and between those that the tap heard', () => {
    assert.deepEqual(orderOf(deferred('ok-search-on')), [
      ...['handshake', 'message', 'message', 'message', 'catalog', 'turn 1', 'toolu_1_0'],
      ...['turn 2', 'toolu_2_1', 'turn 3', 'toolu_3_0', 'turn 4', 'toolu_4_0', 'message', 'turn 5'],
    ]);
    assert.deepEqual(orderOf(upfront('parallel-thinking')), [
      ...['handshake', 'catalog', 'turn 1', 'toolu_1_4', 'toolu_1_2', 'toolu_1_3', 'turn 2'],
    ]);
    assert.deepEqual(orderOf(upfront('server-dies-twice')), [
      ...['handshake', 'catalog', 'turn 1', 'toolu_1_0', 'handshake', 'turn 2', 'toolu_2_0', 'turn 3'],
    ]);
  });
});

describe('the usage of a launch', () => {
  it('is that of the last line of each message, which adds up to what the host reports', () => {
    const story = deferred('ok-search-on');
    assert.deepEqual(receiptOf(story).totals.usage, sum(1 + 2 + 3 + 4 + 5));
    assert.deepEqual(usageOf(story.end.usage), sum(15));
    assert.deepEqual(faultsOf(story), []);
  });

  it('of a message in five lines counts once', () => {
    assert.deepEqual(receiptOf(upfront('parallel-thinking')).totals.usage, sum(1 + 2));
    assert.deepEqual(usageOf(upfront('parallel-thinking').end.usage), sum(3));
  });

  it('has what was billed before an error', () => {
    assert.deepEqual(receiptOf(upfront('error-400-later')).totals.usage, sum(1));
    assert.deepEqual(receiptOf(upfront('refusal')).totals.usage, sum(1 + 2));
    assert.deepEqual(receiptOf(upfront('turn-limit')).totals.usage, sum(1 + 2));
    assert.deepEqual(receiptOf(upfront('output-limit-always')).totals.usage, sum(1 + 2 + 3 + 4));
    assert.deepEqual(receiptOf(upfront('killed-sigterm')).totals.usage, sum(1));
  });

  it('of the provider and of an estimate are told apart', () => {
    assert.equal(receiptOf(upfront('ok-search-off')).totals.usage_source, 'provider');
  });
});

describe('the receipt of a launch', () => {
  it('has the text of the last turn as its answer, all blocks of it', () => {
    assert.equal(receiptOf(upfront('ok-search-off')).answer_text, 'The budget is 4,200 euros.');
    assert.equal(receiptOf(upfront('two-texts')).answer_text, 'The budget is 4,200 euros.');
    assert.equal(receiptOf(upfront('sub-agent')).answer_text, 'The budget is 4,200 euros.');
    assert.equal(receiptOf(upfront('stop-unknown')).answer_text, null);
    assert.equal(receiptOf(upfront('error-400')).answer_text, null);
  });

  it('says how it ended, by the init line, the result and the log of the host', () => {
    const [launch] = receiptOf(deferred('ok-search-on')).launches;
    assert.deepEqual(launch, {
      ...{ event: 1, launch: 1, home: 'fresh', outcome: 'answered', exit_code: 0, signal: null },
      ...{ version: '2.1.332', session_id: launch?.session_id, elapsed_ms: 1179, connect_ms: 289 },
      ...{ servers: [{ name: 'notes', status: 'connected' }], num_turns: 5, cost_usd: launch?.cost_usd },
      ...{ usage: sum(15), permission_denials: 0 },
    });
    assert.match(launch?.session_id ?? '', /^[0-9a-f-]{36}$/);
    assert.equal(launch?.cost_usd?.toFixed(5), '0.03933');
  });

  it('has the tools of the session, and what was denied, verbatim', () => {
    const { end } = upfront('denied-server-tool');
    assert.deepEqual(end.tools, ['Bash', 'Read', 'mcp__notes__read_note', 'mcp__notes__search_notes']);
    assert.deepEqual(end.permission_denials, [
      { tool_name: 'mcp__notes__read_note', tool_use_id: 'toolu_2_0', tool_input: { id: 'n1' } },
    ]);
  });
});
