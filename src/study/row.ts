/** One record of a snapshot: what makes it sound, and how to read it. */

/** The longest value of a field, in UTF-16 units. */
const VALUE_LIMIT = 4_000;
const FIELD_NAME = /^[a-zA-Z][a-zA-Z0-9_]*$/;

/** A record: flat, all its values strings. Its fields are read with `fieldOf`: one may be called `constructor`. */
export interface Row {
  readonly id: string;
  readonly revision: string;
  readonly [field: string]: string;
}

/** A record's value of a field; undefined if the record itself has no such field, whatever its prototype has. */
export function fieldOf(row: Row, field: string): string | undefined {
  return Object.hasOwn(row, field) ? row[field] : undefined;
}

/** Whether a value is a sound record. `fields` collects the names of sound fields, so that each is checked only once. */
export function isRow(value: unknown, fields: Set<string>): value is Row {
  return faultOf(value, fields) === undefined;
}

/** What keeps a value from being a record, in words; undefined if nothing does. `fields` as in `isRow`. */
export function faultOf(value: unknown, fields: Set<string>): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is not an object';
  if (!('id' in value)) return 'it has no id';
  if (!('revision' in value)) return 'it has no revision';
  return keyFault('id', value.id) ?? keyFault('revision', value.revision) ?? fieldFault(value, fields);
}

/** How messages name a record: by its place in the file, counted from 1, and its id if it has one. */
export function nameOf(number: number, value: unknown): string {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
  return typeof id === 'string' && id !== '' ? `row ${number} (id ${shown(id)})` : `row ${number}`;
}

/** A text in quotes, on one line, cut after 60 characters. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function keyFault(key: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return `its ${key} is not a string`;
  return value === '' ? `its ${key} is empty` : undefined;
}

function fieldFault(record: object, fields: Set<string>): string | undefined {
  for (const [name, value] of Object.entries(record)) {
    if (!fields.has(name) && !FIELD_NAME.test(name)) {
      return `the name ${shown(name)} is not a letter followed by letters, digits or underscores`;
    }
    if (typeof value !== 'string') return `${shown(name)} is not a string`;
    if (value.length > VALUE_LIMIT)
      return `${shown(name)} has ${value.length} characters, over ${VALUE_LIMIT}`;
    fields.add(name);
  }
  return undefined;
}
