/** What is taken for front matter, and the title in it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readFrontMatter } from './front-matter.js';

/** The title, and the text that follows. */
function read(text: string): [string | null, string] {
  const { title, end } = readFrontMatter(text);
  return [title, text.slice(end)];
}

describe('front matter', () => {
  it('ends with dashes or dots, and lines may end as on Windows', () => {
    assert.deepEqual(read('---\ntitle: A\n---\ntext'), ['A', '\ntext']);
    assert.deepEqual(read('--- \r\ntitle: A\r\n---\r\ntext'), ['A', '\ntext']);
    assert.deepEqual(read('---\ntitle: A\n...\ntext'), ['A', '\ntext']);
  });

  it('may be all that there is, or be empty', () => {
    assert.deepEqual(read('---\ntitle: A\n---'), ['A', '']);
    assert.deepEqual(read('---\n---\n'), [null, '\n']);
    assert.deepEqual(read('---\n# only a remark\n\n---\nx'), [null, '\nx']);
  });

  it('is not there without an end, further down, or where a text stands between two rules', () => {
    for (const text of ['---\ntitle: A\n', '\n---\ntitle: A\n---\n', '---\nA text.\n---\n', '---', '']) {
      assert.deepEqual(read(text), [null, text]);
    }
  });

  it('is not looked for without end', () => {
    const text = `---\ntitle: A\n${'x: 1\n'.repeat(20_000)}---\n`;
    assert.deepEqual(read(text), [null, text]);
  });
});

describe('its title', () => {
  const title = (lines: string) => readFrontMatter(`---\n${lines}\n---\n`).title;

  it('is text, quoted or not, on one line or several', () => {
    assert.deepEqual(
      [
        title('title: Plain text'),
        title('title: "Quoted: with \\u00e9"'),
        title("'title': 'it''s'"),
        title('title: >\n  folded\n  text\ntags: x'),
        title('title: plain\n  goes on'),
        title('Title:   Capital # remark'),
      ],
      ['Plain text', 'Quoted: with é', "it's", 'folded text', 'plain goes on', 'Capital'],
    );
  });

  it('is what is written, even if YAML has another type for it', () => {
    assert.deepEqual(
      [title('title: 007'), title('title: 2026-11-03'), title('title: true')],
      ['007', '2026-11-03', 'true'],
    );
  });

  it('is not lost where other keys are broken', () => {
    assert.equal(title('tags: [a, b\ntitle: Kept\nx: "y'), 'Kept');
  });

  it('is taken as it stands where it is broken itself', () => {
    assert.deepEqual(
      [title('title: one: two'), title('title: "open'), title('title: [a'), title('title: @here')],
      ['one: two', '"open', '[a', '@here'],
    );
  });

  it('is none where it is a list, an alias, or nothing', () => {
    assert.deepEqual(
      [title('title: [a, b]'), title('title:\n  - a'), title('title:'), title('a: &x 1\ntitle: *x')],
      [null, null, '', '*x'],
    );
  });

  it('is no key of a deeper level', () => {
    assert.equal(title('book:\n  title: Inner'), null);
  });

  it('costs nothing to look for in nested brackets', () => {
    assert.equal(typeof readFrontMatter(`---\ntitle: ${'['.repeat(50_000)}\n---\n`).end, 'number');
  });
});

describe('any text', () => {
  it('has front matter or not, and never fails', () => {
    const line = fc.oneof(
      fc.constantFrom('---', '...', 'title: x', 'title: >', '  y', '- z', '"'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = `---\n${lines.join('\n')}`;
        assert.ok(readFrontMatter(text).end <= text.length);
      }),
    );
  });
});
