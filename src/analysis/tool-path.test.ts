/** Tool-path rules: which calls a kind of task requires, and under which controls. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BodyOf } from '../events/event.js';
import type { Control } from '../study/controls.js';
import type { Key } from '../study/key.js';
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
