/** What the tools answer, control by control. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CONTROLS, type Control } from '../../study/controls.js';
import type { Row } from '../../study/row.js';
import type { Source, SourceChange } from './source.js';
import { type Answer, type FindArguments, RecordsTools } from './tools.js';

const ALL_BUT = (control: Control) => CONTROLS.filter((each) => each !== control);

/** Tools over these rows, which are taken to be in order; `state` changes the clock and the source. */
function toolsOver(rows: Row[], allowed: string[], controls: readonly Control[] = CONTROLS) {
  const state: { now: number; change: SourceChange | undefined } = { now: 0, change: undefined };
  const hash = '0123456789abcdef'.repeat(4);
  const source: Source = {
    snapshot: { rows, hash, revision: hash.slice(0, 16), fields: [] },
    allowed,
    rowById: new Map(rows.map((row) => [row.id, row])),
    changed: () => state.change,
  };
  return { state, tools: new RecordsTools(source, controls, () => state.now) };
}

/** Seven records, T1 to T7, all of them open and only the last with an owner. */
const SEVEN: Row[] = [1, 2, 3, 4, 5, 6].map(
  (number): Row => ({ id: `T${number}`, revision: 'r1', status: 'open' }),
);
SEVEN.push({ revision: 'r2', status: 'open', id: 'T7', owner: 'Ada' });
const ALLOWED = ['id', 'revision', 'status', 'owner'];
const OPEN = { matchField: 'status', matchValue: 'open', fields: [] };

/** A key of an answer that is a result. */
function get(answer: Answer, key: string): unknown {
  return typeof answer === 'string' ? answer : answer[key];
}

/** The rows of all pages from this call on. */
function walk(tools: RecordsTools, call: FindArguments): unknown[] {
  const page = tools.find(call);
  const rows = [get(page, 'rows')].flat();
  return get(page, 'nextCursor') === null
    ? rows
    : [...rows, ...walk(tools, { ...call, cursor: cursorOf(page) })];
}

function cursorOf(answer: Answer): string {
  return String(get(answer, 'nextCursor'));
}

describe('exact_record', () => {
  it('shows every allowed field in the order of the allow-list, null where the record has none', () => {
    const { tools } = toolsOver(SEVEN, ['owner', 'status', 'revision', 'id']);
    assert.equal(
      JSON.stringify(tools.exact({ id: 'T1' })),
      '{"sourceHash":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","sourceRevision":"0123456789abcdef",' +
        '"found":true,"row":{"owner":null,"status":"open","revision":"r1","id":"T1"}}',
    );
  });

  it('shows a field once that the allow-list names twice', () => {
    const { tools } = toolsOver(SEVEN, ['id', 'revision', 'id']);
    assert.equal(JSON.stringify(get(tools.exact({ id: 'T1' }), 'row')), '{"id":"T1","revision":"r1"}');
  });

  it('says that there is no such record', () => {
    const { tools } = toolsOver(SEVEN, ALLOWED);
    const answer = tools.exact({ id: 't1' });
    assert.deepEqual([get(answer, 'found'), get(answer, 'row')], [false, null]);
  });

  it('never reads the prototype of a record', () => {
    const { tools } = toolsOver(SEVEN, ['id', 'constructor', 'toString']);
    assert.deepEqual(get(tools.exact({ id: 'T2' }), 'row'), { id: 'T2', constructor: null, toString: null });
  });
});

describe('list_records', () => {
  it('shows all records with all allowed fields', () => {
    const { tools } = toolsOver(SEVEN.slice(5), ['revision', 'id', 'owner']);
    assert.equal(
      JSON.stringify(tools.list()),
      '{"sourceHash":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","sourceRevision":"0123456789abcdef",' +
        '"total":2,"rows":[{"revision":"r1","id":"T6","owner":null},{"revision":"r2","id":"T7","owner":"Ada"}]}',
    );
  });
});

describe('find_records', () => {
  it('shows id, revision, the matched field and the chosen ones, each once', () => {
    const { tools } = toolsOver(SEVEN, ALLOWED);
    const answer = tools.find({
      matchField: 'owner',
      matchValue: 'Ada',
      fields: ['status', 'id', 'status', 'owner'],
    });
    assert.equal(
      JSON.stringify(answer),
      '{"sourceHash":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","sourceRevision":"0123456789abcdef",' +
        '"totalMatches":1,"rows":[{"id":"T7","revision":"r2","owner":"Ada","status":"open"}],' +
        '"moreAvailable":false,"nextCursor":null,"cache":"miss"}',
    );
  });

  it('comes in pages of five', () => {
    const { tools } = toolsOver(SEVEN, ALLOWED);
    const first = tools.find(OPEN);
    const second = tools.find({ ...OPEN, cursor: cursorOf(first) });
    assert.deepEqual(
      [
        get(first, 'moreAvailable'),
        get(second, 'totalMatches'),
        get(second, 'moreAvailable'),
        get(second, 'nextCursor'),
      ],
      [true, 7, false, null],
    );
    assert.deepEqual(get(second, 'rows'), [
      { id: 'T6', revision: 'r1', status: 'open' },
      { id: 'T7', revision: 'r2', status: 'open' },
    ]);
  });

  it('visits every match exactly once, in order, on the way through the pages', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'a', 'b'), { maxLength: 60 }), (kinds) => {
        const rows = kinds.map((kind, at): Row => ({ id: `T${at}`, revision: 'r', kind }));
        const { tools } = toolsOver(rows, ['id', 'revision', 'kind']);
        const visited = walk(tools, { matchField: 'kind', matchValue: 'a', fields: [] });
        assert.deepEqual(
          visited,
          rows.filter((row) => row.kind === 'a'),
        );
      }),
    );
  });

  it('refuses a field that is not allowed, to match or to show', () => {
    const { tools } = toolsOver(SEVEN, ['id', 'revision', 'status']);
    assert.equal(tools.find({ matchField: 'owner', matchValue: 'Ada', fields: [] }), 'INVALID_FIELD');
    assert.equal(tools.find({ ...OPEN, fields: ['owner'] }), 'INVALID_FIELD');
  });

  it('refuses a cursor of the same search with other fields', () => {
    const { tools } = toolsOver(SEVEN, ALLOWED);
    const cursor = cursorOf(tools.find(OPEN));
    assert.equal(tools.find({ ...OPEN, fields: ['owner'], cursor }), 'CURSOR_QUERY_MISMATCH');
  });

  it('matches no record through its prototype', () => {
    const { tools } = toolsOver(SEVEN, ['id', 'revision', 'constructor']);
    assert.equal(
      get(tools.find({ matchField: 'constructor', matchValue: '', fields: [] }), 'totalMatches'),
      0,
    );
  });

  it('without paginate shows all matches at once', () => {
    const { tools } = toolsOver(SEVEN, ALLOWED, ALL_BUT('paginate'));
    const answer = tools.find(OPEN);
    assert.deepEqual(
      [get(answer, 'moreAvailable'), get(answer, 'nextCursor'), get(answer, 'cache')],
      [false, null, 'miss'],
    );
    assert.deepEqual(
      get(answer, 'rows'),
      SEVEN.map(({ id, revision, status }) => ({ id, revision, status })),
    );
  });
});

describe('count_by_field', () => {
  it('counts all matches and names the first five', () => {
    const { tools } = toolsOver(SEVEN, ALLOWED);
    const answer = tools.count({ field: 'status', value: 'open' });
    assert.equal(
      JSON.stringify(answer).replace(cursorOf(answer), '…'),
      '{"sourceHash":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","sourceRevision":"0123456789abcdef",' +
        '"definition":{"field":"status","value":"open"},"count":7,"auditIds":["T1","T2","T3","T4","T5"],' +
        '"moreAvailable":true,"nextCursor":"…","cache":"miss"}',
    );
  });

  it('names the others on the next page', () => {
    const { tools } = toolsOver(SEVEN, ALLOWED);
    const cursor = cursorOf(tools.count({ field: 'status', value: 'open' }));
    assert.deepEqual(get(tools.count({ field: 'status', value: 'open', cursor }), 'auditIds'), ['T6', 'T7']);
  });

  it('refuses a cursor of a search, even for the same matches', () => {
    const { tools } = toolsOver(SEVEN, ALLOWED);
    const cursor = cursorOf(tools.find(OPEN));
    assert.equal(tools.count({ field: 'status', value: 'open', cursor }), 'CURSOR_QUERY_MISMATCH');
  });

  it('refuses a field that is not allowed', () => {
    const { tools } = toolsOver(SEVEN, ALLOWED);
    assert.equal(tools.count({ field: 'secret', value: '' }), 'INVALID_FIELD');
  });

  it('without paginate names all of them', () => {
    const { tools } = toolsOver(SEVEN, ALLOWED, ALL_BUT('paginate'));
    const answer = tools.count({ field: 'status', value: 'open' });
    assert.deepEqual(get(answer, 'auditIds'), ['T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7']);
    assert.deepEqual([get(answer, 'moreAvailable'), get(answer, 'nextCursor')], [false, null]);
  });
});

describe('the cache', () => {
  it('answers the same call from what it kept, with the same result', () => {
    const { tools } = toolsOver(SEVEN, ALLOWED);
    const [first, second] = [tools.find(OPEN), tools.find(OPEN)];
    assert.equal(JSON.stringify(second), JSON.stringify(first).replace('"cache":"miss"', '"cache":"hit"'));
  });

  it('keeps each query, each choice of fields and each page apart', () => {
    const { tools } = toolsOver(SEVEN, ALLOWED);
    const first = tools.find(OPEN);
    const others = [
      tools.find({ ...OPEN, matchValue: 'closed' }),
      tools.find({ ...OPEN, fields: ['owner'] }),
      tools.find({ ...OPEN, cursor: cursorOf(first) }),
      tools.count({ field: 'status', value: 'open' }),
    ];
    assert.deepEqual(
      others.map((answer) => get(answer, 'cache')),
      ['miss', 'miss', 'miss', 'miss'],
    );
  });

  it('forgets after a minute', () => {
    const { tools, state } = toolsOver(SEVEN, ALLOWED);
    tools.find(OPEN);
    state.now = 60_000;
    assert.equal(get(tools.find(OPEN), 'cache'), 'miss');
  });

  it('is empty after the source changed, even once the source is restored', () => {
    const { tools, state } = toolsOver(SEVEN, ALLOWED);
    tools.find(OPEN);
    state.change = 'ALLOWLIST_CHANGED';
    assert.equal(tools.find(OPEN), 'ALLOWLIST_CHANGED');
    state.change = undefined;
    assert.equal(get(tools.find(OPEN), 'cache'), 'miss');
  });

  it('keeps no refusal', () => {
    const { tools } = toolsOver(SEVEN, ALLOWED);
    assert.deepEqual(
      [tools.find({ ...OPEN, cursor: 'bad' }), tools.find({ ...OPEN, cursor: 'bad' })],
      ['INVALID_CURSOR', 'INVALID_CURSOR'],
    );
  });

  it('is not there without its control, and no result speaks of it', () => {
    const { tools } = toolsOver(SEVEN, ALLOWED, ALL_BUT('cache'));
    const [find, again, count] = [
      tools.find(OPEN),
      tools.find(OPEN),
      tools.count({ field: 'status', value: 'open' }),
    ];
    assert.deepEqual(
      [get(find, 'cache'), get(again, 'cache'), get(count, 'cache')],
      [undefined, undefined, undefined],
    );
  });
});

describe('a source that changed', () => {
  it('is refused by every tool', () => {
    const { tools, state } = toolsOver(SEVEN, ALLOWED);
    state.change = 'SOURCE_CHANGED';
    assert.deepEqual(
      [
        tools.exact({ id: 'T1' }),
        tools.list(),
        tools.find(OPEN),
        tools.count({ field: 'secret', value: '' }),
      ],
      ['SOURCE_CHANGED', 'SOURCE_CHANGED', 'SOURCE_CHANGED', 'SOURCE_CHANGED'],
    );
  });
});
