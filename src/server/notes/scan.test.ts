/** Which files of a folder are notes. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { NOTE_LIMIT } from './read-file.js';
import { isWithin, scan } from './scan.js';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'measure notes ')));
after(() => rmSync(root, { recursive: true, force: true }));

function write(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), 'x');
  }
}

function scanned(path = '') {
  const folders: string[] = [];
  const { notes, leftOut } = scan(root, path, (folder) => folders.push(folder));
  return { notes: [...notes.keys()].sort(), leftOut: [...leftOut], folders: folders.sort() };
}

write('a.md', 'B.MARKDOWN', 'sub/deep/c.md', 'ünï 東京.md', 'text.txt', 'md', 'a.md.bak', 'README');
write('.hidden.md', '.git/d.md', '.obsidian/e.md', 'sub/node_modules/f/f.md', 'node_modules/g.md');

describe('a scan', () => {
  it('finds Markdown in visible folders, at any depth', () => {
    assert.deepEqual(scanned(), {
      notes: ['B.MARKDOWN', 'a.md', 'sub/deep/c.md', 'ünï 東京.md'],
      leftOut: [],
      folders: ['', 'sub', 'sub/deep'],
    });
  });

  it('looks at one folder or one file alone', () => {
    assert.deepEqual(scanned('sub').notes, ['sub/deep/c.md']);
    assert.deepEqual(scanned('a.md'), { notes: ['a.md'], leftOut: [], folders: [] });
  });

  it('finds nothing where nothing is, or where it does not look', () => {
    const none = { notes: [], leftOut: [], folders: [] };
    assert.deepEqual(
      ['gone', 'gone/a.md', 'a.md/b', '.git', '.git/d.md', 'sub/node_modules/f/f.md', 'text.txt'].map(
        scanned,
      ),
      [none, none, none, none, none, none, none],
    );
  });

  it('takes no link, pipe or folder for a note, and enters no linked folder', () => {
    symlinkSync('a.md', join(root, 'link.md'));
    symlinkSync('gone', join(root, 'dangling.md'));
    symlinkSync('.', join(root, 'loop'));
    mkdirSync(join(root, 'folder.md'));
    execFileSync('mkfifo', [join(root, 'pipe.md')]);
    assert.deepEqual(scanned().notes, ['B.MARKDOWN', 'a.md', 'sub/deep/c.md', 'ünï 東京.md']);
    assert.deepEqual(scanned('loop').notes, []);
  });

  it('says which files are too large', () => {
    write('big.md');
    truncateSync(join(root, 'big.md'), NOTE_LIMIT + 1);
    assert.deepEqual(scanned().leftOut, [['big.md', 'it has 4194305 bytes, over the limit of 4194304']]);
    rmSync(join(root, 'big.md'));
  });

  it('says which names are not UTF-8', () => {
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from([0xff]), Buffer.from('.md')]), 'x');
    assert.deepEqual(scanned().leftOut, [['bad\ufffd.md', 'its name is not valid UTF-8']]);
  });
});

describe('a path', () => {
  it('is within its folders, not within one whose name only begins alike', () => {
    assert.deepEqual(
      [
        isWithin('a/b', 'a'),
        isWithin('a', 'a'),
        isWithin('a', ''),
        isWithin('ab/c', 'a'),
        isWithin('a', 'a/b'),
      ],
      [true, true, true, false, false],
    );
  });
});
