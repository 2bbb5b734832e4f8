/** Front matter: the YAML between two lines of dashes at the very beginning of a note. */
import { parseDocument } from 'yaml';

/** How far the line that ends it may be from the beginning, in characters. */
const LONGEST = 65_536;

const OPENING = /^---[ \t]*\r?\n/;
const CLOSING = /^(?:---|\.\.\.)[ \t]*\r?$/m;
/** A line that begins a key at the left margin. */
const KEY = /^(?:"[^"\n]*"|'[^'\n]*'|[^\s#"'\-[{][^:\n]*|-[^\s:\n][^:\n]*):(?:[ \t]|\r?$)/;
const TITLE = /^(?:title|"title"|'title')[ \t]*:/i;
/** The most characters of a title that are read as YAML: its reader recurses, and nested brackets could end the process. */
const LONGEST_TITLE = 1000;
/** A value that YAML takes as it stands. */
const PLAIN = /^[\p{L}\p{N}][^:#"'\n]*$/u;

/** What stands before the text of a note. */
export interface FrontMatter {
  /** Null where there is none, or none that is text. */
  title: string | null;
  /** Where the text of the note begins, in characters; 0 where there is no front matter. */
  end: number;
}

/**
 * The front matter of a text. It is taken by its lines: other keys may be broken without losing the title. A first block
 * that does not begin with a key is text between two rules.
 */
export function readFrontMatter(text: string): FrontMatter {
  const none = { title: null, end: 0 };
  const opening = OPENING.exec(text);
  if (opening === null) return none;
  const rest = text.slice(opening[0].length, LONGEST);
  const closing = CLOSING.exec(rest);
  if (closing === null) return none;
  const lines = rest.slice(0, closing.index).split(/\r?\n/);
  const first = lines.find((line) => line.trim() !== '' && !line.startsWith('#'));
  if (first !== undefined && !KEY.test(first)) return none;
  return { title: titleIn(lines), end: opening[0].length + closing.index + closing[0].length };
}

function titleIn(lines: readonly string[]): string | null {
  const begin = lines.findIndex((line) => TITLE.test(line));
  if (begin < 0) return null;
  const after = lines.slice(begin + 1).findIndex((line) => /^[^\s#]/.test(line));
  const own = after < 0 ? lines.slice(begin) : lines.slice(begin, begin + 1 + after);
  return titleValue(own.join('\n').trimEnd());
}

/** The text of the one key in these lines, as YAML has it; as it stands where it is no YAML. */
function titleValue(lines: string): string | null {
  const written = lines.replace(TITLE, '').trim();
  const asWritten = written.split('\n')[0]?.trim() ?? '';
  if (PLAIN.test(written)) return written;
  if (written.length > LONGEST_TITLE) return asWritten;
  try {
    const document = parseDocument(lines, { schema: 'failsafe', logLevel: 'error' });
    if (document.errors.length > 0) return asWritten;
    const [value]: unknown[] = Object.values(document.toJS({ maxAliasCount: 0 }) ?? {});
    return typeof value === 'string' ? value.trim() : null;
  } catch {
    return asWritten;
  }
}
