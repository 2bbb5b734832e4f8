/** R3 and the layout of the store: runs, their names, and blobs. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { folderFor } from './events.test.support.js';
import { newRunId, Store } from './store.js';

const OLD = '20261103T090000000Z-records-00000000000000aa';
const NEW = '20261103T090000001Z-naming-00000000000000aa';
const NEWER = '20261104T000000000Z-naming-00000000000000bb';
const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('a run id', () => {
  it('is UTC time to the millisecond, the name of the study, and 64 random bits', () => {
    const random = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 255]);
    const now = new Date('2026-11-03T10:00:00.007+01:00');
    assert.equal(
      newRunId('Context controls', now, random),
      '20261103T090000007Z-context-controls-01020304050607ff',
    );
  });

  it('is another one each time', () => {
    const now = new Date(0);
    assert.notEqual(newRunId('x', now), newRunId('x', now));
  });

  it('has a name that is safe as a folder, whatever the study is called', () => {
    const name = (study: string) => newRunId(study, new Date(0), new Uint8Array(8)).slice(20, -17);
    assert.deepEqual(['../../etc', '記録', '', `${'a'.repeat(39)}/b`, 'Ünï'].map(name), [
      'etc',
      'study',
      'study',
      'a'.repeat(39),
      'n',
    ]);
  });
});

describe('creating a run (R3)', () => {
  it('reserves its folder, for its owner alone, with those above it', (test) => {
    const root = join(folderFor(test), 'deep', 'store');
    new Store(root).createRun(OLD);
    assert.deepEqual(
      [modeOf(join(root, '..')), modeOf(root), modeOf(join(root, OLD))],
      ['700', '700', '700'],
    );
  });

  it('refuses an id that is taken', (test) => {
    const store = new Store(folderFor(test));
    store.createRun(OLD);
    assert.throws(() => store.createRun(OLD), { code: 'STORE_UNWRITABLE', exit: 3, message: /EEXIST/ });
  });

  it('says so where the store is a file, or leads nowhere', (test) => {
    const folder = folderFor(test);
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'nowhere', 'x'), join(folder, 'link'));
    assert.throws(() => new Store(join(folder, 'file')).createRun(OLD), { code: 'STORE_UNWRITABLE' });
    assert.throws(() => new Store(join(folder, 'link', 'y')).createRun(OLD), { code: 'STORE_UNWRITABLE' });
  });
});

describe('the runs of a store', () => {
  it('sort by time, and nothing else in the folder is a run', (test) => {
    const store = new Store(folderFor(test));
    for (const name of [NEWER, OLD, 'blobs', 'index', NEW, 'notes.txt']) mkdirSync(join(store.root, name));
    assert.deepEqual(store.runs(), [OLD, NEW, NEWER]);
  });

  it('are none where there is no store', (test) => {
    assert.deepEqual(new Store(join(folderFor(test), 'missing')).runs(), []);
  });

  it('cannot be listed where the store is a file: that is not an empty store', (test) => {
    const file = join(folderFor(test), 'file');
    writeFileSync(file, '');
    assert.throws(() => new Store(file).runs(), { code: 'STORE_UNREADABLE', exit: 3 });
  });

  it('are named by id, by a prefix that fits one, or `latest`', (test) => {
    const store = new Store(folderFor(test));
    for (const name of [OLD, NEW, NEWER]) store.createRun(name);
    assert.deepEqual(
      [OLD, '20261104', 'latest'].map((name) => store.resolveRun(name)),
      [OLD, NEWER, NEWER],
    );
  });

  it('have a latest that is no rerun, unless there is nothing else', (test) => {
    const store = new Store(folderFor(test));
    const rerun = NEWER.replace(/Z-[^-]+-/, 'Z-rerun-x-');
    store.createRun(rerun);
    assert.equal(store.resolveRun('latest'), rerun);
    store.createRun(OLD);
    assert.equal(store.resolveRun('latest'), OLD);
  });

  it('are not guessed: a prefix that fits several, none, or is empty, is an error', (test) => {
    const store = new Store(folderFor(test));
    assert.throws(() => store.resolveRun('latest'), { code: 'RUN_UNKNOWN', exit: 2 });
    for (const name of [OLD, NEW]) store.createRun(name);
    assert.throws(() => store.resolveRun('20261103'), { code: 'RUN_AMBIGUOUS', message: /fits 2 runs/ });
    assert.throws(() => store.resolveRun('2025'), { code: 'RUN_UNKNOWN' });
    assert.throws(() => store.resolveRun(''), { code: 'RUN_UNKNOWN' });
    assert.throws(() => store.resolveRun('..'), { code: 'RUN_UNKNOWN' });
  });
});

describe('a blob', () => {
  it('is kept under its hash, for its owner alone, and given back', (test) => {
    const store = new Store(folderFor(test));
    assert.equal(store.putBlob(Buffer.from('abc')), `blobs/sha256/ba/${ABC}`);
    assert.equal(modeOf(join(store.root, 'blobs', 'sha256', 'ba', ABC)), '600');
    assert.equal(store.getBlob(ABC).toString(), 'abc');
  });

  it('is kept once, and no draft is left', (test) => {
    const store = new Store(folderFor(test));
    store.putBlob(Buffer.from('abc'));
    store.putBlob(Buffer.from('abc'));
    assert.deepEqual(readdirSync(join(store.root, 'blobs', 'sha256', 'ba')), [ABC]);
  });

  it('that was tampered with is not given back, nor taken for the one that is to be kept', (test) => {
    const store = new Store(folderFor(test));
    store.putBlob(Buffer.from('abc'));
    writeFileSync(join(store.root, 'blobs', 'sha256', 'ba', ABC), 'abd');
    assert.throws(() => store.getBlob(ABC), { code: 'BLOB_DAMAGED', exit: 3 });
    assert.throws(() => store.putBlob(Buffer.from('abc')), { code: 'BLOB_DAMAGED' });
  });

  it('that is missing, or is a folder, is said to be so', (test) => {
    const store = new Store(folderFor(test));
    assert.throws(() => store.getBlob(ABC), { code: 'BLOB_MISSING', exit: 3 });
    mkdirSync(join(store.root, 'blobs', 'sha256', 'ba', ABC), { recursive: true });
    assert.throws(() => store.getBlob(ABC), { code: 'BLOB_UNREADABLE', exit: 3 });
  });
});
