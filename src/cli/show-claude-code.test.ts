/** The tables of a run of Claude Code as they are printed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClaudeComparison } from '../analysis/claude-code/compare.js';
import type { Rate } from '../analysis/rate.js';
import { showClaudeCode } from './show-claude-code.js';

const rate = (count: number, of: number, interval: [number, number] | null = [0.1, 0.9]): Rate => ({
  ...{ count, of, share: of === 0 ? null : count / of, interval, trials: [] },
});
const spread = (median: number, min = median, max = median) => ({ n: 2, median, min, max });
const none = { launches: rate(0, 0, null), connect_ms: null, wire_ms: null };

const NOTHING: ClaudeComparison = {
  ...{ versions: ['2.1.332'], use: [], tools: [], searches: [], wrong: [], overhead: [], launches: [] },
};

const shown = (change: Partial<ClaudeComparison>, estimated = false) =>
  showClaudeCode({ ...NOTHING, ...change }, estimated)
    .join('\n')
    .split('\n');

describe('the tables of a run of Claude Code', () => {
  it('are only those that have rows', () => {
    assert.deepEqual(shown({}), ['Claude Code 2.1.332']);
  });

  it('have called and right in columns of their own, with what was left out', () => {
    const phrasings = [
      { phrasing: 'bare', ...rate(19, 24, [0.595, 0.908]) },
      { phrasing: 'hinted', ...rate(0, 0, null) },
    ];
    const use = {
      ...{ condition: 'clear', called: rate(43, 48, [0.7783, 0.9547]), right: rate(47, 48) },
      ...{ called_by_phrasing: phrasings, right_without_call: ['a'], left_out: ['b', 'c'] },
    };
    assert.deepEqual(shown({ use: [use] }).slice(1), [
      '',
      'trials, with 95 % intervals:',
      'condition  called the server  right answer       called, bare       called, hinted',
      'clear      43 / 48 (78–95 %)  47 / 48 (10–90 %)  19 / 24 (60–91 %)  –',
      'clear: 1 right answer without a call of the server',
      'clear: 2 trials left out: nothing is known of the answer',
    ]);
  });

  it('name tools, searches, and what wrong answers did', () => {
    const tool = {
      condition: 'vague',
      tool: 'Bash',
      origin: 'host' as const,
      calls: 4,
      errors: 3,
      denied: 2,
    };
    const tools = [{ ...tool, trials: ['a', 'b'] }];
    const queries = ['select:a', 'select:b', 'select:c', 'select:d'];
    const wrong = {
      condition: 'vague',
      called: ['a'],
      host_tools: ['b'],
      nothing: ['c'],
      denied: ['b'],
      tools,
    };
    const searches = [{ condition: 'vague', kind: 'select' as const, calls: 4, queries, trials: ['a'] }];
    assert.deepEqual(shown({ tools, searches, wrong: [wrong] }).slice(1), [
      '',
      'tool calls by name:',
      'condition  tool  of           calls  errors  denied  trials',
      'vague      Bash  Claude Code      4       3       2       2',
      '',
      'ToolSearch queries by kind:',
      'condition  kind     calls  trials  queries',
      'vague      select:      4       1  select:a | select:b | select:c and 1 more',
      '',
      'what wrong answers did, in trials:',
      "condition  wrong  called the server  only the host's tools  nothing  had a call denied  calls",
      'vague          3                  1                      1        1                  1  Bash 4 (2 denied)',
    ]);
  });

  it('mark tokens that are estimates, and leave out an overhead without a pair', () => {
    const facts = { condition: 'notes', tool_search: false, base: 'none', pairs: [], left_out: [] };
    const overhead = [
      { ...facts, base_tokens: spread(27979), tokens: spread(28327), difference: spread(348, 340, 356) },
      { ...facts, base_tokens: null, tokens: null, difference: null },
    ];
    assert.deepEqual(shown({ overhead }, true).slice(1), [
      '',
      'input tokens of one turn, against none:',
      'condition  tool search  against  ~without  ~with   ~difference     pairs',
      'notes      off          none     27,979    28,327  +348 (340–356)      2',
    ]);
  });

  it('tell first launches from later ones, and what was spent without a server', () => {
    const unconnected = {
      ...{ trials: ['b'], answered: 1, turns: spread(4, 4, 7), calls: 9, denied: 3 },
      ...{ input_tokens: spread(113000), output_tokens: null },
      told: [
        { text: 'It failed\nto connect.', trials: ['b'] },
        { text: null, trials: ['c', 'd'] },
      ],
    };
    const first = { launches: rate(1, 1), connect_ms: spread(3200), wire_ms: null };
    const later = { launches: rate(0, 2), connect_ms: null, wire_ms: null };
    const all = { launches: rate(1, 3), connect_ms: spread(3200), wire_ms: null };
    const launches = [{ condition: 'glue', first, later, all, unknown: ['d'], unconnected }];
    assert.deepEqual(shown({ launches }).slice(1), [
      '',
      'launches, connected to the server:',
      "condition  launch  connected        ms by the host's log  ms by the wire",
      'glue       first   1 / 1 (10–90 %)  3,200                 –',
      'glue       later   0 / 2 (10–90 %)  –                     –',
      'glue       all     1 / 3 (10–90 %)  3,200                 –',
      'glue: 1 launch left out: nothing is known of the connection',
      '',
      'trials whose server was not connected:',
      'condition  trials  answered  turns    calls  denied  input tokens  output tokens',
      'glue            1         1  4 (4–7)      9       3  113,000       –',
      'glue: told in 1 trial: “It failed\\nto connect.”',
      'glue: told in 2 trials: nothing',
    ]);
    const only = [{ condition: 'clear', first, later: none, all: first, unknown: [], unconnected: null }];
    assert.deepEqual(shown({ launches: only }).slice(4), [
      'clear      first   1 / 1 (10–90 %)  3,200                 –',
    ]);
  });
});
