/** A folder while it changes: what is found, and what is read. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { Notes } from './notes.js';
import { NOTE_LIMIT } from './read-file.js';
import type { WatchFolder } from './watch.js';

/** A folder with these files, and the notes in it, indexed. */
async function open(test: TestContext, files: Record<string, string>, how?: WatchFolder) {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'measure notes ')));
  const root = join(place, 'notes');
  mkdirSync(root);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const said: string[] = [];
  const notes = new Notes(root, (line) => said.push(line), how);
  test.after(() => {
    notes.close();
    rmSync(place, { recursive: true, force: true });
  });
  const count = await notes.index();
  const found = async (query: string) => (await notes.search(query, 10)).map(({ path }) => path);
  return { place, root, write, notes, said, count, found };
}

const NO_WATCH: WatchFolder = () => {
  throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
};

describe('a search', () => {
  it('gives path, title, score and snippet, best first', async (test) => {
    const { notes, count } = await open(test, {
      'servers/llama.md': '# The llama server\n\nIt used 120 MB while idle.',
      'other.md': '---\ntitle: Others\n---\nA llama stands here.',
    });
    assert.equal(count, 2);
    assert.deepEqual(await notes.search('llama server', 3), [
      {
        path: 'servers/llama.md',
        title: 'The llama server',
        score: 3.278,
        snippet: '# The llama server It used 120 MB while idle.',
      },
      { path: 'other.md', title: 'Others', score: 0.215, snippet: 'A llama stands here.' },
    ]);
  });

  it('finds notes by the words of their path, and not by their front matter', async (test) => {
    const { found } = await open(test, { 'recipes/soup.md': '---\ntags: secret\n---\nBoil.' });
    assert.deepEqual([await found('recipes'), await found('secret')], [['recipes/soup.md'], []]);
  });

  it('is refused where the query has no word', async (test) => {
    const { notes } = await open(test, { 'a.md': 'x' });
    await assert.rejects(notes.search(' ?! ', 3), {
      message: 'the query has no word: give letters or digits to look for',
    });
  });

  it('answers any query, and the same one alike', async (test) => {
    const { notes } = await open(test, { 'a.md': 'a b 東京 x.y', 'b.md': '', 'c.md': '\0\ufffd' });
    const query = fc.string({ unit: 'binary' }).map((text) => `a ${text}`);
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 1, max: 10 }), async (text, limit) => {
        assert.deepEqual(await notes.search(text, limit), await notes.search(text, limit));
      }),
    );
  });
});

describe('what changes', { concurrency: true }, () => {
  it('is found at once: a new note, a new text, a new name, a deleted note', async (test) => {
    const { root, write, found, notes } = await open(test, { 'a.md': 'one' });
    write('b.md', 'one two');
    assert.deepEqual(await found('one'), ['a.md', 'b.md']);
    write('a.md', 'three');
    assert.deepEqual([await found('one'), await found('three')], [['b.md'], ['a.md']]);
    renameSync(join(root, 'b.md'), join(root, 'c.md'));
    assert.deepEqual(await found('two'), ['c.md']);
    rmSync(join(root, 'c.md'));
    assert.deepEqual(await found('two'), []);
    assert.equal(notes.count, 1);
  });

  it('may be a whole folder, new, filled, renamed, replaced and deleted', async (test) => {
    const { root, write, found } = await open(test, { 'a.md': 'word' });
    write('new/deep/b.md', 'word');
    assert.deepEqual(await found('word'), ['a.md', 'new/deep/b.md']);
    write('new/deep/c.md', 'word');
    assert.deepEqual(await found('word'), ['a.md', 'new/deep/b.md', 'new/deep/c.md']);
    renameSync(join(root, 'new'), join(root, 'old'));
    assert.deepEqual(await found('word'), ['a.md', 'old/deep/b.md', 'old/deep/c.md']);
    rmSync(join(root, 'old'), { recursive: true });
    write('old/deep/d.md', 'word');
    assert.deepEqual(await found('word'), ['a.md', 'old/deep/d.md']);
    write('old/deep/e.md', 'word');
    assert.deepEqual(await found('word'), ['a.md', 'old/deep/d.md', 'old/deep/e.md']);
    rmSync(join(root, 'old'), { recursive: true });
    assert.deepEqual(await found('word'), ['a.md']);
  });

  it('may be the folder of notes itself', async (test) => {
    const { root, write, found, notes } = await open(test, { 'a.md': 'word' });
    rmSync(root, { recursive: true });
    assert.deepEqual([await found('word'), notes.count], [[], 0]);
    write('b.md', 'word');
    assert.deepEqual(await found('word'), ['b.md']);
    write('c.md', 'word');
    assert.deepEqual(await found('word'), ['b.md', 'c.md']);
  });

  it('may have the name of its folder', async (test) => {
    const { write, found } = await open(test, { 'notes/notes/a.md': 'word' });
    write('notes/notes/b.md', 'word');
    write('notes/notes/notes/c.md', 'word');
    assert.deepEqual(await found('word'), ['notes/notes/a.md', 'notes/notes/b.md', 'notes/notes/notes/c.md']);
  });

  it('may be far more than is told one by one', async (test) => {
    const { root, write, found } = await open(test, { 'a.md': 'word' });
    for (let at = 0; at < 1000; at += 1) write(`many/${at}.md`, at === 999 ? 'needle' : 'hay');
    assert.deepEqual(await found('needle'), ['many/999.md']);
    rmSync(join(root, 'many'), { recursive: true });
    assert.deepEqual([await found('needle'), await found('word')], [[], ['a.md']]);
  });

  it('is found while calls come side by side', async (test) => {
    const { write, found } = await open(test, { 'a.md': 'word' });
    const results = Array.from({ length: 20 }, (_, at) => {
      write(`${at}.md`, 'word');
      return found('word');
    });
    assert.deepEqual(
      (await Promise.all(results)).map(({ length }) => length),
      Array(20).fill(10),
    );
  });

  it('is found without being told, where folders cannot be watched; that is said once', async (test) => {
    const { root, write, found, said } = await open(test, { 'a.md': 'word', 'sub/b.md': 'word' }, NO_WATCH);
    write('sub/c.md', 'word');
    rmSync(join(root, 'a.md'));
    assert.deepEqual(await found('word'), ['sub/b.md', 'sub/c.md']);
    write('sub/c.md', 'drow');
    assert.deepEqual(await found('word'), ['sub/b.md']);
    assert.deepEqual(said, [
      'folders cannot be watched (ENOSPC): every call looks at all of them instead; fs.inotify.max_user_watches may be raised',
    ]);
  });

  it('is found even if the file has the size and the time that it had', async (test) => {
    const { root, write, found } = await open(test, { 'a.md': 'word' }, NO_WATCH);
    const time = new Date('2026-11-03T09:00:00Z');
    utimesSync(join(root, 'a.md'), time, time);
    assert.deepEqual(await found('word'), ['a.md']);
    write('a.md', 'drow');
    utimesSync(join(root, 'a.md'), time, time);
    assert.deepEqual(await found('drow'), ['a.md']);
  });
});

describe('a note', { concurrency: true }, () => {
  it('is read in full, as it is now', async (test) => {
    const { root, notes } = await open(test, { 'a.md': '---\ntitle: A\n---\r\ntext\0' });
    assert.equal(await notes.read('a.md'), '---\ntitle: A\n---\r\ntext\0');
    appendFileSync(join(root, 'a.md'), ' more');
    assert.equal(await notes.read('a.md'), '---\ntitle: A\n---\r\ntext\0 more');
  });

  it('is read before it was ever searched', async (test) => {
    const { write, notes } = await open(test, {});
    write('new.md', 'new');
    assert.equal(await notes.read('new.md'), 'new');
  });

  it('is read under its name with accents in another encoding', async (test) => {
    const { notes } = await open(test, { 'cafe\u0301.md': 'decomposed' });
    assert.equal(await notes.read('caf\u00e9.md'), 'decomposed');
  });

  it('is refused once it is gone', async (test) => {
    const { root, notes, found } = await open(test, { 'a.md': 'x' });
    rmSync(join(root, 'a.md'));
    await assert.rejects(notes.read('a.md'), {
      message: '"a.md" is not read: it is no longer there; search again',
    });
    await found('x');
    await assert.rejects(notes.read('a.md'), {
      message: 'no note has the path "a.md": give a path as the search returns it',
    });
  });

  it('is left out and refused with the reason if it is too large', async (test) => {
    const { root, write, notes, said, found } = await open(test, { 'a.md': 'x' });
    truncateSync(join(root, 'a.md'), NOTE_LIMIT + 1);
    const why = 'it has 4194305 bytes, over the limit of 4194304';
    await assert.rejects(notes.read('a.md'), { message: `"a.md" is not read: ${why}` });
    assert.deepEqual(await found('x'), []);
    await assert.rejects(notes.read('a.md'), { message: `"a.md" is left out: ${why}` });
    assert.deepEqual(said, [`left out a.md: ${why}`]);
    write('a.md', 'small');
    assert.deepEqual([await found('small'), await notes.read('a.md')], [['a.md'], 'small']);
  });

  it('is not what was put in its place outside', async (test) => {
    const { place, root, notes, found } = await open(test, { 'a.md': 'x', 'sub/b.md': 'x' });
    mkdirSync(join(place, 'notes-private'));
    writeFileSync(join(place, 'notes-private', 'b.md'), 'SECRET x');
    rmSync(join(root, 'a.md'));
    symlinkSync(join(place, 'notes-private', 'b.md'), join(root, 'a.md'));
    renameSync(join(root, 'sub'), join(place, 'sub'));
    symlinkSync(join(place, 'notes-private'), join(root, 'sub'));
    await assert.rejects(notes.read('a.md'), { message: '"a.md" is not read: it is no regular file' });
    await assert.rejects(notes.read('sub/b.md'), {
      message: '"sub/b.md" is not read: it lies outside the folder of the notes',
    });
    assert.deepEqual(await found('SECRET x'), []);
  });
});

describe('a path that is no note', () => {
  it('is refused, whatever it is, and nothing is read', async (test) => {
    const { place, root, notes } = await open(test, { 'a.md': 'inside', 'sub/b.md': 'inside' });
    writeFileSync(join(place, 'secret.md'), 'SECRET');
    symlinkSync(place, join(root, 'door'));
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'a.md',
      'sub',
      'b.md',
      'door',
      'secret.md',
      '%2e%2e',
      '..%2f',
      '\0',
    );
    const path = fc.oneof(
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('/')),
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('\\')),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '/etc/passwd',
        `${place}/secret.md`,
        `${root}/a.md`,
        '/proc/self/cwd/package.json',
        '~/a.md',
      ),
    );
    await fc.assert(
      fc.asyncProperty(path, async (asked) => {
        const answer = await notes.read(asked).catch((error: Error) => error.message);
        const isNote = asked === 'a.md' || asked === 'sub/b.md';
        assert.match(
          answer,
          isNote ? /^inside$/ : /^no note has the path ".*": give a path as the search returns it$/,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('is repeated in short and harmlessly', async (test) => {
    const { notes } = await open(test, {});
    await assert.rejects(notes.read(`\u001b[2J\n${'🚀'.repeat(1_000_000)}`), ({ message }: Error) => {
      assert.match(message, /^no note has the path "\\u001b\[2J\\n🚀+…": give/u);
      return message.length < 600;
    });
  });
});

describe('the files that are left out', () => {
  it('are named as far as five, once', async (test) => {
    const { root, write, said, found } = await open(test, {});
    for (let at = 0; at < 8; at += 1) {
      write(`${at}.md`, '');
      truncateSync(join(root, `${at}.md`), NOTE_LIMIT + 1);
    }
    await found('x');
    await found('x');
    assert.deepEqual(
      said.map((line) => line.replace(/: .*/, '')),
      [
        'left out 0.md',
        'left out 1.md',
        'left out 2.md',
        'left out 3.md',
        'left out 4.md',
        'and 3 more are left out',
      ],
    );
  });
});

describe('a change that nobody told of', () => {
  it('is found after ten seconds', async (test) => {
    let now = 0;
    test.mock.method(performance, 'now', () => now);
    const silent: WatchFolder = () => ({ close: () => undefined });
    const { write, found } = await open(test, { 'a.md': 'word' }, silent);
    write('b.md', 'word');
    now = 9999;
    assert.deepEqual(await found('word'), ['a.md']);
    now = 10_001;
    assert.deepEqual(await found('word'), ['a.md', 'b.md']);
  });
});
