/** Holds what data/context-controls promises: real, rebuildable records, and keys that the records bear out. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const folder = new URL('../../data/context-controls/', import.meta.url);
const pageSize = 5;

const record = z.record(z.string().regex(/^[a-zA-Z][a-zA-Z0-9_]*$/), z.string().max(4000));
const hints = z.strictObject({
  matchField: z.string(),
  matchValue: z.string(),
  answerField: z.string().optional(),
});
const task = z.strictObject({
  kind: z.enum(['lookup', 'aggregate', 'later_page']),
  question: z.string(),
  expectedAnswer: z.string(),
  evidenceIds: z.array(z.string()),
  requiredCaveats: z.array(z.string()),
  detailField: z.string().optional(),
  aggregateField: z.string().optional(),
  aggregateValue: z.string().optional(),
  scripted: hints.optional(),
});

const snapshotText = readFileSync(new URL('snapshot.json', folder), 'utf8');
const records = z.array(record).parse(JSON.parse(snapshotText));
const fields = z.array(z.string()).parse(JSON.parse(readFileSync(new URL('fields.json', folder), 'utf8')));
const tasks = z.array(task).parse(JSON.parse(readFileSync(new URL('tasks.json', folder), 'utf8')));

const inIdOrder = records.toSorted((a, b) => new Intl.Collator('en').compare(a.id ?? '', b.id ?? ''));
const matching = (field: string, value: string) => inIdOrder.filter((row) => row[field] === value);
const idsOf = (rows: readonly z.infer<typeof record>[]) => rows.map((row) => row.id);
const taskOf = (kind: string) => tasks.filter((t) => t.kind === kind);
const lastInChrome = (rows: readonly z.infer<typeof record>[]) =>
  rows.filter((row) => Number(row.chrome) === Math.max(...rows.map((r) => Number(r.chrome))));

describe('the records of context-controls', () => {
  it('are what build.mjs makes of the package today', async () => {
    const build = fileURLToPath(new URL('build.mjs', folder));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [build, '--check']);
    assert.deepEqual({ stdout, stderr }, { stdout: '', stderr: '' });
  });

  it('are exactly 100, with ids and names that never repeat, all of one package version', () => {
    const distinct = ['id', 'name', 'revision'].map(
      (field) => new Set(records.map((row) => row[field])).size,
    );
    assert.deepEqual([records.length, ...distinct], [100, 100, 100, 1]);
  });

  it('stand one a line and in the order of their ids', () => {
    assert.equal(snapshotText, `[\n${inIdOrder.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`);
  });

  it('are dear to list as a whole: between 50 and 90 KB', () => {
    const bytes = Buffer.byteLength(snapshotText);
    assert.ok(bytes > 50_000 && bytes < 90_000, `${bytes} bytes`);
  });

  it('hold one field that the allow-list leaves out, and no allowed field that nobody has', () => {
    const present = new Set(records.flatMap((row) => Object.keys(row)));
    assert.deepEqual(
      [...present].filter((field) => !fields.includes(field)),
      ['tracker'],
    );
    assert.deepEqual(
      fields.filter((field) => !present.has(field)),
      [],
    );
  });
});

describe('the keys of context-controls', () => {
  it('are one of each kind, and each question names the fields that it is about', () => {
    assert.deepEqual(
      tasks.map((t) => [t.kind, [...t.question.matchAll(/`(\w+)`/g)].map((found) => found[1])]),
      [
        ['lookup', ['name', 'safari', 'note']],
        ['aggregate', ['no', 'safari']],
        ['later_page', ['spec', 'chrome', 'name']],
      ],
    );
  });

  it('cite only records that exist, and only fields that a tool may return', () => {
    const ids = new Set(idsOf(records));
    assert.deepEqual(
      tasks.flatMap((t) => t.evidenceIds).filter((id) => !ids.has(id)),
      [],
    );
    const used = tasks.flatMap((t) => [
      t.detailField,
      t.aggregateField,
      t.scripted?.matchField,
      t.scripted?.answerField,
    ]);
    assert.deepEqual(
      used.filter((field) => field !== undefined && !fields.includes(field)),
      [],
    );
  });

  it('lookup: one record is called ::marker, and its note changes what its version means', () => {
    const found = matching('name', '::marker').map(({ id, safari, note }) => ({ id, safari, note }));
    const note = 'Safari, partial implementation: Safari support is limited to color and font-size.';
    assert.deepEqual(found, [{ id: 'css.selectors.marker', safari: '11.1', note }]);
    assert.deepEqual(
      taskOf('lookup').map((t) => [
        t.expectedAnswer,
        t.detailField,
        t.evidenceIds,
        t.requiredCaveats,
        t.scripted,
      ]),
      [['11.1', 'safari', ['css.selectors.marker'], [note], { matchField: 'name', matchValue: '::marker' }]],
    );
  });

  it('aggregate: nine records have no Safari version, more than one page of audit ids', () => {
    const found = matching('safari', 'no');
    assert.ok(found.length > pageSize);
    assert.deepEqual(
      taskOf('aggregate').map((t) => [t.aggregateField, t.aggregateValue, t.expectedAnswer, t.evidenceIds]),
      [['safari', 'no', String(found.length), idsOf(found)]],
    );
  });

  it('later_page: the last css-pseudo record to reach Chrome stands tenth of thirteen', () => {
    const found = matching('spec', 'css-pseudo');
    const last = lastInChrome(found);
    assert.deepEqual(
      [found.length, last.length, idsOf(found).indexOf('css.selectors.search-text')],
      [13, 1, 9],
    );
    assert.deepEqual(
      taskOf('later_page').map((t) => [t.scripted, [t.expectedAnswer], t.evidenceIds]),
      [
        [
          { matchField: 'spec', matchValue: 'css-pseudo', answerField: 'name' },
          last.map((row) => row.name),
          idsOf(last),
        ],
      ],
    );
  });

  it('later_page: whoever stops after the first page answers ::details-content', () => {
    const firstPage = matching('spec', 'css-pseudo').slice(0, pageSize);
    assert.deepEqual(
      lastInChrome(firstPage).map((row) => row.name),
      ['::details-content'],
    );
  });
});
