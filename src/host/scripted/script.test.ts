/** Specification: how a script is read, and what is said of one that cannot be followed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseScript } from './script.js';

describe('a script', () => {
  it('is a list of entries in YAML, each step with its line', () => {
    const text = `
- for: lookup
  offers: [find]
  steps:
    - call: find
      arguments: { id: a }
      repeat_while: last.more
    - answer: last.value
`;
    assert.deepEqual(parseScript(text, 'script.yaml'), {
      file: 'script.yaml',
      define: {},
      entries: [
        {
          for: 'lookup',
          offers: ['find'],
          steps: [
            { line: 5, repeat_while: 'last.more', calls: [{ tool: 'find', arguments: { id: 'a' } }] },
            { line: 8, answer: 'last.value', calls: [] },
          ],
        },
      ],
    });
  });

  it('may be JSON, and may define functions', () => {
    const text =
      '{"define": {"one": "1"}, "entries": [{"for": "t", "steps": [{"calls": [{"tool": "a"}, {"tool": "b"}]}]}]}';
    const { define, entries } = parseScript(text, 'script.json');
    assert.deepEqual(define, { one: '1' });
    assert.deepEqual(entries[0]?.steps[0]?.calls, [
      { tool: 'a', arguments: {} },
      { tool: 'b', arguments: {} },
    ]);
  });

  it('names the line of broken YAML', () => {
    assert.throws(
      () => parseScript('- for: t\n  steps: [\n', 's.yaml'),
      invalid(/^s\.yaml:3: INVALID_SCRIPT: /),
    );
  });

  it('names the line of an unknown key', () => {
    const text = '- for: t\n  steps:\n    - call: a\n    - cal: b\n';
    assert.throws(() => parseScript(text, 's.yaml'), invalid(/^s\.yaml:4: INVALID_SCRIPT: .*cal/));
  });

  it('names the line inside a block where an expression is wrong', () => {
    const text = 'define:\n  f: |\n    function() {\n      1 +* 2\n    }\nentries: []\n';
    assert.throws(() => parseScript(text, 's.yaml'), invalid(/^s\.yaml:4: INVALID_SCRIPT: define\.f: /));
  });

  it('refuses a step that both calls and answers', () => {
    const text = '- for: t\n  steps:\n    - call: a\n      answer: "1"\n';
    assert.throws(
      () => parseScript(text, 's.yaml'),
      invalid(/^s\.yaml:3: .*exactly one of call, calls, answer/),
    );
  });

  it('refuses aliases that unfold into millions of nodes', () => {
    const level = (name: string, of: string) => `${name}: &${name} [${Array(20).fill(of).join(', ')}]\n`;
    const text = level('a', '1') + level('b', '*a') + level('c', '*b') + level('d', '*c') + level('e', '*d');
    assert.throws(() => parseScript(text, 's.yaml'), invalid(/^s\.yaml:1: INVALID_SCRIPT: .*alias/));
  });

  it('refuses an empty file', () => {
    assert.throws(() => parseScript('', 's.yaml'), invalid(/^s\.yaml:1: INVALID_SCRIPT: /));
  });
});

function invalid(message: RegExp) {
  return { code: 'INVALID_SCRIPT', message };
}
