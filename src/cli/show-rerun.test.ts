/** Specification: a rerun as a person reads it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CallComparison } from '../host/rerun/compare-calls.js';
import type { FinishedRerun } from '../host/rerun/rerun.js';
import { showRerun } from './show-rerun.js';

const same = (value: number) => ({ before: value, after: value });

const CALL: CallComparison = {
  ...{
    trial: 't/only',
    tool: 'find',
    arguments: { q: 'a' },
    events: same(4),
    outcome: 'same',
    difference: null,
  },
  ...{
    schema_verdict: { before: 'valid', after: 'valid' },
    wire_bytes: same(1200),
    content_bytes: same(900),
  },
  ...{ structured_bytes: same(0), tokens: same(300), counted: true },
};

const RESULT: FinishedRerun = {
  ...{ recorded_run: 'run-a', run: 'run-b', log: 'runs/run-b/events.jsonl', signal: null, finished: true },
  calls: [CALL],
  totals: {
    ...{ calls: 1, same: 1, changed: 0, fails_now: 0, works_now: 0, invalid_output: 0, counted: 1 },
    ...{ wire_bytes: same(1200), content_bytes: same(900), structured_bytes: same(0), tokens: same(300) },
  },
  ...{ catalogs: [], evidence: [], left_out: [], unfinished: [], rules: [] },
};

const shown = (change: Partial<FinishedRerun> = {}) => showRerun({ ...RESULT, ...change });

describe('a rerun for people', () => {
  it('is a table of calls, totals, and where the log is', () => {
    assert.equal(
      shown(),
      `run run-a, rerun as run-b

#  trial   tool  result  output schema  wire bytes  content  structured  ~tokens
1  t/only  find  same    valid               1,200      900           0      300

1 call: 1 same, 0 changed, 0 fail now, 0 work now
total of all: wire bytes 1,200; content 900; structured 0; ~tokens 300

~ tokens are estimates by a local tokenizer, not provider figures.
log: runs/run-b/events.jsonl`,
    );
  });

  it('says of a changed call what it was asked, the first difference, and what it costs now', () => {
    const changed: CallComparison = {
      ...{ ...CALL, outcome: 'changed', difference: 'rows[0]: "a\n" → "b"' },
      ...{ wire_bytes: { before: 1200, after: 1260 }, schema_verdict: { before: 'valid', after: 'missing' } },
    };
    const totals = {
      ...RESULT.totals,
      same: 0,
      changed: 1,
      invalid_output: 1,
      wire_bytes: changed.wire_bytes,
    };
    const text = shown({ calls: [changed], totals });
    assert.match(text, /^1 {2}t\/only {2}find {2}changed {2}valid → missing {2}1,200 → 1,260 /m);
    assert.match(text, /^ {2}#1 find \{"q":"a"\}: rows\[0\]: "a\\n" → "b"$/m);
    assert.match(text, /^1 call: 0 same, 1 changed, 0 fail now, 0 work now, 1 against their output schema$/m);
    assert.match(text, /^total of all: wire bytes 1,200 → 1,260 \(\+60, \+5\.0%\); /m);
  });

  it('says which calls no total counts', () => {
    const totals = { ...RESULT.totals, calls: 2, fails_now: 1 };
    assert.match(shown({ totals }), /^total of 1 \(left out: 1 that failed before or now\): /m);
  });

  it('says what changed in the catalog', () => {
    const catalog = {
      ...{ trials: ['t/1', 't/2'], server: { before: 'a 1, protocol p', after: 'a 2, protocol p' } },
      ...{ instructions_changed: true, gone: ['old'], added: ['new', 'newer'], reordered: true },
      changed: [{ tool: 'find', aspect: 'input_schema' as const, difference: 'type: 1 → 2' }],
      ...{ bytes: { before: 100, after: 90 }, tokens: { before: 0, after: 10 } },
    };
    const lines = [
      'catalog: bytes 100 → 90 (-10, -10.0%); ~tokens 0 → 10 (+10)',
      '  server a 1, protocol p → a 2, protocol p',
      '  instructions changed',
      '  GONE: old',
      '  new: new, newer',
      '  find: input schema changed: type: 1 → 2',
      '  the tools stand in another order',
    ];
    assert.ok(shown({ catalogs: [catalog] }).includes(lines.join('\n')));
    assert.match(shown({ catalogs: [catalog, catalog] }), /^catalog of t\/1 and 1 more: /m);
  });

  it('says what became of evidence, rules, and what was left out or not finished', () => {
    const text = shown({
      evidence: [{ trial: 't', kept: ['T1'], lost: ['T2'], unseen: ['T9'] }],
      rules: [
        { rule: 'error', verdict: 'broken', found: '1' },
        { rule: 'tokens > +5%', verdict: 'undecided', found: '1 → 2' },
      ],
      left_out: [
        { trial: 't', call: { event: 7, tool: 'hidden' }, reason: 'it was never sent: UNADVERTISED_TOOL' },
        { trial: 'u', call: null, reason: 'no server ever answered in it' },
      ],
      unfinished: [
        { trial: 't', begun: true, failure: 'SERVER_EXITED', message: 'SERVER_EXITED: node: gone', calls: 2 },
        { trial: 'u', begun: true, failure: null, message: null, calls: 1 },
        { trial: 'v', begun: false, failure: 'PRIOR_FAILURE', message: 'an earlier trial failed', calls: 1 },
      ],
    });
    const lines = [
      'evidence of t: 1 still there; LOST: T2; in no recorded result: T9',
      'left out: t, hidden (seq 7): it was never sent: UNADVERTISED_TOOL',
      'left out: u: no server ever answered in it',
      'NOT FINISHED: t: SERVER_EXITED: node: gone; 2 calls not made',
      'NOT FINISHED: u: interrupted; 1 call not made',
      'NOT BEGUN: 1 more trial',
      'rule error: BROKEN (1)',
      'rule tokens > +5%: undecided (1 → 2)',
    ];
    assert.deepEqual(
      lines.filter((line) => !text.split('\n').includes(line)),
      [],
    );
  });
});
