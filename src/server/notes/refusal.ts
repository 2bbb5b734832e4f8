/** Why a call is refused, in one line for whoever made it. */
import { visible } from '../../events/visible.js';
import { NOTE_LIMIT, type Unreadable } from './read-file.js';

/** The most characters of a path that are repeated in an error. */
const LONGEST_PATH = 200;

/** Thrown for what a caller must do otherwise; the message is the whole text of the error result. */
export class Refusal extends Error {}

/** For a path that no note has. `leftOut` says why the file is left out, where there is one. */
export function unknownNote(path: string, leftOut: string | undefined): Refusal {
  if (leftOut !== undefined) return new Refusal(`${quoted(path)} is left out: ${leftOut}`);
  return new Refusal(`no note has the path ${quoted(path)}: give a path as the search returns it`);
}

/** For a note that was there when the folder was last looked at. */
export function refusedRead(path: string, reason: Unreadable): Refusal {
  return new Refusal(`${quoted(path)} is not read: ${inWords(reason)}`);
}

/** Why a file cannot be read, to stand after its name. */
export function inWords(reason: Unreadable): string {
  switch (reason.why) {
    case 'gone':
      return 'it is no longer there; search again';
    case 'not_a_file':
      return 'it is no regular file';
    case 'elsewhere':
      return 'it lies outside the folder of the notes';
    case 'too_large':
      return tooLarge(reason.bytes);
    case 'failed':
      return `the system refuses it (${reason.code})`;
  }
}

/** Why a file of so many bytes is left out. */
export function tooLarge(bytes: number): string {
  return `it has ${bytes} bytes, over the limit of ${NOTE_LIMIT}`;
}

function quoted(path: string): string {
  const characters = [...path.slice(0, 2 * LONGEST_PATH)];
  const whole = characters.length <= LONGEST_PATH && path.length <= 2 * LONGEST_PATH;
  const shown = whole ? path : `${characters.slice(0, LONGEST_PATH).join('')}…`;
  return `"${visible(shown)}"`;
}
