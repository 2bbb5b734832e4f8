/** The conversation with the model: given these events, then this request, byte for byte. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { beginConversation, type Conversation, converse, requestBody, settingOf } from './conversation.js';
import type { BodyOf, EventBody } from './event.js';
import {
  catalog,
  close,
  fault,
  handshake,
  modelTurn,
  runOpen,
  stamped,
  toolCall,
  trialOpen,
  turnRequest,
} from './events.test.support.js';

function talkOf(bodies: EventBody[], trial: Partial<BodyOf<'trial_open'>> = {}): Conversation {
  const [run, open, ...rest] = stamped([runOpen(), trialOpen(trial), ...bodies]);
  assert.ok(run?.type === 'run_open' && open?.type === 'trial_open');
  const setting = settingOf(run);
  assert.ok(setting);
  return rest.reduce(converse, beginConversation(setting, open));
}

const LIST = '{"name":"list_records","description":"Lists.","input_schema":{"type":"object"}}';
const EXACT = '{"name":"exact_record","description":"","input_schema":{"type":"object","required":["id"]}}';
const HEAD =
  '{"model":"model-1","max_tokens":1024,"system":"Answer in JSON.","messages":[{"role":"user","content":"How many are open?"}';

describe('the first request', () => {
  it('is the setting, the prompt and the tools of the condition', () => {
    assert.equal(
      JSON.stringify(requestBody(talkOf([handshake(), catalog()]))),
      `${HEAD}],"tools":[${LIST}]}`,
    );
  });

  it('has every tool where the condition names none', () => {
    const talk = talkOf([catalog()], { condition: 'optimized' });
    assert.equal(JSON.stringify(requestBody(talk)), `${HEAD}],"tools":[${LIST},${EXACT}]}`);
  });

  it('has the tools of all pages in the order of the catalog', () => {
    const pages = [
      catalog({ tools: [{ name: 'b', inputSchema: { type: 'object' } }] }),
      catalog({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] }),
    ];
    const { tools } = requestBody(talkOf(pages, { condition: 'optimized' }));
    assert.deepEqual(
      tools.map((tool) => tool.name),
      ['b', 'a'],
    );
  });

  it('takes a condition by its own name only, whatever objects inherit', () => {
    const { tools } = requestBody(talkOf([catalog()], { condition: 'constructor' }));
    assert.equal(tools.length, 2);
  });
});

describe('the request after tool calls', () => {
  const TALK: EventBody[] = [
    ...[catalog(), turnRequest(), modelTurn(), toolCall()],
    toolCall({
      call_id: 'call_2',
      is_error: true,
      error: 'TIMEOUT',
      model_facing_text: 'TOOL_ERROR: TIMEOUT',
    }),
  ];
  const ASSISTANT =
    '{"role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"list_records","input":{}}]}';
  const RESULTS =
    '{"role":"user","content":[' +
    '{"type":"tool_result","tool_use_id":"call_1","content":"{\\"total\\":6}","is_error":false},' +
    '{"type":"tool_result","tool_use_id":"call_2","content":"TOOL_ERROR: TIMEOUT","is_error":true}]}';
  const BODY = `${HEAD},${ASSISTANT},${RESULTS}],"tools":[${LIST}]}`;

  it('has the turn verbatim, and one result for each call, in one message', () => {
    assert.equal(JSON.stringify(requestBody(talkOf(TALK))), BODY);
  });

  it('is the same for a second attempt, after a fault', () => {
    const retried = [...TALK, turnRequest({ turn: 2 }), fault({ turn: 2, attempt: 1 })];
    assert.equal(JSON.stringify(requestBody(talkOf(retried))), BODY);
  });

  it('has no result of a probe, which belongs to no turn', () => {
    const probed = [...TALK, toolCall({ call_id: 'probe', turn: null }), close()];
    assert.equal(JSON.stringify(requestBody(talkOf(probed))), BODY);
  });

  it('keeps keys called __proto__, lone surrogates and separators of a turn', () => {
    const content: unknown = JSON.parse('[{"input":{"__proto__":{"a":1},"b":"\\ud800\\u2028"}}]');
    const body = JSON.stringify(
      requestBody(talkOf([modelTurn({ content: Array.isArray(content) ? content : [] })])),
    );
    assert.ok(
      body.includes('{"role":"assistant","content":[{"input":{"__proto__":{"a":1},"b":"\\ud800\u2028"}}]}'),
    );
  });
});

describe('the setting of a run', () => {
  it('is not known where its start-up failed', () => {
    const [open] = stamped([runOpen({ plan: null })]);
    assert.ok(open?.type === 'run_open');
    assert.equal(settingOf(open), null);
  });
});
