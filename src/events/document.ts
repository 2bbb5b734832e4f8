/** The reference of the event format, written out of the schemas: docs/events.md is this text. */
import { z } from 'zod';
import { eventSchema } from './event.js';
import { FAILURES } from './failures.js';
import { type Field, fieldsOf } from './fields.js';
import { envelope, FORMAT_VERSION } from './schema/envelope.js';

/** The whole of docs/events.md. */
export function documentEvents(): string {
  const stamps = fieldsOf(z.strictObject(envelope));
  const types = eventSchema.options.map((option) => eventSection(option));
  const failures = Object.entries(FAILURES).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return [
    ...[INTRODUCTION, '## The envelope', ENVELOPE, table([...stamps, TYPE]), '## Event types', CONTENTS],
    ...types,
    ...['## Failure codes', FAILURE_CODES, ['| code | meaning |', '|---|---|', ...failures].join('\n')],
    ...['## How versions change', VERSIONS],
  ]
    .join('\n\n')
    .concat('\n');
}

/** Every field of every event, its name behind the type of the event: `close.exit_code`. */
export function documentedFields(): Field[] {
  return eventSchema.options.flatMap((option) =>
    bodyOf(option).map((field) => ({ ...field, name: `${option.shape.type.value}.${field.name}` })),
  );
}

type EventSchema = (typeof eventSchema.options)[number];

function eventSection(option: EventSchema): string {
  const title = `### \`${option.shape.type.value}\``;
  return [title, option.description ?? '', table(bodyOf(option))].join('\n\n');
}

/** The fields of an event beside its envelope. */
function bodyOf(option: EventSchema): Field[] {
  return fieldsOf(option).filter(({ name }) => name !== 'type' && !(name in envelope));
}

function table(fields: Field[]): string {
  const rows = fields.map(
    ({ name, type, meaning }) => `| \`${name}\` | ${cell(type)} | ${cell(meaning ?? '')} |`,
  );
  return ['| field | type | meaning |', '|---|---|---|', ...rows].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

const TYPE: Field = { name: 'type', type: 'string', meaning: 'What happened: one of the headings below' };

const INTRODUCTION = `# Event format, version ${FORMAT_VERSION}

This page is written out of the schemas in \`src/events/schema\`; a test fails when they differ.

A run is one file, \`events.jsonl\`: what happened, in the order in which it happened. Verdicts on a run are events too, in a file of their own beside it, \`grades.jsonl\`. Both are written alike:

- One event is one line: a JSON object in UTF-8, ended by the byte 0x0A. Lines are split on that byte only. No byte order mark, no blank lines.
- A line begins with \`{"h":"\`, 64 hex digits and \`",\`. These 72 bytes are followed by the bytes that \`h\` covers, up to the newline, which it does not cover. [verify.md](verify.md) shows how to check a log by hand.
- The fields follow in the order of this page. Long ones come last, so that the beginning of a line says what it is.
- Every field is always there. What is not known, or does not apply, is \`null\`. A field that is not on this page makes a line \`bad-schema\`.
- U+2028 and U+2029 are written as escapes, and so are lone surrogates. Other text stands as it is.
- Integers lie within ±(2^53 − 1). Nothing is nested deeper than 1,000 levels.
- A log is only ever appended to. An event is on the disk before the step after it begins.`;

const ENVELOPE = 'Every event carries these fields, stamped by the writer of the log, in this order:';

const CONTENTS = `${eventSchema.options.map((option) => `\`${option.shape.type.value}\``).join(', ')}.

In names, a dot stands for a field of an object, and \`[]\` for each element of a list.`;

const FAILURE_CODES =
  'Why a trial or a run failed (`failure`). The set is closed: a new code needs a new version.';

const VERSIONS = `\`v\` names the version that a line is written in. A change that a reader of this page could trip over (a field more or less, another type, a new event, a new failure code) is a new version. Logs are never rewritten: older lines are lifted to the newest version when they are read, by a function that looks at nothing but the line. \`h\` is always checked against the bytes on the disk, before that.

A reader that meets a version which it does not know shows the line as \`bad-schema\` and goes on with the next.`;
