/** Odd Markdown: what its title and its text are. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseNote, textOf } from './note.js';
import { piecesOf } from './words.js';

const titleOf = (text: string, path = 'folder/the file.md') => parseNote(path, text).title;
const bytes = (...all: number[]) => Uint8Array.from(all);

describe('the text of a file', () => {
  it('is UTF-8, and has no byte order mark', () => {
    assert.equal(textOf(bytes(0xef, 0xbb, 0xbf, 0xc3, 0xa9)), 'é');
  });

  it('may be UTF-16, if it says so', () => {
    assert.equal(textOf(bytes(0xff, 0xfe, 0xe9, 0)), 'é');
    assert.equal(textOf(bytes(0xfe, 0xff, 0, 0xe9)), 'é');
  });

  it('shows bytes that are no text, and keeps NUL and the ends of lines', () => {
    assert.equal(textOf(bytes(0x61, 0xff, 0, 0x0d, 0x0a, 0xc3)), 'a\ufffd\0\r\n\ufffd');
  });

  it('may be empty', () => {
    assert.equal(textOf(bytes()), '');
  });
});

describe('a title', () => {
  it('is that of the front matter, else the first heading, else the name of the file', () => {
    assert.deepEqual(
      [
        titleOf('---\ntitle: From the front matter\n---\n# Heading'),
        titleOf('---\ntags: x\n---\n```\n# code\n```\nHeading\n==='),
        titleOf('only text'),
        titleOf('', 'a/2026-11-03 llama.Markdown'),
        titleOf('---\ntitle:\n---\n'),
      ],
      ['From the front matter', 'Heading', 'the file', '2026-11-03 llama', 'the file'],
    );
  });

  it('is on one line, without marks', () => {
    assert.deepEqual(
      [
        titleOf('# **Bold** `code` [link](a.md) ~~old~~'),
        titleOf('# [![badge](b.svg)](c) [[page|shown]] [[page]] \\*args'),
        titleOf('# 2 * 3 in snake_case'),
        titleOf('# a\u0000\u001b[31mred\u2028b'),
        titleOf('---\ntitle: |\n  two\n  lines\n---'),
      ],
      ['Bold code link old', 'badge shown page *args', '2 * 3 in snake_case', 'a [31mred b', 'two lines'],
    );
  });

  it('ends after 200 characters', () => {
    assert.equal(titleOf(`# ${'🚀'.repeat(500)}`), '🚀'.repeat(200));
  });

  it('is found on lines that end in any way', () => {
    assert.deepEqual(
      ['\r\n', '\r', '\n'].map((end) => titleOf(`x${end}${end}# Title${end}y`)),
      ['Title', 'Title', 'Title'],
    );
  });
});

describe('the text of a note', () => {
  it('has no front matter, and has its code', () => {
    assert.equal(parseNote('a.md', '---\nsecret: x\n---\n```\ncode\n```').body, '\n```\ncode\n```');
  });

  it('is everything where the front matter is none', () => {
    for (const text of ['---\nbroken: [\n', '---\nNo key here\n---\ntext', '+++\ntitle = "x"\n+++\n']) {
      assert.equal(parseNote('a.md', text).body, text);
    }
  });
});

describe('any bytes', () => {
  it('are a note with a title on one line', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (any) => {
        const { title } = parseNote('a.md', textOf(any));
        assert.match(title, /^[^\p{Cc}\u2028\u2029]+$/u);
      }),
    );
  });
});

describe('a note of four MiB of one thing', () => {
  const size = 4 * 1024 * 1024;
  const much = (part: string) => part.repeat(size / part.length);

  it('is read, whatever it is', () => {
    const parts = [
      '*',
      '* ',
      '[',
      '`',
      '~',
      '#',
      '> ',
      '<!-- ',
      '\n',
      '\r',
      ' ',
      'a.',
      '- ',
      '1. ',
      '---\n',
      '\\',
      '|',
    ];
    assert.deepEqual(
      parts.filter((part) => parseNote('a.md', much(part)).title !== 'a'),
      [],
    );
  });

  it('is read as a heading or as front matter', () => {
    const inner = ['*', '[', '`', '~~', '\\', '[[', '![', ' x'];
    for (const part of inner) {
      assert.ok(titleOf(`# x${much(part)}`).startsWith('x'));
      assert.equal(titleOf(`---\nb: ${part.repeat(20_000)}\n---\n# y`), 'y');
      assert.ok(titleOf(`---\ntitle: x${part.repeat(20_000)}\n---\n# y`).startsWith('x'));
    }
  });

  it('has its words, which may be one', () => {
    for (const part of ['a', 'a.', '東', 'e\u0301', '🚀', '𝒜', '\0', '-', 'x '])
      assert.ok(piecesOf(much(part)).length <= size / 2);
  });
});
