/** Specification: a result in each format. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatResult } from './format.js';
import type { SqlResult } from './query.js';

const TWO: SqlResult = {
  columns: [
    { name: 'task', type: 'VARCHAR' },
    { name: 'tokens', type: 'HUGEINT' },
    { name: 'share', type: 'DOUBLE' },
  ],
  rows: [
    ['lookup', 12345678901234567890n, 0.5],
    ['a,"b"', null, Number.NaN],
  ],
};
const NONE: SqlResult = { columns: TWO.columns, rows: [] };
const oneColumn = (type: string, ...values: unknown[]): SqlResult => ({
  columns: [{ name: 'a', type }],
  rows: values.map((value) => [value]),
});

describe('table', () => {
  it('has numbers to the right, whole, and NULL by its name', () => {
    assert.equal(
      formatResult(TWO, 'table'),
      'task                  tokens  share\nlookup  12345678901234567890    0.5\na,"b"                   NULL    NaN\n',
    );
  });
  it('without rows is a line of names', () => {
    assert.equal(formatResult(NONE, 'table'), 'task  tokens  share\n');
  });
  it('cuts long text to the width, never a number', () => {
    const result = { ...TWO, rows: [['a task with a long name', 12345678901234567890n, 0.5]] };
    assert.equal(
      formatResult(result, 'table', 44),
      'task                           tokens  share\na task with a …  12345678901234567890    0.5\n',
    );
  });
  it('shows one field a line where the columns do not fit', () => {
    const result = {
      ...TWO,
      rows: [['a task with a long name', 12345678901234567890n, 0.5], ...TWO.rows.slice(1)],
    };
    assert.equal(
      formatResult(result, 'table', 24),
      'task    a task with a l…\ntokens  12345678901234567890\nshare   0.5\n\ntask    a,"b"\ntokens  NULL\nshare   NaN\n',
    );
  });
  it('shows control characters as escapes, so that a cell is one line and moves no cursor', () => {
    assert.equal(
      formatResult(oneColumn('VARCHAR', 'x\ny\u001b[2J\u2028'), 'table'),
      'a\nx\\ny\\u001b[2J\\u2028\n',
    );
  });
  it('knows that some characters are two columns wide', () => {
    const result: SqlResult = { columns: [...TWO.columns.slice(0, 2)], rows: [['記録', 1n]] };
    assert.equal(formatResult(result, 'table', 80), 'task  tokens\n記録       1\n');
  });
  it('takes more rows than a function takes arguments', () => {
    const many = oneColumn('BIGINT', ...Array.from({ length: 1000 }, () => 1n));
    const rows = Array.from({ length: 200 }, () => many.rows).flat();
    assert.equal(formatResult({ ...many, rows }, 'table', 80).length, 400_002);
  });
});

describe('json', () => {
  it('is an array of objects with integers digit by digit', () => {
    assert.equal(
      formatResult(TWO, 'json'),
      '[\n  {"task":"lookup","tokens":12345678901234567890,"share":0.5},\n  {"task":"a,\\"b\\"","tokens":null,"share":"NaN"}\n]\n',
    );
  });
  it('without rows is an empty array', () => {
    assert.equal(formatResult(NONE, 'json'), '[]\n');
  });
  it('gives a repeated name a number that no other column has', () => {
    const columns = ['a', 'a', 'a_1', 'a'].map((name) => ({ name, type: 'INTEGER' }));
    assert.equal(
      formatResult({ columns, rows: [[1, 2, 3, 4]] }, 'jsonl'),
      '{"a":1,"a_2":2,"a_1":3,"a_3":4}\n',
    );
  });
  it('has a JSON column as it was written, on one line', () => {
    const result = oneColumn('JSON', '{"n": 12345678901234567890,\n "m": 1.0}');
    assert.equal(formatResult(result, 'jsonl'), '{"a":{"n": 12345678901234567890,  "m": 1.0}}\n');
  });
  it('has what only DuckDB takes for JSON as a text', () => {
    assert.equal(formatResult(oneColumn('JSON', '[1,]'), 'jsonl'), '{"a":"[1,]"}\n');
  });
  it('has decimals as numbers, digit by digit', () => {
    assert.equal(formatResult(oneColumn('DECIMAL(18,3)', '-0.500'), 'jsonl'), '{"a":-0.500}\n');
  });
  it('has nested integers digit by digit too', () => {
    const result = oneColumn('STRUCT("b" HUGEINT[])', { b: [12345678901234567890n, null] });
    assert.equal(formatResult(result, 'jsonl'), '{"a":{"b":[12345678901234567890,null]}}\n');
  });
  it('as jsonl is an object a line, and nothing without rows', () => {
    assert.equal(formatResult(oneColumn('VARCHAR', 'x\ny', ''), 'jsonl'), '{"a":"x\\ny"}\n{"a":""}\n');
    assert.equal(formatResult(NONE, 'jsonl'), '');
  });
});

describe('csv', () => {
  it('is RFC 4180, with NULL empty and an empty text quoted', () => {
    const result = oneColumn('VARCHAR', 'x', 'a,"b"', 'two\nlines', '', null, [1n, 'y']);
    assert.equal(
      formatResult(result, 'csv'),
      'a\r\nx\r\n"a,""b"""\r\n"two\nlines"\r\n""\r\n\r\n"[1,""y""]"\r\n',
    );
  });
  it('without rows is the header', () => {
    assert.equal(formatResult(NONE, 'csv'), 'task,tokens,share\r\n');
  });
});

describe('markdown', () => {
  it('is a table with numbers to the right', () => {
    assert.equal(
      formatResult(TWO, 'markdown'),
      '| task   |               tokens | share |\n' +
        '| :----- | -------------------: | ----: |\n' +
        '| lookup | 12345678901234567890 |   0.5 |\n' +
        '| a,"b"  |                 NULL |   NaN |\n',
    );
  });
  it('keeps a cell a cell', () => {
    assert.equal(
      formatResult(oneColumn('VARCHAR', 'x|y\n<b>'), 'markdown').split('\n')[2],
      '| x\\|y\\\\n&lt;b> |',
    );
  });
});
