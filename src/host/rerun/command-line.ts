/** A command line split into words as a shell splits it: blanks, quotes and backslashes, and nothing that a shell expands. */
import { Problem } from '../../events/problem.js';

/**
 * The words of a command line. Within '…' every character stands for itself; within "…" a backslash takes the meaning
 * off `"`, `\`, `$` and a backtick; elsewhere off any character. Variables, patterns and operators are ordinary text.
 * Throws `COMMAND_LINE` where a quote is not closed, or a backslash is the last character.
 */
export function splitCommandLine(line: string): string[] {
  const words: string[] = [];
  // Sticky: each piece begins where the one before it ended. A word is one or more pieces without blanks between them.
  const piece = /([ \t\r\n]+)|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^ \t\r\n'"\\]+)/sy;
  let word: string | null = null;
  while (piece.lastIndex < line.length) {
    const at = piece.lastIndex;
    const match = piece.exec(line);
    if (match === null) throw unfinished(line, at);
    const [, blanks, single, double, escaped, plain] = match;
    if (blanks !== undefined && word !== null) words.push(word);
    const text = single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain;
    word = text === undefined ? null : `${word ?? ''}${text}`;
  }
  return word === null ? words : [...words, word];
}

function unfinished(line: string, at: number): Problem {
  const what =
    line[at] === '\\' ? 'it ends with a backslash' : `a quote at character ${at + 1} is not closed`;
  const todo = 'close it, or give the command after the flags: -- COMMAND ARGS…';
  return new Problem({ code: 'COMMAND_LINE', what: `${what}: ${line}`, todo });
}
