/** What DuckDB says of a query that is wrong, as a problem that a person can fix. */
import { Problem } from '../../events/problem.js';

/** `SQL_ERROR`: the first line of DuckDB's message, its suggestions, the place in the query. `SQL_TOO_LARGE`: no memory. */
export function sqlError(error: unknown, sql: string): Problem {
  const message = error instanceof Error ? error.message : String(error);
  const lines = message.replace(/^Failed to extract statements: /, '').split('\n');
  const [first = 'DuckDB gave no reason'] = lines;
  if (first.startsWith('Out of Memory Error')) return tooLarge(first);
  const hints = lines.slice(1).filter((line) => /^(Did you mean|Candidate bindings)/.test(line));
  const place = lines.findIndex((line) => /^LINE \d+:/.test(line));
  const excerpt = place === -1 ? [] : lines.slice(place, place + 2);
  return new Problem({
    code: 'SQL_ERROR',
    what: [first, ...hints].join(' '),
    todo: [adviceOn(first, sql), ...excerpt].join('\n'),
  });
}

function adviceOn(message: string, sql: string): string {
  const schema = 'see `measure sql --schema`';
  const at = message.startsWith('Parser Error') && /(?<!["\w.])at\b(?!")/i.test(sql);
  return at ? `write the column at as "at" or events.at, and ${schema}` : schema;
}

function tooLarge(what: string): Problem {
  return new Problem({
    code: 'SQL_TOO_LARGE',
    what,
    todo: 'select fewer columns, add a LIMIT, or aggregate',
  });
}
