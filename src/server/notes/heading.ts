/** The first heading of a Markdown text, in one pass over its lines. */

/** A fence of backticks or tildes. */
interface Fence {
  mark: string;
  length: number;
}

/** What the lines before the next one leave open. */
interface Open {
  fence: Fence | null;
  /** What ends a block of HTML. */
  html: RegExp | null;
  /** A list item or quotation, to the next blank line. */
  container: boolean;
  paragraph: string[];
}

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]+([\s\S]*))?$/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const CONTAINER = /^ {0,3}(?:>|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))/;
const REFERENCE = /^ {0,3}\[[^\]]+\]:/;

/** The most characters of a heading or rule that are looked at. */
const LONGEST = 1000;

/**
 * The first heading that has words, as written: `# …` or underlined. Not in code, comments, lists or quotations. Null
 * where there is none.
 */
export function firstHeading(text: string): string | null {
  const open: Open = { fence: null, html: null, container: false, paragraph: [] };
  for (const line of linesOf(text)) {
    const heading = readLine(line, open);
    if (heading !== null && heading.trim() !== '') return heading.trim();
  }
  return null;
}

function* linesOf(text: string): Generator<string> {
  let begin = 0;
  for (const { index, 0: mark } of text.matchAll(/\r\n|\n|\r/g)) {
    yield text.slice(begin, index);
    begin = index + mark.length;
  }
  yield text.slice(begin);
}

/** Takes one line in; gives the heading that ends with it. */
function readLine(line: string, open: Open): string | null {
  if (continuesBlock(line, open)) return null;
  if (line.trim() === '') {
    endParagraph(open);
    return null;
  }
  const isCode = /^(?: {4}|\t)/.test(line) && open.paragraph.length === 0 && !open.container;
  if (isCode || opensBlock(line, open)) return null;
  const heading = HEADING.exec(line);
  if (heading !== null) {
    endParagraph(open);
    return withoutClosing(heading[1] ?? '');
  }
  if (open.paragraph.length > 0 && UNDERLINE.test(line)) return endParagraph(open);
  return takeText(line, open);
}

/** Whether the line still belongs to a fenced block or to HTML. */
function continuesBlock(line: string, open: Open): boolean {
  if (open.fence !== null) {
    if (closes(line, open.fence)) open.fence = null;
    return true;
  }
  if (open.html === null) return false;
  if (open.html.test(line)) open.html = null;
  return true;
}

function opensBlock(line: string, open: Open): boolean {
  const fence = FENCE.exec(line)?.[1];
  const html = fence === undefined ? htmlEnd(line, open) : null;
  if (fence === undefined && html === null) return false;
  endParagraph(open);
  if (fence !== undefined) open.fence = { mark: fence.charAt(0), length: fence.length };
  else if (html !== null && !html.test(afterOpening(line))) open.html = html;
  return true;
}

function closes(line: string, { mark, length }: Fence): boolean {
  const run = line.trim();
  return !/^ {4}|^\t/.test(line) && run.length >= length && run === mark.repeat(run.length);
}

/** What ends the HTML that begins in this line: a comment or verbatim text its own mark, anything else a blank line. */
function htmlEnd(line: string, open: Open): RegExp | null {
  if (/^ {0,3}<!--/.test(line)) return /-->/;
  const verbatim = /^ {0,3}<(pre|script|style|textarea)(?=[\s>]|$)/i.exec(line)?.[1];
  if (verbatim !== undefined) return new RegExp(`</${verbatim}>`, 'i');
  return open.paragraph.length === 0 && /^ {0,3}<\/?[a-z][a-z0-9-]*(?=[\s/>]|$)/i.test(line) ? /^\s*$/ : null;
}

function afterOpening(line: string): string {
  return line.slice(line.indexOf('<') + 1);
}

function takeText(line: string, open: Open): null {
  // A long line of marks would overflow the stack of the matcher.
  if (RULE.test(line.slice(0, LONGEST))) endParagraph(open);
  else if (CONTAINER.test(line)) {
    endParagraph(open);
    open.container = true;
  } else if (!open.container && !(open.paragraph.length === 0 && REFERENCE.test(line))) {
    const length = open.paragraph.reduce((sum, each) => sum + each.length, 0);
    if (length < LONGEST) open.paragraph.push(line.trim().slice(0, LONGEST));
  }
  return null;
}

/** Gives the paragraph that was open, as one line. */
function endParagraph(open: Open): string {
  const text = open.paragraph.join(' ');
  open.paragraph = [];
  open.container = false;
  return text;
}

/** Without the hashes that may end a heading. */
function withoutClosing(heading: string): string {
  return heading
    .trim()
    .slice(0, LONGEST)
    .replace(/(?:^|[ \t]+)#+$/, '');
}
