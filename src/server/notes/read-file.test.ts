/** What is read of a folder, and what is not, whatever stands behind a name. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { NOTE_LIMIT, readFile } from './read-file.js';

const place = realpathSync(mkdtempSync(join(tmpdir(), 'measure notes ')));
const root = join(place, 'notes');
const outside = join(place, 'notes-private');
mkdirSync(join(root, 'sub'), { recursive: true });
mkdirSync(outside);
writeFileSync(join(root, 'a.md'), 'inside');
writeFileSync(join(outside, 'a.md'), 'SECRET');
after(() => rmSync(place, { recursive: true, force: true }));

/** The text of a file, or why it is not read. */
function read(path: string): string {
  const content = readFile(root, path);
  return 'why' in content ? content.why : Buffer.from(content.bytes).toString('utf8');
}

describe('a file is read', () => {
  it('if it is a regular one below the root', () => {
    assert.equal(read('a.md'), 'inside');
  });

  it('up to 4 MiB', () => {
    writeFileSync(join(root, 'big.md'), '');
    truncateSync(join(root, 'big.md'), NOTE_LIMIT);
    assert.equal(read('big.md').length, NOTE_LIMIT);
    truncateSync(join(root, 'big.md'), NOTE_LIMIT + 1);
    assert.deepEqual(readFile(root, 'big.md'), { why: 'too_large', bytes: NOTE_LIMIT + 1 });
  });
});

describe('nothing is read', () => {
  it('that is not there', () => {
    assert.deepEqual(['none.md', 'a.md/b.md', 'A.MD'].map(read), ['gone', 'gone', 'gone']);
  });

  it('through a symbolic link, wherever it leads', () => {
    symlinkSync(join(outside, 'a.md'), join(root, 'link.md'));
    symlinkSync('a.md', join(root, 'near.md'));
    symlinkSync('loop.md', join(root, 'loop.md'));
    assert.deepEqual(['link.md', 'near.md', 'loop.md'].map(read), ['not_a_file', 'not_a_file', 'not_a_file']);
  });

  it('in a folder that is a symbolic link', () => {
    symlinkSync(outside, join(root, 'door'));
    symlinkSync('sub', join(root, 'other'));
    writeFileSync(join(root, 'sub', 'b.md'), 'b');
    assert.deepEqual(['door/a.md', 'other/b.md', 'sub/b.md'].map(read), ['elsewhere', 'elsewhere', 'b']);
  });

  it('in a folder whose place another one has taken', () => {
    mkdirSync(join(root, 'was'));
    writeFileSync(join(root, 'was', 'a.md'), 'mine');
    assert.equal(read('was/a.md'), 'mine');
    renameSync(join(root, 'was'), join(root, 'moved'));
    symlinkSync(outside, join(root, 'was'));
    assert.equal(read('was/a.md'), 'elsewhere');
  });

  it('by any other spelling of a path', () => {
    const spellings = [
      ...['../notes-private/a.md', 'sub/../../notes-private/a.md', '../notes/a.md', './a.md', 'sub/../a.md'],
      ...['//a.md', 'sub//b.md', ''],
    ];
    assert.deepEqual(
      spellings.map(read),
      spellings.map(() => 'elsewhere'),
    );
    assert.deepEqual(['a.md/', '..\\a.md', '%2e%2e/a.md'].map(read), ['gone', 'gone', 'gone']);
  });

  it('of a pipe, a device, a socket or a folder, and none of them is waited for', async () => {
    execFileSync('mkfifo', [join(root, 'pipe.md')]);
    mkdirSync(join(root, 'folder.md'));
    const server = createServer().listen(join(root, 'socket.md'));
    await new Promise((resolve) => server.once('listening', resolve));
    assert.deepEqual(['pipe.md', 'folder.md', 'socket.md'].map(read), [
      'not_a_file',
      'not_a_file',
      'not_a_file',
    ]);
    assert.deepEqual(readFile('/dev', 'zero'), { why: 'not_a_file' });
    server.close();
  });

  it('under names that no file can have', () => {
    assert.deepEqual(
      [readFile(root, 'a\0.md'), readFile(root, 'x'.repeat(300))],
      [
        { why: 'failed', code: 'ERR_INVALID_ARG_VALUE' },
        { why: 'failed', code: 'ENAMETOOLONG' },
      ],
    );
  });
});
