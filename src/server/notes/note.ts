/** A note: from the bytes of a Markdown file to its title and its text. */
import { basename } from 'node:path/posix';
import { readFrontMatter } from './front-matter.js';
import { firstHeading } from './heading.js';

export interface Note {
  /** On one line, at most 200 characters; the file's name where the note gives itself none. */
  title: string;
  /** Everything after the front matter, code included. */
  body: string;
}

const LONGEST_TITLE = 200;

/** The text of a file: UTF-8, or UTF-16 with a byte order mark; the mark is no part of it, and bad bytes are U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** Reads the text of the note at a path. Total: odd Markdown and broken front matter are text like any other. */
export function parseNote(path: string, text: string): Note {
  const frontMatter = readFrontMatter(text);
  const body = text.slice(frontMatter.end);
  const title =
    onOneLine(frontMatter.title ?? '') || plainHeading(body) || onOneLine(basename(withoutEnding(path)));
  return { title: cut(title), body };
}

/** The text on one line: every run of blanks and control characters is one space. */
export function onOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** A path without the ending of its file. */
export function withoutEnding(path: string): string {
  return path.replace(/\.(?:md|markdown)$/i, '');
}

const LINK = /!?\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g;
const WIKI_LINK = /\[\[(?:[^[\]|]*\|)?([^[\]|]*)\]\]/g;
/** Escapes, and marks of emphasis and code. */
const MARK = /\\([!-/:-@[-`{-~])|\*+(?=\S)|(?<=\S)\*+|~~|`+/g;

/** The first heading without the marks of links, code and emphasis. */
function plainHeading(body: string): string {
  const heading = firstHeading(body)?.slice(0, 5 * LONGEST_TITLE) ?? '';
  // Twice: an image may be what a link is on.
  const unlinked = heading.replace(WIKI_LINK, '$1').replace(LINK, '$1').replace(LINK, '$1');
  return onOneLine(unlinked.replace(MARK, (_mark, escaped?: string) => escaped ?? ''));
}

function cut(title: string): string {
  return title.length <= LONGEST_TITLE ? title : [...title].slice(0, LONGEST_TITLE).join('');
}
