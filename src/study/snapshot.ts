/** The frozen records of a study and the allow-list of their fields: read, checked, sorted and hashed. */
import { sha256 } from '../events/bytes.js';
import { Problem } from '../events/problem.js';
import { type FileKind, parseJson, readBounded, textOfUtf8 } from './json-file.js';
import { elementOffset, lineOf } from './json-place.js';
import { faultOf, isRow, nameOf, type Row, shown } from './row.js';

/** The largest snapshot file that is read: 256 MiB. */
export const SNAPSHOT_LIMIT_BYTES = 256 * 1024 * 1024;
/** The fewest and the most records of a snapshot. */
export const SNAPSHOT_RECORDS = { min: 2, max: 100_000 } as const;

const SNAPSHOT_FILE: FileKind = {
  limit: SNAPSHOT_LIMIT_BYTES,
  missing: 'SNAPSHOT_MISSING',
  tooLarge: 'SNAPSHOT_TOO_LARGE',
  invalid: 'INVALID_SNAPSHOT',
};

const FIELDS_FILE: FileKind = {
  limit: 4 * 1024 * 1024,
  missing: 'FIELDS_MISSING',
  tooLarge: 'INVALID_ALLOWLIST',
  invalid: 'INVALID_ALLOWLIST',
};

/** The records of one snapshot file. */
export interface Snapshot {
  /**
   * All records by id, as `Intl.Collator('en')` orders them; ids that it holds equal keep the order of the file. The
   * locale is pinned because plain `localeCompare` follows the machine's own: pages, cursors and evidence would then
   * differ between two machines that hold the same bytes. `en` is what machines set to English or to C would do anyway.
   */
  readonly rows: readonly Row[];
  /** SHA-256 of the file's bytes, in hex. */
  readonly hash: string;
  /** The first 16 digits of the hash: the name of this state of the source. */
  readonly revision: string;
  /** Every field name that some record has, in UTF-16 order. */
  readonly fields: readonly string[];
}

/**
 * Reads a snapshot: a JSON array of 2 to 100,000 records, each with a unique non-empty `id` and a non-empty `revision`,
 * every value a string of at most 4,000 UTF-16 units, every name a letter followed by letters, digits or underscores.
 * Throws a Problem that names the file and, where it is known, the line and the record: `SNAPSHOT_MISSING` (it cannot be
 * read), `SNAPSHOT_TOO_LARGE` (over 256 MiB or 100,000 records), `INVALID_SNAPSHOT`, `INVALID_RECORD`, `DUPLICATE_ID`.
 */
export function loadSnapshot(file: string): Snapshot {
  const bytes = readBounded(file, SNAPSHOT_FILE);
  const text = textOfUtf8(bytes, file, SNAPSHOT_FILE.invalid);
  const records = parseJson(text, file, SNAPSHOT_FILE);
  if (!Array.isArray(records)) throw malformed(file, 'it is not an array of records');
  checkCount(records.length, file);
  const { rows, fields } = checkRecords(records, text, file);
  const hash = sha256(bytes);
  return { rows: rows.sort(byId), hash, revision: hash.slice(0, 16), fields: [...fields].sort() };
}

/** The fields that a server may return, in the order of their file, and the SHA-256 of that file's bytes in hex. */
export interface AllowList {
  fields: string[];
  hash: string;
}

/**
 * Reads an allow-list: a JSON array of names of fields, `id` and `revision` among them, each a field of the snapshot. A
 * name may stand there twice unless `refuseDuplicates` is set. Throws the Problem `FIELDS_MISSING` (it cannot be read)
 * or `INVALID_ALLOWLIST`.
 */
export function loadFields(
  file: string,
  snapshot: Snapshot,
  { refuseDuplicates = false }: { refuseDuplicates?: boolean } = {},
): AllowList {
  const bytes = readBounded(file, FIELDS_FILE);
  const names = parseJson(textOfUtf8(bytes, file, FIELDS_FILE.invalid), file, FIELDS_FILE);
  if (!isListOfStrings(names)) throw refused(file, 'it is not an array of strings');
  const known = new Set(snapshot.fields);
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw refused(file, `no record has a field ${shown(unknown)}`);
  const missing = ['id', 'revision'].find((name) => !names.includes(name));
  if (missing !== undefined) throw refused(file, `${missing} is missing`);
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (refuseDuplicates && repeated !== undefined) throw refused(file, `${shown(repeated)} is repeated`);
  return { fields: names, hash: sha256(bytes) };
}

const collator = new Intl.Collator('en');
const byId = (left: Row, right: Row): number => collator.compare(left.id, right.id);

function checkCount(count: number, file: string): void {
  const { min, max } = SNAPSHOT_RECORDS;
  if (count < min) throw malformed(file, `it has ${count} records, and the fewest are ${min}`);
  if (count <= max) return;
  const what = `it has ${count} records, over the limit of ${max}`;
  throw new Problem({ code: 'SNAPSHOT_TOO_LARGE', what, todo: 'give a smaller extract', file });
}

/** The records as rows, in the order of the file, and the names of all their fields. */
function checkRecords(
  records: readonly unknown[],
  text: string,
  file: string,
): { rows: Row[]; fields: Set<string> } {
  const rows: Row[] = [];
  const fields = new Set<string>();
  const seen = new Map<string, number>();
  records.forEach((record, at) => {
    const number = at + 1;
    const place = { file, line: () => lineOf(text, elementOffset(text, number)) };
    if (!isRow(record, fields)) throw badRecord(place, number, record, fields);
    const earlier = seen.get(record.id);
    if (earlier !== undefined) throw duplicate(place, number, record.id, earlier);
    seen.set(record.id, number);
    rows.push(record);
  });
  return { rows, fields };
}

interface Place {
  file: string;
  /** The record's line, worked out only for a message. */
  line: () => number;
}

function badRecord({ file, line }: Place, number: number, record: unknown, fields: Set<string>): Problem {
  const what = `${nameOf(number, record)}: ${faultOf(record, fields)}`;
  return new Problem({ code: 'INVALID_RECORD', what, todo: 'correct it, or drop it', file, line: line() });
}

function duplicate({ file, line }: Place, number: number, id: string, earlier: number): Problem {
  const what = `${nameOf(number, { id })}: row ${earlier} has this id already`;
  return new Problem({ code: 'DUPLICATE_ID', what, todo: 'make ids unique', file, line: line() });
}

function malformed(file: string, what: string): Problem {
  return new Problem({ code: 'INVALID_SNAPSHOT', what, todo: 'give a JSON array of flat records', file });
}

function refused(file: string, what: string): Problem {
  const todo = 'list the fields that may be shown, id and revision among them';
  return new Problem({ code: 'INVALID_ALLOWLIST', what, todo, file });
}

function isListOfStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
