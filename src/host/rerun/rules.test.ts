/** Specification: how rules are written, and when they break. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../../events/problem.js';
import type { CallComparison, Pair } from './compare-calls.js';
import { compareCatalog } from './compare-catalogs.js';
import { type Compared, judgeRules, parseRule } from './rules.js';

const NONE: Pair = { before: 0, after: 0 };
const call = (change: Partial<CallComparison> = {}): CallComparison => ({
  ...{ trial: 't', tool: 'find', arguments: {}, events: NONE, outcome: 'same', difference: null },
  ...{ schema_verdict: { before: 'valid', after: 'valid' }, wire_bytes: NONE, content_bytes: NONE },
  ...{ structured_bytes: NONE, tokens: NONE, counted: true, ...change },
});
const compared = (change: Partial<Compared> = {}): Compared => ({
  ...{ calls: [], catalogs: [], evidence: [], finished: true },
  totals: {
    tokens: { before: 1000, after: 1050 },
    content_bytes: NONE,
    structured_bytes: NONE,
    wire_bytes: NONE,
  },
  ...change,
});
const verdicts = (rules: string[], change: Partial<Compared> = {}) =>
  judgeRules(rules.map(parseRule), compared(change)).map(({ verdict, found }) => [verdict, found]);

describe('a rule', () => {
  it('is a name, or a name and how much more is too much', () => {
    assert.deepEqual(['error', ' tokens>+5 % ', 'bytes > +100', 'catalog-tokens > +2.5%'].map(parseRule), [
      { text: 'error', name: 'error', more: 0, percent: false },
      { text: 'tokens>+5 %', name: 'tokens', more: 5, percent: true },
      { text: 'bytes > +100', name: 'bytes', more: 100, percent: false },
      { text: 'catalog-tokens > +2.5%', name: 'catalog-tokens', more: 2.5, percent: true },
    ]);
  });

  const unknown = (text: string) =>
    assert.throws(
      () => parseRule(text),
      (error) => error instanceof Problem && error.code === 'RULE_UNKNOWN' && error.exit === 2,
    );

  it('that is none is refused, with a list of those that are', () => {
    unknown('');
    unknown('tokens < +5');
    unknown('tokens > -5');
    unknown('tokens > 5000');
    unknown('toString');
    assert.throws(
      () => parseRule('cost'),
      /"cost" is no rule: .* error, result-changed, invalid-output, tool-gone/,
    );
  });

  it('that counts something takes no percentage', () => {
    unknown('error > +5%');
    assert.equal(parseRule('error > +5').more, 5);
  });
});

describe('a rule on an amount', () => {
  it('breaks above its threshold, not at it', () => {
    assert.deepEqual(verdicts(['tokens > +5%', 'tokens > +4.9%', 'tokens > +50', 'tokens > +49', 'tokens']), [
      ['holds', '1000 → 1050'],
      ['broken', '1000 → 1050'],
      ['holds', '1000 → 1050'],
      ['broken', '1000 → 1050'],
      ['broken', '1000 → 1050'],
    ]);
  });

  it('holds where it shrank, and breaks from nothing', () => {
    const totals = {
      tokens: { before: 9, after: 3 },
      content_bytes: NONE,
      structured_bytes: { before: 0, after: 1 },
      wire_bytes: { before: 170, after: 248 },
    };
    assert.deepEqual(verdicts(['tokens', 'bytes > +500%', 'wire-bytes > +10%'], { totals }), [
      ['holds', '9 → 3'],
      ['broken', '0 → 1'],
      ['broken', '170 → 248'],
    ]);
  });

  it('of catalogs looks at each of them', () => {
    const listing = (names: string[]) => ({
      ...{ server: 's', instructions: null },
      tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })),
    });
    const catalogs = [listing(['a']), listing(['a', 'b'])].map((after) =>
      compareCatalog('t', null, listing(['a']), after, () => 10),
    );
    assert.deepEqual(verdicts(['catalog-tokens > +9', 'catalog-tokens > +10'], { catalogs }), [
      ['broken', '10 → 20'],
      ['holds', '10 → 10'],
    ]);
  });
});

describe('a rule on what happened', () => {
  it('counts it', () => {
    const calls = [
      call({ outcome: 'fails_now' }),
      call({ outcome: 'changed', schema_verdict: { before: 'valid', after: 'missing' } }),
      call(),
    ];
    const evidence = [{ trial: 't', kept: [], lost: ['T1', 'T2'], unseen: [] }];
    const rules = [
      'error',
      'error > +1',
      'result-changed',
      'invalid-output',
      'evidence-lost > +1',
      'tool-gone',
    ];
    assert.deepEqual(verdicts(rules, { calls, evidence }), [
      ['broken', '1'],
      ['holds', '1'],
      ['broken', '2'],
      ['broken', '1'],
      ['broken', '2'],
      ['holds', 'nothing to compare'],
    ]);
  });

  it('tells a schema from a description', () => {
    const before = {
      server: 's',
      instructions: null,
      tools: [{ name: 'a', description: 'D', inputSchema: {} }],
    };
    const described = { ...before, tools: [{ name: 'a', description: 'E', inputSchema: {} }] };
    const catalogs = [compareCatalog('t', null, before, described, () => 1)];
    assert.deepEqual(verdicts(['schema-changed', 'description-changed', 'tool-gone'], { catalogs }), [
      ['holds', '0'],
      ['broken', '1'],
      ['holds', '0'],
    ]);
  });
});

describe('a rule on a rerun that was not finished', () => {
  it('is undecided unless what happened has broken it already', () => {
    const calls = [call({ outcome: 'fails_now' })];
    assert.deepEqual(verdicts(['error', 'tool-gone', 'tokens', 'bytes'], { calls, finished: false }), [
      ['broken', '1'],
      ['undecided', 'nothing to compare'],
      ['undecided', '1000 → 1050'],
      ['undecided', '0 → 0'],
    ]);
  });
});
