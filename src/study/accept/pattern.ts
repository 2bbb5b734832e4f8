/** Patterns of keys, in RE2: what they take grows with the length of the text only, whatever the pattern. */
import { RE2JS, RE2JSException } from 're2js';

/** By flags and pattern: the same keys judge every trial. */
const known = new Map<string, RE2JS>();

/** What keeps a text from being a pattern, in words; null where it is one. */
export function patternFault(pattern: string): string | null {
  try {
    compiled(pattern, undefined);
    return null;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `is no pattern of RE2, which has neither lookaround nor backreferences: ${error.message.replace(/^error parsing regexp: /, '')}`;
  }
}

/** The first part of a text that a pattern matches, null where there is none. */
export function patternIn(text: string, pattern: string, flags: 'i' | undefined): string | null {
  const matcher = compiled(pattern, flags).matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : null;
}

function compiled(pattern: string, flags: 'i' | undefined): RE2JS {
  const name = `${flags ?? ''}/${pattern}`;
  const found = known.get(name) ?? RE2JS.compile(pattern, flags === 'i' ? RE2JS.CASE_INSENSITIVE : 0);
  known.set(name, found);
  return found;
}
