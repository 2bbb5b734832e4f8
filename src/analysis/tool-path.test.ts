/** Tool paths: those of the kinds of a records study, and any that a key states. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BodyOf } from '../events/event.js';
import type { Control } from '../study/controls.js';
import type { Key } from '../study/key.js';
import { problemOf } from '../study/study-fixture.test.support.js';
import type { ToolPath } from '../study/tool-path.js';
import { receiptWith } from './log-fixture.test.support.js';
import { checkToolPath } from './tool-path.js';

type Call = Partial<BodyOf<'tool_call'>>;

const ALL: Control[] = ['filter', 'count', 'paginate', 'select', 'cache'];
const key = (kind: string | null): Key => ({
  ...{ kind, expectedAnswer: 'Ghent', evidenceIds: ['T01', 'T07'], requiredCaveats: [], detailField: 'city' },
  ...{ aggregateField: null, aggregateValue: null },
});
const verdict = (kind: string | null, calls: Call[], controls: Control[] = ALL) =>
  checkToolPath(receiptWith({}, calls).calls, key(kind), controls).verdict;

const shows = (...ids: unknown[]) => JSON.stringify({ totalMatches: 9, rows: ids.map((id) => ({ id })) });
const find = (change: Call = {}): Call => ({
  tool: 'find_records',
  arguments: { matchField: 'status', matchValue: 'open', fields: ['status'] },
  model_facing_text: shows('T00', 'T01'),
  ...change,
});
const exact = (id: unknown, change: Call = {}): Call => ({
  tool: 'exact_record',
  arguments: { id },
  ...change,
});
const count: Call = { tool: 'count_by_field', arguments: { field: 'status', value: 'open' } };

describe('the tool path of a lookup', () => {
  it('is a brief find that shows an evidence id, then the exact record', () => {
    assert.equal(verdict('lookup', [find(), exact('T01')]), 'pass');
  });
  it('may fetch any evidence id, not only the one that was shown', () => {
    assert.equal(verdict('lookup', [find(), exact('T07')]), 'pass');
  });
  it('may have other calls before, between and after', () => {
    assert.equal(
      verdict('lookup', [count, exact('T00'), find(), exact('T09'), count, exact('T01'), count]),
      'pass',
    );
  });
  it('fails without a find', () => {
    assert.equal(verdict('lookup', [exact('T01')]), 'fail');
    assert.equal(verdict('lookup', []), 'fail');
  });
  it('fails without an exact record of an evidence id', () => {
    assert.equal(verdict('lookup', [find()]), 'fail');
    assert.equal(verdict('lookup', [find(), exact('T00')]), 'fail');
    assert.equal(verdict('lookup', [find(), exact(['T01'])]), 'fail');
    assert.equal(verdict('lookup', [find(), { tool: 'exact_record', arguments: null }]), 'fail');
  });
  it('fails in the wrong order', () => {
    assert.equal(verdict('lookup', [exact('T01'), find()]), 'fail');
  });
  it('fails where the find matches on the detail', () => {
    const detail = find({ arguments: { matchField: 'city', matchValue: 'Ghent', fields: ['status'] } });
    assert.equal(verdict('lookup', [detail, exact('T01')]), 'fail');
  });
  it('fails where the find asks for the detail', () => {
    const detail = find({
      arguments: { matchField: 'status', matchValue: 'open', fields: ['status', 'city'] },
    });
    assert.equal(verdict('lookup', [detail, exact('T01')]), 'fail');
  });
  it('passes where a brief find follows one for the detail, and the exact record follows both', () => {
    const detail = find({ arguments: { matchField: 'city', matchValue: 'Ghent', fields: [] } });
    assert.equal(verdict('lookup', [detail, find(), exact('T01')]), 'pass');
    assert.equal(verdict('lookup', [detail, exact('T01'), find()]), 'fail');
  });
  it('fails where the find shows no evidence id', () => {
    assert.equal(verdict('lookup', [find({ model_facing_text: shows('T00', 'T02') }), exact('T01')]), 'fail');
    assert.equal(verdict('lookup', [find({ model_facing_text: shows() }), exact('T01')]), 'fail');
  });
  it('does not count a find that was answered with an error', () => {
    assert.equal(verdict('lookup', [find({ is_error: true }), exact('T01')]), 'fail');
  });
  it('does not count a find whose text is not JSON, or has no rows', () => {
    assert.equal(verdict('lookup', [find({ model_facing_text: 'T01' }), exact('T01')]), 'fail');
    assert.equal(verdict('lookup', [find({ model_facing_text: '{"rows":"T01"}' }), exact('T01')]), 'fail');
    assert.equal(verdict('lookup', [find({ model_facing_text: 'null' }), exact('T01')]), 'fail');
  });
  it('counts the row of an evidence id beside rows that have no id', () => {
    const text = JSON.stringify({ rows: [null, { id: 7 }, { id: 'T01' }] });
    assert.equal(verdict('lookup', [find({ model_facing_text: text }), exact('T01')]), 'pass');
  });
  it('is not required without the filter, which alone offers find_records', () => {
    assert.equal(verdict('lookup', [], ['count', 'paginate', 'select', 'cache']), 'not_required');
    assert.equal(verdict('lookup', [], ['filter']), 'fail');
  });
});

describe('the tool path of an aggregate', () => {
  it('is a call of count_by_field', () => {
    assert.equal(verdict('aggregate', [count]), 'pass');
    assert.equal(verdict('aggregate', [find(), exact('T01')]), 'fail');
  });
  it('is not required without the count', () => {
    assert.equal(verdict('aggregate', [], ['filter', 'paginate', 'select', 'cache']), 'not_required');
    assert.equal(verdict('aggregate', [], ['count']), 'fail');
  });
});

describe('the tool path of a later page', () => {
  const next = (cursor: unknown) =>
    find({ arguments: { matchField: 'a', matchValue: 'b', fields: [], cursor } });

  it('is a find with a cursor', () => {
    assert.equal(verdict('later_page', [find(), next('abc')]), 'pass');
  });
  it('fails where no find has one, or only an empty one', () => {
    assert.equal(verdict('later_page', [find(), find()]), 'fail');
    assert.equal(verdict('later_page', [next('')]), 'fail');
    assert.equal(verdict('later_page', [next(null)]), 'fail');
  });
  it('fails where another tool has the cursor', () => {
    assert.equal(verdict('later_page', [{ ...count, arguments: { cursor: 'abc' } }]), 'fail');
  });
  it('is not required where nothing is paginated, or there is no find', () => {
    assert.equal(verdict('later_page', [], ['filter', 'count', 'select', 'cache']), 'not_required');
    assert.equal(verdict('later_page', [], ['count', 'paginate', 'select', 'cache']), 'not_required');
    assert.equal(verdict('later_page', [], ['filter', 'paginate']), 'fail');
  });
});

describe('any other task', () => {
  it('has no required path, whatever its kind is called', () => {
    assert.equal(verdict('essay', []), 'not_required');
    assert.equal(verdict('constructor', []), 'not_required');
    assert.equal(verdict(null, []), 'not_required');
  });
  it('has none in the baseline', () => {
    assert.equal(verdict('lookup', [], []), 'not_required');
    assert.equal(verdict('aggregate', [], []), 'not_required');
    assert.equal(verdict('later_page', [], []), 'not_required');
  });
  it('is not bound by the controls select and cache', () => {
    assert.equal(verdict('lookup', [], ['select', 'cache']), 'not_required');
  });
});

describe('a tool path that a key states', () => {
  const checked = (toolPath: ToolPath, calls: Call[], controls: Control[] = [], kind: string | null = null) =>
    checkToolPath(receiptWith({}, calls).calls, { ...key(kind), toolPath }, controls);
  const said = (toolPath: ToolPath, ...calls: Call[]) => checked(toolPath, calls).verdict;
  const search: Call = { tool: 'search', arguments: { q: 'tide' }, model_facing_text: '{"hits":["a.md"]}' };
  const read: Call = { tool: 'read', arguments: { path: '/x/a.md' }, model_facing_text: '# Tide\nowner: me' };

  it('is a list of steps in their order, with any calls between them', () => {
    const path = { steps: [{ tool: 'search' }, { tool: 'read' }] };
    assert.equal(said(path, search, read), 'pass');
    assert.equal(said(path, count, search, count, read, count), 'pass');
    assert.equal(said(path, read, search), 'fail');
    assert.equal(said(path, read, search, read), 'pass');
    assert.equal(said(path, search), 'fail');
    assert.equal(said(path), 'fail');
  });

  it('needs a call for each step', () => {
    const path = { steps: [{ tool: 'read' }, { tool: 'read' }] };
    assert.equal(said(path, read), 'fail');
    assert.equal(said(path, read, read), 'pass');
  });

  it('is not met by a call that was answered with an error', () => {
    const path = { steps: [{ tool: 'read' }] };
    assert.equal(said(path, { ...read, is_error: true }), 'fail');
    assert.equal(said(path, { ...read, is_error: true }, read), 'pass');
  });

  it('may name several tools of which one will do', () => {
    const path = { steps: [{ tool: ['search', 'list'] }, { tool: 'read' }] };
    assert.equal(said(path, { ...search, tool: 'list' }, read), 'pass');
    assert.equal(said(path, { ...search, tool: 'tree' }, read), 'fail');
  });

  it('may say what the arguments must be', () => {
    const path = (schema: object) => ({ steps: [{ tool: 'read', arguments: { ...schema } }] });
    const needs = { type: 'object', required: ['path'], properties: { path: { pattern: 'a\\.md$' } } };
    assert.equal(said(path(needs), read), 'pass');
    assert.equal(said(path(needs), { ...read, arguments: { path: '/x/b.md' } }), 'fail');
    assert.equal(said(path(needs), { ...read, arguments: {} }), 'fail');
    assert.equal(said(path(needs), { ...read, arguments: null }), 'fail');
    assert.equal(said(path({ required: ['constructor'] }), read), 'fail');
  });

  it('may say what the result must be, where it is JSON', () => {
    const hits = {
      type: 'object',
      properties: { hits: { contains: { const: 'a.md' } } },
      required: ['hits'],
    };
    const path = { steps: [{ tool: 'search', result: hits }] };
    assert.equal(said(path, search), 'pass');
    assert.equal(said(path, { ...search, model_facing_text: '{"hits":[]}' }), 'fail');
    assert.equal(said(path, { ...search, model_facing_text: 'a.md' }), 'fail');
    assert.equal(
      said(
        { steps: [{ tool: 'search', result: { type: 'null' } }] },
        { ...search, model_facing_text: 'null' },
      ),
      'pass',
    );
  });

  it('may say what the result must be, where it is a text', () => {
    const path = { steps: [{ tool: 'read', result: { type: 'string', pattern: '\\nowner: ' } }] };
    assert.equal(said(path, read), 'pass');
    assert.equal(said(path, { ...read, model_facing_text: '# Tide' }), 'fail');
    assert.equal(said(path, { ...read, model_facing_text: '7' }), 'fail');
  });

  it('is met by the first call that can, so that the next step has all the others', () => {
    const path = { steps: [{ tool: 'read' }, { tool: 'read', result: { pattern: 'owner' } }] };
    assert.equal(said(path, search, read, read), 'pass');
    assert.equal(said(path, read, { ...read, model_facing_text: 'x' }), 'fail');
  });

  it('may forbid tools, however they answer', () => {
    const path = { steps: [{ tool: 'read' }], forbidden: ['write', 'move'] };
    assert.equal(said(path, read, search), 'pass');
    assert.equal(said(path, read, { tool: 'move' }), 'fail');
    assert.equal(said(path, { tool: 'write', is_error: true }, read), 'fail');
    assert.equal(said({ steps: [], forbidden: ['write'] }), 'pass');
  });

  it('is in force where all of its controls are on', () => {
    const path: ToolPath = { steps: [{ tool: 'read' }], controls: ['filter', 'count'] };
    assert.equal(checked(path, [], ['filter']).verdict, 'not_required');
    assert.equal(checked(path, [], ['count', 'cache', 'filter']).verdict, 'fail');
    assert.equal(checked(path, [read], ['filter', 'count']).verdict, 'pass');
  });

  it('replaces the one of the kind of its task', () => {
    assert.equal(checked({ steps: [{ tool: 'read' }] }, [read], ALL, 'aggregate').verdict, 'pass');
    assert.equal(checked({ steps: [{ tool: 'read' }] }, [count], ALL, 'aggregate').verdict, 'fail');
    assert.equal(checked({ steps: [] }, [], ALL, 'aggregate').verdict, 'not_required');
  });

  it('is told in its own words, or by its tools', () => {
    const steps = [{ tool: ['search', 'list'] }, { tool: 'read', result: { pattern: 'x' } }];
    assert.equal(checked({ steps, words: 'a reading' }, []).words, 'a reading');
    assert.equal(checked({ steps }, []).words, 'search or list, then read as the key says');
    assert.equal(
      checked({ steps, forbidden: ['write', 'move'] }, []).words,
      'search or list, then read as the key says, and no call of write, move',
    );
    assert.equal(checked({ steps: [], forbidden: ['write'] }, []).words, 'no call of write');
  });

  it('ends grading with a reason where its schema does not come to an end', () => {
    const path = { steps: [{ tool: 'read', result: { pattern: '^(a+)+$' } }] };
    assert.equal(
      problemOf(() => said(path, { ...read, model_facing_text: `${'a'.repeat(60)}!` })),
      'KEY_TOO_COSTLY: step 1 of the tool path: its `result`, on the call of read in event 1, takes over 2000 ms: ' +
        'give the task a simpler schema, in a file for --keys',
    );
  });
});
