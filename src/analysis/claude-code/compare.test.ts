/** The tables of a run of Claude Code: literal events in, counted trials out. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { compareRun } from '../compare.js';
import { gradeRun } from '../grade.js';
import { RIGHT, recordRun, storeFor } from '../log-fixture.test.support.js';
import { overrideTrial } from '../override.js';
import type { ClaudeComparison } from './compare.js';
import { type ClaudeSketch, condition, hostCall, recordClaude, serverCall } from './fixture.test.support.js';

const GRADER = { keys: null, grader: 'measure test' };
const search = {
  calls: [hostCall('ToolSearch', { query: 'select:mcp__notes__search' }), serverCall('search')],
};
const right = { ...search, answer: 'There are 9.' };
const lost = { answer: 'I cannot find your notes.' };

/** Two conditions, two phrasings: `clear` is found and right but for one guess, `vague` is found when hinted at. */
const TRIALS: ClaudeSketch[] = [
  { condition: 'clear', ...right },
  { condition: 'clear', phrasing: 'hinted', ...right },
  { condition: 'clear', repetition: 2, answer: 'It is 9, as I remember.' },
  { condition: 'clear', phrasing: 'hinted', repetition: 2, ...search, answer: 'There are 8.' },
  { condition: 'vague', calls: [hostCall('Bash', {}, true), hostCall('Glob')], ...lost },
  { condition: 'vague', phrasing: 'hinted', ...right },
  { condition: 'vague', repetition: 2, ...lost },
  {
    ...{ condition: 'vague', phrasing: 'hinted', repetition: 2 },
    close: { status: 'failed', failure: 'HOST_NO_OUTPUT' },
  },
];

function compared(test: TestContext, trials = TRIALS, conditions = [condition('clear'), condition('vague')]) {
  const store = storeFor(test);
  const run = recordClaude(store, conditions, trials);
  gradeRun(store, run, GRADER);
  return { store, run, result: compareRun(store, run, null) };
}

function tables(
  test: TestContext,
  ...rest: [ClaudeSketch[]?, ReturnType<typeof condition>[]?]
): ClaudeComparison {
  const { claude_code } = compared(test, ...rest).result;
  assert.ok(claude_code !== null);
  return claude_code;
}

const counts = ({ count, of }: { count: number; of: number }) => [count, of];

describe('whether a tool was called and the answer right', () => {
  it('are counted apart, by condition and by phrasing', (test) => {
    assert.deepEqual(
      tables(test).use.map(({ condition: name, called, right: passed, called_by_phrasing }) => [
        ...[name, counts(called), counts(passed)],
        called_by_phrasing.map((rate) => [rate.phrasing, ...counts(rate)]),
      ]),
      [
        [
          'clear',
          [3, 4],
          [3, 4],
          [
            ['bare', 1, 2],
            ['hinted', 2, 2],
          ],
        ],
        [
          'vague',
          [1, 3],
          [1, 3],
          [
            ['bare', 0, 2],
            ['hinted', 1, 1],
          ],
        ],
      ],
    );
  });

  it('name the trials that were counted, those that were right without a call, and those left out', (test) => {
    const [clear, vague] = tables(test).use;
    assert.deepEqual(clear?.called.trials, ['q/clear/bare/1', 'q/clear/hinted/1', 'q/clear/hinted/2']);
    assert.deepEqual(clear?.right_without_call, ['q/clear/bare/2']);
    assert.deepEqual(vague?.left_out, ['q/vague/hinted/2']);
  });

  it('follow an override', (test) => {
    const { store, run } = compared(test);
    const guess = { verdict: 'fail' as const, author: 'Ada', reason: 'a guess' };
    overrideTrial(store, run, { trial: 'q/clear/bare/2', ...guess });
    const [clear] = compareRun(store, run, null).claude_code?.use ?? [];
    assert.deepEqual([clear?.right.count, clear?.right_without_call], [2, []]);
  });

  it('need no base, and compare tokens with one that is named', (test) => {
    const { store, run, result } = compared(test);
    assert.deepEqual([result.base, result.comparisons], [null, []]);
    const against = compareRun(store, run, 'clear');
    assert.deepEqual(
      against.comparisons.map(({ task, pairs }) => [task, pairs]),
      [
        ['q', 1],
        [null, 1],
      ],
    );
    assert.throws(() => compareRun(store, run, 'baseline'), { code: 'CONDITION_UNKNOWN' });
  });

  it('are no question of another host', (test) => {
    const store = storeFor(test);
    const run = recordRun(store, {
      trials: [{ task: 'lookup', condition: 'baseline', answer: RIGHT.lookup }],
    });
    assert.equal(compareRun(store, run, null).claude_code, null);
  });
});

describe('tool calls', () => {
  it('are counted by the name that the model used, the server before the host', (test) => {
    assert.deepEqual(
      tables(test).tools.map(({ condition: name, tool, origin, calls, errors, denied }) => [
        ...[name, tool, origin, calls, errors, denied],
      ]),
      [
        ['clear', 'mcp__notes__search', 'server', 3, 0, 0],
        ['clear', 'ToolSearch', 'host', 3, 0, 0],
        ['vague', 'mcp__notes__search', 'server', 1, 0, 0],
        ['vague', 'Bash', 'host', 1, 1, 1],
        ['vague', 'Glob', 'host', 1, 0, 0],
        ['vague', 'ToolSearch', 'host', 1, 0, 0],
      ],
    );
  });

  it('of ToolSearch are told apart by what they ask for', (test) => {
    const asking = (query: unknown) => ({ calls: [hostCall('ToolSearch', { query })], answer: '9' });
    const { searches } = tables(test, [
      { condition: 'clear', ...asking('select:a,b') },
      { condition: 'clear', repetition: 2, ...asking(' Select:a') },
      { condition: 'clear', repetition: 3, ...asking('notes about selecting') },
      { condition: 'clear', repetition: 4, ...asking(7) },
    ]);
    assert.deepEqual(searches, [
      {
        ...{ condition: 'clear', kind: 'select', calls: 2, queries: ['select:a,b', ' Select:a'] },
        trials: ['q/clear/bare/1', 'q/clear/bare/2'],
      },
      {
        ...{ condition: 'clear', kind: 'words', calls: 1, queries: ['notes about selecting'] },
        trials: ['q/clear/bare/3'],
      },
    ]);
  });

  it('of wrong answers say what they did instead', (test) => {
    const [clear, vague] = tables(test).wrong;
    assert.deepEqual([clear?.called, clear?.host_tools, clear?.nothing], [['q/clear/hinted/2'], [], []]);
    const { tools, ...trials } = vague ?? { tools: [] };
    assert.deepEqual(trials, {
      ...{ condition: 'vague', called: [], host_tools: ['q/vague/bare/1'], nothing: ['q/vague/bare/2'] },
      denied: ['q/vague/bare/1'],
    });
    assert.deepEqual(
      tools.map(({ tool, calls, denied }) => [tool, calls, denied]),
      [
        ['Bash', 1, 1],
        ['Glob', 1, 0],
      ],
    );
  });
});

describe('the overhead of a server', () => {
  const conditions = [
    ...[condition('none-on', { server: null }), condition('notes-on')],
    ...[
      condition('none-off', { server: null, tool_search: false }),
      condition('notes-off', { tool_search: false }),
    ],
  ];
  const one = (name: string, input: number, change: Partial<ClaudeSketch> = {}): ClaudeSketch => ({
    ...{ condition: name, answer: 'OK 9', input, status: name.startsWith('none') ? null : 'connected' },
    ...change,
  });

  it('is the difference against the same condition without it', (test) => {
    const { overhead } = tables(
      test,
      [one('none-on', 13486), one('notes-on', 13508), one('none-off', 27979), one('notes-off', 28327)],
      conditions,
    );
    assert.deepEqual(overhead, [
      {
        ...{ condition: 'notes-on', tool_search: true, base: 'none-on' },
        base_tokens: { n: 1, median: 13486, min: 13486, max: 13486 },
        tokens: { n: 1, median: 13508, min: 13508, max: 13508 },
        difference: { n: 1, median: 22, min: 22, max: 22 },
        ...{ pairs: [['q/notes-on/bare/1', 'q/none-on/bare/1']], left_out: [] },
      },
      {
        ...{ condition: 'notes-off', tool_search: false, base: 'none-off' },
        base_tokens: { n: 1, median: 27979, min: 27979, max: 27979 },
        tokens: { n: 1, median: 28327, min: 28327, max: 28327 },
        difference: { n: 1, median: 348, min: 348, max: 348 },
        ...{ pairs: [['q/notes-off/bare/1', 'q/none-off/bare/1']], left_out: [] },
      },
    ]);
  });

  it('leaves out what took more than one turn, or has no partner', (test) => {
    const [overhead] = tables(
      test,
      [
        ...[one('none-on', 100), one('notes-on', 120), one('notes-on', 130, { repetition: 2 })],
        ...[one('none-on', 100, { repetition: 3 }), one('notes-on', 90, { repetition: 3, ...search })],
      ],
      conditions.slice(0, 2),
    ).overhead;
    assert.deepEqual(overhead?.difference, { n: 1, median: 20, min: 20, max: 20 });
    assert.deepEqual(overhead?.left_out, ['q/notes-on/bare/2', 'q/notes-on/bare/3']);
  });

  it('is none where no condition is without a server', (test) => {
    assert.deepEqual(tables(test).overhead, []);
  });
});

describe('launches', () => {
  const faulty = { status: 'failed', calls: [hostCall('Bash', {}, true), hostCall('Glob')], ...lost };
  const notConnected = { status: 'failed', failure: 'SERVER_NOT_CONNECTED' } as const;

  it('are counted as connected, the first in a home apart, by the host and by the wire', (test) => {
    const [launches] = tables(
      test,
      [
        { condition: 'clear', ...right, home: 'kept', took: [3200, 2900] },
        { condition: 'clear', repetition: 2, ...right, home: 'kept', took: [600, 400] },
        { condition: 'clear', repetition: 3, ...faulty, home: 'kept', close: notConnected },
      ],
      [condition('clear'), condition('none', { server: null })],
    ).launches;
    assert.deepEqual(
      [launches?.first, launches?.later, launches?.all].map((group) => [
        ...counts(group?.launches ?? { count: 0, of: 0 }),
        group?.connect_ms,
        group?.wire_ms,
      ]),
      [
        [1, 1, { n: 1, median: 3200, min: 3200, max: 3200 }, { n: 1, median: 2900, min: 2900, max: 2900 }],
        [1, 2, { n: 1, median: 600, min: 600, max: 600 }, { n: 1, median: 400, min: 400, max: 400 }],
        [2, 3, { n: 2, median: 1900, min: 600, max: 3200 }, { n: 2, median: 1650, min: 400, max: 2900 }],
      ],
    );
  });

  it('are each the first where each has a home of its own, or another question', (test) => {
    const [launches] = tables(
      test,
      [
        { condition: 'clear', ...right },
        { condition: 'clear', repetition: 2, ...right },
        { condition: 'clear', phrasing: 'hinted', ...right, home: 'kept' },
      ],
      [condition('clear')],
    ).launches;
    assert.deepEqual(
      [launches?.first, launches?.later].map((group) => group?.launches.of),
      [3, 0],
    );
  });

  it('without a connection say what was done, spent and told', (test) => {
    const told = JSON.stringify({ type: 'system', content: 'The MCP server notes failed to connect.' });
    const [launches] = tables(
      test,
      [
        { condition: 'clear', ...faulty, input: 500, close: notConnected, transcript: told },
        { condition: 'clear', repetition: 2, status: 'failed', answer: 'It failed.', close: notConnected },
      ],
      [condition('clear')],
    ).launches;
    assert.deepEqual(launches?.unconnected, {
      ...{ trials: ['q/clear/bare/1', 'q/clear/bare/2'], answered: 2, calls: 2, denied: 1 },
      turns: { n: 2, median: 1.5, min: 1, max: 2 },
      input_tokens: { n: 2, median: 550, min: 100, max: 1000 },
      output_tokens: { n: 2, median: 15, min: 10, max: 20 },
      told: [
        { text: 'The MCP server notes failed to connect.', trials: ['q/clear/bare/1'] },
        { text: null, trials: ['q/clear/bare/2'] },
      ],
    });
  });

  it('that gave nothing say nothing of the server', (test) => {
    const [launches] = tables(
      test,
      [{ condition: 'clear', ...right, silent: 1 }],
      [condition('clear')],
    ).launches;
    assert.deepEqual(counts(launches?.all.launches ?? { count: 0, of: 0 }), [1, 1]);
    assert.deepEqual([launches?.unknown, launches?.unconnected], [['q/clear/bare/1'], null]);
  });
});
