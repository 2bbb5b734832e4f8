/** An examination on a screen: the worst first, nothing wider than 80 columns, nothing that moves the cursor. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import cellWidth from 'string-width';
import { catalogCost } from '../host/doctor/catalog-cost.js';
import type { Examination } from '../host/doctor/examine.js';
import { type FindingKind, finding, passed, skipped } from '../host/doctor/finding.js';
import { showExamination, showSummary } from './show-doctor.js';

const kind = (code: string, severity: FindingKind['severity']): FindingKind => ({
  ...{
    code,
    severity,
    group: 'launch',
    why: 'it matters because of this and that, at some length',
    fix: 'mend it',
  },
});

const tools = [
  { name: 'search_notes', description: 'Full-text search.', inputSchema: { type: 'object' } },
  { name: 'a_tool_with_a_name_that_is_far_too_long_for_the_table', description: 'x'.repeat(12_345) },
];
const reply = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools } }));

const examination: Examination = {
  ...{ command: 'node server.js', name: 'notes', launches: null, call: null, tokenizer: 't' },
  server: { server_name: 'notes', server_version: '1.0.0', instructions: null, server_capabilities: {} },
  findings: [
    finding(
      kind('first-launch-only', 'fatal'),
      '"loading... " (11 B, no newline) stands before the reply to initialize',
      {},
    ),
    finding(kind('stray-lines', 'warning'), '9 lines: "\u001b[31mred"', {}),
    finding(kind('probe-unanswered', 'note'), 'no answer', {}),
  ],
  passed: [
    passed('end', 'exits 12 ms after stdin ends', {}),
    passed('catalog', '2 tools', {}),
    passed('catalog', 'the same', {}),
  ],
  skipped: [skipped('results', 'no call was tried')],
  counts: { fatal: 1, warning: 1, note: 1 },
  times: [{ era: 'legacy', step: 'initialize', n: 5, median: 383.2, min: 371, max: 1402.7 }],
  catalog: catalogCost([reply], null, 'notes'),
};

const shown = showExamination(examination);
const lines = shown.split('\n');

describe('an examination', () => {
  it('begins with the server and its findings, the worst first, each with why and fix', () => {
    assert.deepEqual(lines.slice(0, 12), [
      'notes 1.0.0: node server.js',
      '',
      'FATAL first-launch-only: "loading... " (11 B, no newline) stands before the',
      '      reply to initialize',
      '  why it matters because of this and that, at some length',
      '  fix mend it',
      '',
      'WARN  stray-lines: 9 lines: "\\u001b[31mred"',
      '  why it matters because of this and that, at some length',
      '  fix mend it',
      '',
      'note  probe-unanswered: no answer',
    ]);
  });

  it('goes on with what is well and what was not looked at, by group', () => {
    assert.deepEqual(
      lines.filter((line) => /^(?:ok|–) /.test(line)),
      [
        'ok    catalog     2 tools; the same',
        '–     results     no call was tried',
        'ok    end         exits 12 ms after stdin ends',
      ],
    );
  });

  it('has times and costs as tables', () => {
    assert.match(shown, /^initialize {2}legacy {2}5 {2}383 ms {2}371 ms – 1,403 ms$/m);
    assert.match(shown, /^search_notes +14 +19 +17 +0 +\d+ +\d+ +\d+$/m);
    assert.match(shown, /^tools\/list +12,\d{3} +[\d,]+$/m);
    assert.match(shown, /^paid if deferred +\d+ +\d+$/m);
  });

  it('ends with the verdict', () => {
    assert.equal(lines.at(-1), '1 fatal, 1 warning, 1 note; docs/doctor.md explains each');
    const well = showExamination({ ...examination, findings: [] });
    assert.equal(well.split('\n').at(-1), 'nothing found');
  });

  it('is never wider than 80 columns', () => {
    assert.deepEqual(
      lines.filter((line) => cellWidth(line) > 80),
      [],
    );
  });

  it('names a server by its configuration, and by its own name where that differs', () => {
    const first = (more: Partial<Examination>) => showExamination({ ...examination, ...more }).split('\n')[0];
    assert.equal(first({ name: 's1' }), 's1 (notes 1.0.0): node server.js');
    assert.equal(first({ name: '', server: null }), 'node server.js');
    assert.equal(first({ name: 's1', server: null }), 's1: node server.js');
  });
});

describe('several examinations', () => {
  it('end with a table of all', () => {
    assert.deepEqual(showSummary([examination, { ...examination, name: 's1' }]).split('\n'), [
      'server  fatal  warnings  notes  command',
      'notes       1         1      1  node server.js',
      's1          1         1      1  node server.js',
    ]);
  });
});
