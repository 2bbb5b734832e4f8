/** Specification: what a query may do, what it returns, and what damage does to it. */
import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { damage, RUN, runOpen, SHORT, trialOpen } from '../../events/events.test.support.js';
import type { Store } from '../../events/store.js';
import { openSession, querySql } from './query.js';
import { addRun, ask, emptyStore, storeOf } from './store.test.support.js';

const OTHER = '20261104T090000000Z-sample-0123456789abcdef';

/** What a user reads where a query is refused. */
async function refusal(test: TestContext, sql: string): Promise<string> {
  return querySql(emptyStore(test), sql).then(
    () => 'it ran',
    (error: Error) => error.message,
  );
}

const NOT_A_SELECT =
  'SQL_NOT_A_SELECT: this is not a SELECT: write one SELECT; `measure sql --schema` shows the tables';
const noFunction = (name: string) =>
  `SQL_ERROR: the table function ${name} may not be used: a query reads the tables of this store and nothing else: see \`measure sql --schema\``;

describe('a query that reads a file is refused', () => {
  it('read_csv', async (test) => {
    assert.equal(await refusal(test, "SELECT * FROM read_csv('/etc/passwd')"), noFunction('read_csv'));
  });
  it('read_text, in a subquery', async (test) => {
    const sql = "SELECT (SELECT content FROM Read_Text('/etc/passwd')) FROM runs";
    assert.equal(await refusal(test, sql), noFunction('read_text'));
  });
  it('read_json, in a WITH', async (test) => {
    assert.equal(
      await refusal(test, "WITH a AS (FROM read_json('/etc/passwd')) FROM a"),
      noFunction('read_json'),
    );
  });
  it('read_blob, quoted and qualified', async (test) => {
    assert.equal(await refusal(test, `FROM main."read_blob"('/etc/passwd')`), noFunction('read_blob'));
  });
  it('glob', async (test) => {
    assert.equal(await refusal(test, "SELECT * FROM glob('/etc/*')"), noFunction('glob'));
  });
  it('a path in place of a table', async (test) => {
    assert.match(
      await refusal(test, "FROM '/etc/passwd'"),
      /^SQL_ERROR: Catalog Error: Table with name \/etc\/passwd does not exist!/,
    );
    assert.match(
      await refusal(test, "FROM '/etc/passwd.csv'"),
      /^SQL_ERROR: Permission Error: Cannot access file "\/etc\/passwd.csv"/,
    );
  });
  it('query, which hides a query in a text', async (test) => {
    assert.equal(await refusal(test, "FROM query('FROM ru' || 'ns')"), noFunction('query'));
  });
  it('a query that was serialized', async (test) => {
    const sql = "FROM json_execute_serialized_sql(json_serialize_sql('FROM runs'))";
    assert.equal(await refusal(test, sql), noFunction('json_execute_serialized_sql'));
  });
  it('getenv, which is not there at all', async (test) => {
    assert.match(
      await refusal(test, "SELECT getenv('HOME')"),
      /^SQL_ERROR: Catalog Error: Scalar Function with name getenv does not exist!/,
    );
  });
});

describe('a statement that is not one SELECT is refused', () => {
  it('COPY', async (test) => {
    assert.equal(await refusal(test, "COPY runs TO 'runs.csv'"), NOT_A_SELECT);
  });
  it('EXPLAIN ANALYZE COPY', async (test) => {
    assert.equal(await refusal(test, "EXPLAIN ANALYZE COPY runs TO 'runs.csv'"), NOT_A_SELECT);
  });
  it('EXPORT and IMPORT DATABASE', async (test) => {
    assert.equal(await refusal(test, "EXPORT DATABASE 'copy'"), NOT_A_SELECT);
    assert.equal(await refusal(test, "IMPORT DATABASE 'copy'"), NOT_A_SELECT);
  });
  it('ATTACH', async (test) => {
    assert.equal(await refusal(test, "ATTACH 'other.db'"), NOT_A_SELECT);
  });
  it('INSTALL and LOAD', async (test) => {
    assert.equal(await refusal(test, 'INSTALL httpfs'), NOT_A_SELECT);
    assert.equal(await refusal(test, "LOAD 'x.duckdb_extension'"), NOT_A_SELECT);
  });
  it('SET, PRAGMA and CALL', async (test) => {
    assert.equal(await refusal(test, 'SET threads = 1'), NOT_A_SELECT);
    assert.equal(await refusal(test, 'PRAGMA database_list'), NOT_A_SELECT);
    assert.equal(await refusal(test, 'CALL pragma_version()'), NOT_A_SELECT);
  });
  it('CREATE, INSERT and DELETE', async (test) => {
    assert.equal(await refusal(test, 'CREATE TABLE mine (a INT)'), NOT_A_SELECT);
    assert.equal(await refusal(test, "INSERT INTO runs (run) VALUES ('x')"), NOT_A_SELECT);
    assert.equal(await refusal(test, 'DELETE FROM runs'), NOT_A_SELECT);
  });
  it('two statements, whatever they are', async (test) => {
    assert.equal(await refusal(test, "SELECT 1; COPY runs TO 'runs.csv'"), NOT_A_SELECT);
    assert.match(await refusal(test, 'SELECT 1; SELECT 2'), /^SQL_NOT_A_SELECT: there are 2 statements: /);
  });
  it('none, and a text with a NUL', async (test) => {
    assert.match(await refusal(test, '-- nothing'), /^SQL_NOT_A_SELECT: there are 0 statements: /);
    assert.match(await refusal(test, 'SELECT 1\0'), /^SQL_NOT_A_SELECT: there is a NUL in the query: /);
  });
  it('a PIVOT that would have to look at the data first', async (test) => {
    const said =
      'SQL_NOT_A_SELECT: this is not a SELECT: name the values of a PIVOT: PIVOT … ON column IN (…)';
    assert.equal(await refusal(test, 'PIVOT trials ON task USING count(*)'), said);
  });
});

describe('a function that changes the engine is refused', () => {
  it('enable_logging', async (test) => {
    assert.equal(
      await refusal(test, "FROM enable_logging(storage = 'stdout')"),
      noFunction('enable_logging'),
    );
  });
  it('enable_profiling', async (test) => {
    const sql = "FROM enable_profiling(save_location = 'profile.txt')";
    assert.equal(await refusal(test, sql), noFunction('enable_profiling'));
  });
});

describe('the engine by itself, were a statement let through', () => {
  const refusedBy = async (sql: string) => {
    const { connection, instance } = await openSession(500e6);
    const outcome = connection.run(sql).then(
      () => 'it ran',
      (error: Error) => error.message.split('\n')[0],
    );
    return outcome.finally(() => instance.closeSync());
  };

  it('reads and writes no file', async () => {
    const denied = 'file system operations are disabled by configuration';
    assert.equal(
      await refusedBy("FROM read_text('/etc/passwd')"),
      `Permission Error: Cannot access file "/etc/passwd" - ${denied}`,
    );
    assert.equal(
      await refusedBy("COPY runs TO '/tmp/measure-sql-refused.csv'"),
      `Permission Error: Cannot access file "/tmp/measure-sql-refused.csv" - ${denied}`,
    );
    assert.equal(existsSync('/tmp/measure-sql-refused.csv'), false);
  });
  it('changes no setting', async () => {
    const said =
      'Invalid Input Error: Cannot change configuration option "enable_external_access" - the configuration has been locked';
    assert.equal(await refusedBy('SET enable_external_access = true'), said);
  });
  it('attaches no database and loads no extension', async () => {
    assert.match(String(await refusedBy("ATTACH '/tmp/measure-sql-refused.db'")), /^Permission Error: /);
    assert.match(String(await refusedBy('INSTALL httpfs')), /^Permission Error: /);
    assert.match(String(await refusedBy('LOAD httpfs')), /^Permission Error: /);
  });
});

describe('a query that is wrong', () => {
  it('is shown with the place, and what may have been meant', async (test) => {
    assert.equal(
      await refusal(test, 'SELECT * FROM rums'),
      'SQL_ERROR: Catalog Error: Table with name rums does not exist! Did you mean "runs"?: see `measure sql --schema`\n' +
        'LINE 1: SELECT * FROM rums\n' +
        '                      ^',
    );
  });
  it('with `at` unquoted, is told to quote it', async (test) => {
    assert.match(
      await refusal(test, 'SELECT at FROM events'),
      /: write the column at as "at" or events.at, and see/,
    );
  });
  it('exits with 2', async (test) => {
    await assert.rejects(querySql(emptyStore(test), 'SELEC 1'), { code: 'SQL_ERROR', exit: 2 });
  });
});

describe('a query that takes too much', () => {
  it('is ended at its deadline', async (test) => {
    const sql =
      'SELECT count(*) FROM range(10000000) a, range(1000000) b WHERE hash(a.range) = hash(b.range + 1)';
    const query = querySql(emptyStore(test), sql, { timeoutMs: 200 });
    await assert.rejects(query, {
      code: 'SQL_TIMEOUT',
      message:
        'SQL_TIMEOUT: the query took longer than 0.2 s and was ended: narrow it, or allow more with --timeout',
    });
  });
  it('is refused where its result has more values than a result may have', async (test) => {
    const said =
      'SQL_TOO_LARGE: the result has 6000000 rows, 6000000 values; at most 5000000 are returned: add a LIMIT, or aggregate';
    assert.equal(await refusal(test, 'FROM range(6000000)'), said);
  });
  it('half-way through its rows, fails whole: no part of a result is taken for all of it', async (test) => {
    const sql = "SELECT CASE WHEN range = 400000 THEN error('stop') END FROM range(500000)";
    assert.equal(
      await refusal(test, sql),
      'SQL_ERROR: Invalid Input Error: stop: see `measure sql --schema`',
    );
  });
});

describe('a result', () => {
  it('has integers of any width, exactly', async (test) => {
    const sql = 'SELECT 12345678901234567890 AS a, sum(9007199254740993::BIGINT) AS b, count(*) AS c, 7 AS d';
    const { columns, rows } = await querySql(emptyStore(test), sql);
    assert.deepEqual(rows, [[12345678901234567890n, 9007199254740993n, 1n, 7]]);
    assert.deepEqual(
      columns.map(({ type }) => type),
      ['HUGEINT', 'HUGEINT', 'BIGINT', 'INTEGER'],
    );
  });
  it('keeps columns that have one name', async (test) => {
    const { columns, rows } = await querySql(emptyStore(test), 'SELECT 1 AS a, 2 AS a');
    assert.deepEqual(columns, [
      { name: 'a', type: 'INTEGER' },
      { name: 'a', type: 'INTEGER' },
    ]);
    assert.deepEqual(rows, [[1, 2]]);
  });
  it('has times in ISO 8601, UTC', async (test) => {
    const sql = `SELECT TIMESTAMPTZ '2026-01-02 03:04:05.678901+02' AS a, TIMESTAMP '2026-01-02 03:04:05' AS b,
      DATE '2026-01-02' AS c, TIMESTAMPTZ '1960-01-01 00:00:00.000001+00' AS d, date_trunc('day', a)::VARCHAR AS e`;
    assert.deepEqual(await ask(emptyStore(test), sql), [
      {
        ...{ a: '2026-01-02T01:04:05.678901Z', b: '2026-01-02T03:04:05.000', c: '2026-01-02' },
        ...{ d: '1960-01-01T00:00:00.000001Z', e: '2026-01-02 00:00:00+00' },
      },
    ]);
  });
  it('has lists, structs and maps as arrays and objects, and decimals digit by digit', async (test) => {
    const sql =
      "SELECT [1, NULL] AS a, {'b': [2::BIGINT]} AS s, MAP {'k': DATE '2026-01-02'} AS m, 1.50 AS d";
    const row = { a: [1, null], s: { b: [2n] }, m: [{ key: 'k', value: '2026-01-02' }], d: '1.50' };
    assert.deepEqual(await ask(emptyStore(test), sql), [row]);
  });
  it('comes from VALUES, FROM, SHOW, DESCRIBE and SUMMARIZE too', async (test) => {
    const store = emptyStore(test);
    assert.deepEqual(await ask(store, 'VALUES (1)'), [{ col0: 1 }]);
    assert.deepEqual(await ask(store, 'FROM runs'), []);
    assert.equal((await ask(store, 'SHOW TABLES')).length, 12);
    assert.equal((await ask(store, 'DESCRIBE grades')).length, 22);
    assert.equal((await ask(store, 'SUMMARIZE grades')).length, 22);
  });
});

describe('runs of a store', () => {
  const twoRuns = (test: TestContext): Store => {
    const store = storeOf(test, [runOpen(), trialOpen()]);
    addRun(store, OTHER, SHORT);
    return store;
  };

  it('are all asked, or those that are named', async (test) => {
    const store = twoRuns(test);
    const sql = 'SELECT run, count(*) FROM events GROUP BY run ORDER BY run';
    assert.deepEqual((await querySql(store, sql)).rows, [
      [RUN, 2n],
      [OTHER, 4n],
    ]);
    assert.deepEqual((await querySql(store, sql, { runs: [OTHER] })).rows, [[OTHER, 4n]]);
  });

  it('with a damaged line lose that line and say so', async (test) => {
    const store = storeOf(test, SHORT);
    damage(store.eventsFile(RUN), (bytes) => Buffer.concat([bytes, Buffer.from('{"h":"torn')]));
    const { rows, damaged } = await querySql(store, 'SELECT events, damaged_lines FROM runs');
    assert.deepEqual(rows, [[4n, 1n]]);
    assert.deepEqual(
      damaged.map(({ run, lines, first }) => [run, lines, first.split(': ').slice(0, 2)]),
      [[RUN, 1, ['events.jsonl:5', 'torn-tail']]],
    );
  });

  it('without a readable run_open are still there', async (test) => {
    const store = storeOf(test, [runOpen(), trialOpen()]);
    damage(store.eventsFile(RUN), (bytes) => bytes.fill('x', 10, 20));
    const { rows, damaged } = await querySql(store, 'SELECT status, study, seq, damaged_lines > 0 FROM runs');
    assert.deepEqual(rows, [['interrupted', null, null, true]]);
    assert.equal(damaged.length, 1);
  });

  it('without a log are reported, not passed over', async (test) => {
    const store = storeOf(test, SHORT);
    rmSync(store.eventsFile(RUN));
    const { rows, damaged } = await querySql(store, 'SELECT run, events FROM runs');
    assert.deepEqual(rows, [[RUN, 0n]]);
    assert.deepEqual(damaged, [{ run: RUN, lines: 1, first: 'events.jsonl is missing' }]);
  });
});
