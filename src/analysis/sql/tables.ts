/** Every table of `measure sql`, and the text that describes them. */
import { markdownTable } from 'markdown-table';
import type { Column, Table } from './table.js';
import { toolCalls } from './tables/calls.js';
import { grades } from './tables/grades.js';
import { launches } from './tables/launches.js';
import { events, faults, messages } from './tables/log.js';
import { overrides } from './tables/overrides.js';
import { runs } from './tables/runs.js';
import { catalogs, handshakes } from './tables/server.js';
import { trials } from './tables/trials.js';
import { turns } from './tables/turns.js';

/** The tables, in the order in which they are described. */
export const TABLES: readonly Table[] = [
  ...[runs, trials, launches, handshakes, catalogs, turns, toolCalls, messages, faults],
  ...[grades, overrides, events],
];

/** Values (rows × columns) that a result may have. */
export const RESULT_LIMIT = 5_000_000;

const INTRODUCTION = `# Tables of \`measure sql\`

A query is one SELECT in the SQL of DuckDB (WITH, VALUES, FROM, DESCRIBE, SHOW and SUMMARIZE too). It sees these
tables and nothing else: no file, no setting, no extension, no network.

- Only events that the log's own reader accepted are rows. Damaged lines are counted: \`runs.damaged_lines\`.
- \`run\` and \`seq\` name the event that a row comes from: \`SELECT body FROM events WHERE run = … AND seq = …\`.
- \`(run, trial, trial_attempt)\` of any table is \`(run, trial, attempt)\` of \`trials\`.
- Sums of bytes and tokens are fair only where answers pass: \`WHERE final AND verdict = 'pass'\`.
- Tokens with \`usage_source = 'estimate'\` are a tokenizer's: group by \`usage_source\` before you add.
- \`input_tokens\` is everything that was read, both cache figures included, in every table.
- \`at\` is a word of the SQL grammar: write \`"at"\` or \`events.at\`.
- Times are UTC. NULL means not known or not there, never 0.

Formats: \`table\`, \`json\`, \`jsonl\`, \`csv\` (RFC 4180), \`markdown\`. Integers of any size and decimals are printed digit
by digit in each of them. In \`json\` and \`jsonl\` a column of type JSON is a JSON value, a second column \`a\` is
called \`a_1\`, and NaN and infinities are strings. In \`csv\` NULL is an empty field and an empty text is \`""\`.
A result may have at most ${RESULT_LIMIT.toLocaleString('en-US')} values.
`;

/** The text of \`measure sql --schema\` and of docs/sql.md: Markdown that reads well in a terminal. */
export function describeTables(): string {
  return [INTRODUCTION, ...TABLES.map(describe)].join('\n');
}

function describe({ name, meaning, columns }: Table): string {
  const rows = columns.map((column) => [column.name, typeOf(column), column.meaning]);
  return `## ${name}\n\n${meaning}\n\n${markdownTable([['column', 'type', 'meaning'], ...rows])}\n`;
}

function typeOf({ type, unit }: Column): string {
  return unit === null ? type : `${type}, ${unit}`;
}
