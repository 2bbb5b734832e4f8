/** What a schema finds wrong with a value, in words for the person who wrote the file. */
import type { z } from 'zod';
import { shown } from './row.js';

/** The place of what is wrong, and what is wrong with it, to be read after the name of the place. */
export interface Finding {
  path: PropertyKey[];
  what: string;
}

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

/** The value as the schema reads it, or the first thing that does not fit. */
export function check<T extends z.ZodType>(schema: T, value: unknown): { data: z.infer<T> } | Finding {
  const result = schema.safeParse(value, { error: wordsOf });
  if (result.success) return { data: result.data };
  const issue = result.error.issues[0];
  return issue === undefined ? { path: [], what: 'does not fit' } : findingOf(issue);
}

function findingOf(issue: Issue): Finding {
  switch (issue.code) {
    case 'unrecognized_keys':
      return { path: [...issue.path, ...issue.keys.slice(0, 1)], what: 'is not a field that is known here' };
    case 'invalid_key':
      return { path: issue.path, what: `is not a name: ${issue.issues[0]?.message ?? 'it does not fit'}` };
    case 'invalid_union':
      return unionFinding(issue.path, issue.errors);
    default:
      return { path: issue.path, what: issue.message };
  }
}

/** The option that the value came closest to, or all of them where it is like none. */
function unionFinding(path: PropertyKey[], options: Issue[][]): Finding {
  const issues = options.flatMap((option) => option.slice(0, 1));
  const inside = issues.find((issue) => issue.path.length > 0);
  if (inside === undefined)
    return { path, what: [...new Set(issues.map((issue) => issue.message))].join(', or ') };
  const finding = findingOf(inside);
  return { path: [...path, ...finding.path], what: finding.what };
}

/** Words for an issue whose schema has none of its own; undefined leaves them to zod. */
function wordsOf(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeWords(issue.expected, issue.input);
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}, not ${valueWords(issue.input)}`;
    case 'too_small':
      return `must ${sizeWords(issue.origin, 'least', Number(issue.minimum))}`;
    case 'too_big':
      return `must ${sizeWords(issue.origin, 'most', Number(issue.maximum))}`;
    default:
      return undefined;
  }
}

const TYPES = new Map<string, string>([
  ['string', 'a text'],
  ['array', 'a list'],
  ['object', 'a map of fields'],
  ['record', 'a map of names'],
  ['int', 'a whole number'],
  ['number', 'a number'],
]);

function typeWords(expected: string, input: unknown): string {
  if (input === undefined) return 'is missing';
  const quotes = expected === 'string' && typeof input !== 'object' ? ': put it in quotes' : '';
  return `must be ${TYPES.get(expected) ?? expected}, not ${valueWords(input)}${quotes}`;
}

function valueWords(input: unknown): string {
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'string') return `the text ${shown(input)}`;
  return typeof input === 'object' && input !== null ? 'a map' : String(input ?? 'nothing');
}

function sizeWords(origin: string, side: 'least' | 'most', bound: number): string {
  if (origin === 'array') return `have at ${side} ${bound} ${bound === 1 ? 'entry' : 'entries'}`;
  if (origin === 'string') return `have at ${side} ${bound} ${bound === 1 ? 'character' : 'characters'}`;
  return `be at ${side} ${bound}`;
}
