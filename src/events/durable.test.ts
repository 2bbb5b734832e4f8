/** Files and directories that are whole or not there at all. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ensureDirectory, reserveDirectory, writeOnce } from './durable.js';
import { folderFor } from './events.test.support.js';

describe('writing once', () => {
  it('writes a file whole and leaves no draft', (test) => {
    const folder = folderFor(test);
    writeOnce(join(folder, 'a'), [Buffer.from('one')]);
    assert.deepEqual([readdirSync(folder), readFileSync(join(folder, 'a'), 'utf8')], [['a'], 'one']);
  });

  it('leaves a file of the same bytes, and refuses one of others, without a draft', (test) => {
    const folder = folderFor(test);
    writeFileSync(join(folder, 'a'), 'one');
    writeOnce(join(folder, 'a'), [Buffer.from('one')]);
    assert.throws(() => writeOnce(join(folder, 'a'), [Buffer.from('two')]), { code: 'EEXIST' });
    assert.deepEqual([readdirSync(folder), readFileSync(join(folder, 'a'), 'utf8')], [['a'], 'one']);
  });

  it('leaves no descriptor open where it fails', (test) => {
    const folder = folderFor(test);
    mkdirSync(join(folder, 'a'));
    const before = readdirSync('/proc/self/fd').length;
    assert.throws(() => writeOnce(join(folder, 'a'), [Buffer.from('one')]));
    assert.throws(() => writeOnce(join(folder, 'missing', 'a'), [Buffer.from('one')]), { code: 'ENOENT' });
    assert.equal(readdirSync('/proc/self/fd').length, before);
    assert.deepEqual(readdirSync(folder), ['a']);
  });
});

describe('directories', () => {
  it('are reserved once', (test) => {
    const folder = join(folderFor(test), 'a');
    reserveDirectory(folder);
    assert.throws(() => reserveDirectory(folder), { code: 'EEXIST' });
  });

  it('are made with those above them, and left where they exist', (test) => {
    const folder = folderFor(test);
    ensureDirectory(join(folder, 'a', 'b', 'c'));
    ensureDirectory(join(folder, 'a', 'b', 'c'));
    assert.deepEqual(readdirSync(join(folder, 'a', 'b')), ['c']);
  });
});
