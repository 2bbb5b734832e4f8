/** What a snapshot and an allow-list must hold, in which order records come, and what is said of a bad one. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadFields, loadSnapshot, SNAPSHOT_LIMIT_BYTES } from './snapshot.js';

const folder = mkdtempSync(join(tmpdir(), 'measure-snapshot-'));
after(() => rmSync(folder, { recursive: true }));

const file = join(folder, 'snapshot.json');

function load(text: string) {
  writeFileSync(file, text);
  return loadSnapshot(file);
}

/** The ids of records in the order in which they were loaded. */
function order(ids: string[]): string[] {
  return load(JSON.stringify(ids.map((id) => ({ id, revision: 'r1' })))).rows.map((row) => row.id);
}

/** The message of loading that text, without the file's folder. */
function complaint(text: string): string {
  try {
    load(text);
  } catch (error) {
    return error instanceof Error ? error.message.replace(`${folder}/`, '') : '';
  }
  return 'no complaint';
}

describe('a snapshot', () => {
  it('holds its rows, its hash, the revision that the hash begins with, and every field name', () => {
    const text = '[{"id":"b","revision":"1","zeta":"z"},{"revision":"1","id":"a","Alpha":"y"}]';
    assert.deepEqual(load(text), {
      rows: [
        { revision: '1', id: 'a', Alpha: 'y' },
        { id: 'b', revision: '1', zeta: 'z' },
      ],
      hash: '06a1f83d244b9bc000aed8f4c278f1f4f052192b934004398507dc3e98e95939',
      revision: '06a1f83d244b9bc0',
      fields: ['Alpha', 'id', 'revision', 'zeta'],
    });
  });

  it('comes in the order of an English dictionary, small letters before large ones', () => {
    assert.deepEqual(order(['b', 'B', 'a', 'A', '10', '9', '-1', '_', 'é', 'e', 'f']), [
      '_',
      '-1',
      '10',
      '9',
      'a',
      'A',
      'b',
      'B',
      'e',
      'é',
      'f',
    ]);
  });

  it('keeps the order of the file for ids that a dictionary holds equal', () => {
    assert.deepEqual(order(['a\u200d', 'b', 'a']), ['a\u200d', 'a', 'b']);
  });

  it('may have 100,000 records', () => {
    assert.equal(order(Array.from({ length: 100_000 }, (_, at) => `T${at}`)).length, 100_000);
  });
});

describe('a bad snapshot', () => {
  it('is refused where it is not UTF-8, with the line, as a letter would become another', () => {
    writeFileSync(
      file,
      Buffer.from('[{"id":"a","revision":"1"},\n{"id":"caf\xe9","revision":"1"}]', 'latin1'),
    );
    const refused = {
      message: `${file}:2: INVALID_SNAPSHOT: this line is not valid UTF-8: save the file as UTF-8`,
    };
    assert.throws(() => loadSnapshot(file), refused);
  });

  it('may be missing', () => {
    const missing = join(folder, 'none.json');
    const message = `${missing}: SNAPSHOT_MISSING: there is no such file: check the name and the permissions of the file`;
    assert.throws(() => loadSnapshot(missing), { message, exit: 2 });
  });

  it('may be a folder', () => {
    const inside = join(folder, 'folder');
    mkdirSync(inside);
    assert.throws(() => loadSnapshot(inside), { code: 'SNAPSHOT_MISSING' });
  });

  it('may be empty', () => {
    assert.equal(complaint(''), 'snapshot.json:1: INVALID_SNAPSHOT: it is empty: write a JSON array');
  });

  it('may not be JSON: the line is that of the first wrong thing', () => {
    assert.equal(
      complaint('[\n{"id": "a"},\n{"id": "b",}\n]'),
      'snapshot.json:3: INVALID_SNAPSHOT: it is not JSON: unexpected "}": write a JSON array',
    );
  });

  it('may stop early', () => {
    assert.equal(
      complaint('[\n{"id": "a"},'),
      'snapshot.json:2: INVALID_SNAPSHOT: it is not JSON: it stops early: write a JSON array',
    );
  });

  it('may begin with a byte order mark', () => {
    assert.equal(
      complaint('\ufeff[]'),
      'snapshot.json:1: INVALID_SNAPSHOT: it is not JSON: it begins with a byte order mark: write a JSON array',
    );
  });

  it('may be something else than an array', () => {
    assert.equal(
      complaint('{}'),
      'snapshot.json: INVALID_SNAPSHOT: it is not an array of records: give a JSON array of flat records',
    );
  });

  it('may have a single record', () => {
    assert.equal(
      complaint('[{"id":"a","revision":"1"}]'),
      'snapshot.json: INVALID_SNAPSHOT: it has 1 records, and the fewest are 2: give a JSON array of flat records',
    );
  });

  it('may have one record too many', () => {
    assert.equal(
      complaint(JSON.stringify(Array.from({ length: 100_001 }, () => 0))),
      'snapshot.json: SNAPSHOT_TOO_LARGE: it has 100001 records, over the limit of 100000: give a smaller extract',
    );
  });

  it('may be over the limit of bytes, which is seen before it is read', () => {
    writeFileSync(file, '');
    truncateSync(file, SNAPSHOT_LIMIT_BYTES + 1);
    assert.throws(() => loadSnapshot(file), { code: 'SNAPSHOT_TOO_LARGE' });
    truncateSync(file, 0);
  });
});

describe('a bad record', () => {
  const beside = '{"id":"a","revision":"1"}';

  it('is named by its line, its place and its id', () => {
    assert.equal(
      complaint(`[${beside},\n{"id":"b","revision":"1",\n"size":12}]`),
      'snapshot.json:2: INVALID_RECORD: row 2 (id "b"): "size" is not a string: correct it, or drop it',
    );
  });

  it('may be no object', () => {
    assert.match(complaint(`[${beside},null]`), /INVALID_RECORD: row 2: it is not an object/);
  });

  it('may be an array', () => {
    assert.match(complaint(`[${beside},[]]`), /INVALID_RECORD: row 2: it is not an object/);
  });

  it('may have no id', () => {
    assert.match(complaint(`[{"revision":"1"},${beside}]`), /INVALID_RECORD: row 1: it has no id/);
  });

  it('may have an empty id', () => {
    assert.match(complaint(`[{"id":"","revision":"1"},${beside}]`), /row 1: its id is empty/);
  });

  it('may have a number for an id', () => {
    assert.match(complaint(`[{"id":7,"revision":"1"},${beside}]`), /row 1: its id is not a string/);
  });

  it('may have no revision', () => {
    assert.match(complaint(`[{"id":"b"},${beside}]`), /row 1 \(id "b"\): it has no revision/);
  });

  it('may have a field name with a dash', () => {
    assert.match(
      complaint(`[${beside},{"id":"b","revision":"1","due-date":""}]`),
      /the name "due-date" is not a letter/,
    );
  });

  it('may have a value over 4,000 characters', () => {
    const long = JSON.stringify({ id: 'b', revision: '1', note: 'x'.repeat(4_001) });
    assert.match(complaint(`[${beside},${long}]`), /row 2 \(id "b"\): "note" has 4001 characters, over 4000/);
  });

  it('may have the id of an earlier one', () => {
    assert.equal(
      complaint(`[${beside},\n${beside}]`),
      'snapshot.json:2: DUPLICATE_ID: row 2 (id "a"): row 1 has this id already: make ids unique',
    );
  });
});

describe('an allow-list', () => {
  const fields = join(folder, 'fields.json');
  const allow = (text: string, refuseDuplicates?: true) => {
    writeFileSync(fields, text);
    const snapshot = load('[{"id":"a","revision":"1","open":"yes"},{"id":"b","revision":"1"}]');
    return loadFields(fields, snapshot, refuseDuplicates === undefined ? {} : { refuseDuplicates });
  };
  const advice = 'list the fields that may be shown, id and revision among them';

  it('keeps the order of its file', () => {
    assert.deepEqual(allow('["open","revision","id"]').fields, ['open', 'revision', 'id']);
  });

  it('comes with the hash of its bytes', () => {
    assert.equal(
      allow('["id","revision"]').hash,
      '2fdec1198b505719412a11ee282eee384cb99461adacd87fb1b7a4272b6b27eb',
    );
  });

  it('may repeat a name where that is not refused', () => {
    assert.deepEqual(allow('["id","revision","id"]').fields, ['id', 'revision', 'id']);
  });

  it('must not repeat a name where that is refused', () => {
    const message = `${fields}: INVALID_ALLOWLIST: "id" is repeated: ${advice}`;
    assert.throws(() => allow('["id","revision","id"]', true), { message });
  });

  it('must not name a field that no record has', () => {
    const message = `${fields}: INVALID_ALLOWLIST: no record has a field "secret": ${advice}`;
    assert.throws(() => allow('["id","revision","secret"]'), { message });
  });

  it('must name id and revision', () => {
    const message = `${fields}: INVALID_ALLOWLIST: revision is missing: ${advice}`;
    assert.throws(() => allow('["id","open"]'), { message });
  });

  it('must be an array of strings', () => {
    const message = `${fields}: INVALID_ALLOWLIST: it is not an array of strings: ${advice}`;
    assert.throws(() => allow('["id","revision",3]'), { message });
  });

  it('must be JSON', () => {
    const message = `${fields}:2: INVALID_ALLOWLIST: it is not JSON: unexpected "]": write a JSON array`;
    assert.throws(() => allow('["id",\n]'), { message });
  });

  it('must be there', () => {
    const snapshot = load('[{"id":"a","revision":"1"},{"id":"b","revision":"1"}]');
    assert.throws(() => loadFields(join(folder, 'none'), snapshot), { code: 'FIELDS_MISSING' });
  });
});
