/** Specification: which message comes next. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { nextMessage, type ScriptedTask } from './model.js';
import { type MessagesRequest, readRequest } from './request.js';
import { parseScript } from './script.js';

const TASKS: ScriptedTask[] = [
  { id: 'T1', kind: 'lookup', prompt: 'Where is a?', task: { id: 'a', ids: ['a', 'b'], wait: true } },
];

describe('the scripted model', () => {
  it('takes the first step on the question', async () => {
    const said = await next('- {call: find, text: Looking., arguments: {id: a}}', []);
    assert.deepEqual(withoutIds(said), [
      { type: 'text', text: 'Looking.' },
      { name: 'find', input: { id: 'a' } },
    ]);
    assert.equal(said.stop_reason, 'tool_use');
  });

  it('answers with what the tools returned, keys in the order of the script', async () => {
    const said = await next('- call: find\n- answer: \'{"z": last.place, "a": results[0].tool}\'', [
      [{ tool: 'find', content: '{"place":"here"}' }],
    ]);
    assert.deepEqual(said, {
      content: [{ type: 'text', text: '{"z":"here","a":"find"}' }],
      stop_reason: 'end_turn',
    });
  });

  it('makes several calls in one turn, of several tools or from a list of arguments', async () => {
    const steps = '- calls: [{tool: find, arguments: \'task.ids.{"id": $}\'}, {tool: count, arguments: {}}]';
    assert.deepEqual(withoutIds(await next(steps, [])), [
      { name: 'find', input: { id: 'a' } },
      { name: 'find', input: { id: 'b' } },
      { name: 'count', input: {} },
    ]);
  });

  it('gives each call an id of its own', async () => {
    const { content } = await next('- {call: find, arguments: \'task.ids.{"id": $}\'}', []);
    const ids = content.flatMap((block) => (block.type === 'tool_use' ? block.id : []));
    assert.match(ids.join(' '), /^toolu_[0-9a-f]{24} toolu_[0-9a-f]{24}$/);
    assert.notEqual(ids[0], ids[1]);
  });

  it('repeats a step while its condition holds', async () => {
    const steps = '- {call: find, arguments: \'{"at": turn}\', repeat_while: last.more}\n- answer: last.at';
    const more = [{ tool: 'find', content: '{"more":true}' }];
    const done = [{ tool: 'find', content: '{"more":false,"at":7}' }];
    assert.deepEqual(withoutIds(await next(steps, [more])), [{ name: 'find', input: { at: 1 } }]);
    assert.deepEqual(withoutIds(await next(steps, [more, more])), [{ name: 'find', input: { at: 2 } }]);
    assert.deepEqual(withoutIds(await next(steps, [more, more, done])), [{ type: 'text', text: '7' }]);
  });

  it('leaves out steps by their conditions', async () => {
    const steps =
      '- {call: find, when: task.absent}\n- {call: find, skip_if: task.wait}\n- answer: \'"done"\'';
    assert.deepEqual(withoutIds(await next(steps, [])), [{ type: 'text', text: '"done"' }]);
  });

  it('sees an error as a result', async () => {
    const said = await next('- call: find\n- answer: \'results.{"failed": is_error, "says": value}\'', [
      [{ tool: 'find', content: 'NOT_FOUND', is_error: true }],
    ]);
    assert.deepEqual(withoutIds(said), [{ type: 'text', text: '{"failed":true,"says":"NOT_FOUND"}' }]);
  });

  it('uses the first entry whose tools are all offered', async () => {
    const script = parseScript(
      '- {for: lookup, offers: [scan], steps: [{call: scan}]}\n- {for: T1, offers: [find], steps: [{call: find}]}',
      's.yaml',
    );
    assert.deepEqual(withoutIds(await nextMessage({ script, tasks: TASKS, answer: 'json' }, request([]))), [
      { name: 'find', input: {} },
    ]);
  });

  it('says a string as it stands where answers are text, and anything else as JSON', async () => {
    const say = async (answer: string) => {
      const script = parseScript(`- {for: lookup, steps: [{answer: '${answer}'}]}`, 's.yaml');
      return (await nextMessage({ script, tasks: TASKS, answer: 'text' }, request([]))).content;
    };
    assert.deepEqual(await say('"It is " & 7 & " MB."'), [{ type: 'text', text: 'It is 7 MB.' }]);
    assert.deepEqual(await say('{"answer": 7}'), [{ type: 'text', text: '{"answer":7}' }]);
  });

  it('behaves by what is offered at once, what by name alone, and what the system text says', async () => {
    const steps = `
- for: lookup
  offers: [mcp__s1__query]
  steps:
    - {call: ToolSearch, arguments: {query: "select:mcp__s1__query"}, when: '"mcp__s1__query" in deferred'}
    - {call: mcp__s1__query, when: '"mcp__s1__query" in tools or $contains(system, "local notes")'}
    - {answer: '"I cannot see them."'}`;
    const script = parseScript(steps, 's.yaml');
    const say = async (tools: object[], system: string) => {
      const asked = {
        model: 'm',
        max_tokens: 9,
        tools,
        messages: [{ role: 'user', content: 'Where is a?' }],
      };
      const aside = { role: 'system', content: system };
      const request = readRequest({ ...asked, messages: [...asked.messages, aside] });
      const [block] = (await nextMessage({ script, tasks: TASKS, answer: 'json' }, request)).content;
      return block?.type === 'tool_use' ? block.name : block?.text;
    };
    const upfront = { name: 'mcp__s1__query', input_schema: { type: 'object' } };
    const named = 'The following deferred tools are now available:\nCronList\nmcp__s1__query\n\nBe brief.';
    assert.equal(await say([upfront], 'Be brief.'), 'mcp__s1__query');
    assert.equal(await say([], named), 'ToolSearch');
    assert.equal(await say([{ ...upfront, defer_loading: true }], ''), 'ToolSearch');
    await assert.rejects(say([], 'Be brief.'), refused(400, /NO_SCRIPT_ENTRY/));
  });

  it('says which tools were offered when no entry fits', async () => {
    const script = parseScript('- {for: lookup, offers: [scan], steps: [{call: scan}]}', 's.yaml');
    await assert.rejects(
      nextMessage({ script, tasks: TASKS, answer: 'json' }, request([])),
      refused(400, /NO_SCRIPT_ENTRY: .*: find, count$/),
    );
  });

  it('does not know a question that no task asks', async () => {
    const script = parseScript('- {for: lookup, steps: [{call: find}]}', 's.yaml');
    await assert.rejects(
      nextMessage({ script, tasks: [], answer: 'json' }, request([])),
      refused(400, /^UNKNOWN_TASK: .*"Where is a\?"/),
    );
  });

  it('knows a question that stands among other text blocks', async () => {
    const script = parseScript('- {for: lookup, steps: [{call: find}]}', 's.yaml');
    const content = ['Be brief.', 'Where is a?'].map((text) => ({ type: 'text', text }));
    const asked = readRequest({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content }] });
    assert.equal(
      (await nextMessage({ script, tasks: TASKS, answer: 'json' }, asked)).stop_reason,
      'tool_use',
    );
  });

  it('stops when the script has ended', async () => {
    const taken = [[{ tool: 'find', content: '' }]];
    await assert.rejects(next('- call: find', taken), refused(500, /^SCRIPT_ENDED: s\.yaml .*after 1 turns/));
  });

  it('does not go on with turns that the script did not take', async () => {
    const taken = [[{ tool: 'count', content: '' }]];
    await assert.rejects(
      next('- call: find\n- call: find', taken),
      refused(400, /^messages\.1: s\.yaml:3 .*find/),
    );
  });

  it('names the step whose expression fails', async () => {
    await assert.rejects(
      next('- answer: $sum("a")', []),
      refused(500, /^SCRIPT_FAILED: s\.yaml:3: answer: /),
    );
    await assert.rejects(
      next('- answer: task.absent', []),
      refused(500, /s\.yaml:3: answer: it gives no value/),
    );
    await assert.rejects(
      next('- {call: find, arguments: task.id}', []),
      refused(500, /:3: arguments of find: /),
    );
  });

  it('refuses expressions that would differ from run to run', async () => {
    await assert.rejects(next('- answer: $now()', []), refused(500, /\$now\(\) is not allowed/));
  });

  it('gives equal requests equal messages, whatever the tools returned', async () => {
    const steps =
      '- {call: find, arguments: \'{"value": last}\', repeat_while: turn < 3}\n- answer: \'{"all": [results]}\'';
    const turns = fc.array(fc.tuple(fc.record({ tool: fc.constant('find'), content: fc.json() })), {
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(turns, async (taken) => {
        assert.deepEqual(await next(steps, taken), await next(steps, taken));
      }),
      { numRuns: 50 },
    );
  });
});

interface Taken {
  tool: string;
  content: string;
  is_error?: boolean;
}

/** The next message of a script with these steps, after turns with these calls and results. */
function next(steps: string, turns: Taken[][]) {
  const script = parseScript(`- for: lookup\n  steps:\n    ${steps.replaceAll('\n', '\n    ')}\n`, 's.yaml');
  return nextMessage({ script, tasks: TASKS, answer: 'json' }, request(turns));
}

function request(turns: Taken[][]): MessagesRequest {
  const tools = ['find', 'count'].map((name) => ({ name, input_schema: { type: 'object' } }));
  const messages = [{ role: 'user', content: 'Where is a?' }, ...turns.flatMap(exchange)];
  return readRequest({ model: 'm', max_tokens: 100, messages, tools });
}

function exchange(turn: Taken[], at: number) {
  const id = (index: number) => `toolu_${at}_${index}`;
  const uses = turn.map(({ tool }, index) => ({ type: 'tool_use', id: id(index), name: tool, input: {} }));
  const results = turn.map(({ content, is_error = false }, index) => {
    return { type: 'tool_result', tool_use_id: id(index), content, is_error };
  });
  return [
    { role: 'assistant', content: uses },
    { role: 'user', content: results },
  ];
}

function withoutIds({ content }: Awaited<ReturnType<typeof nextMessage>>) {
  return content.map((block) => (block.type === 'text' ? block : { name: block.name, input: block.input }));
}

function refused(status: number, message: RegExp) {
  return { name: 'Refusal', status, message };
}
