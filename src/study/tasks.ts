/** Reading a tasks file, and the checks that every question and key must pass before anything is spent. */
import { z } from 'zod';
import { Problem } from '../events/problem.js';
import { parseInput, parseText } from './document.js';
import {
  type Key,
  keyDigest,
  keyOf,
  questionDigest,
  TASK_KINDS,
  type TaskEntry,
  taskId,
  taskSchema,
} from './key.js';
import type { Snapshot } from './snapshot.js';

export interface Task {
  id: string;
  question: string;
  question_sha256: string;
  key: Key;
  key_sha256: string;
  /** For an aggregate: matching rows of the snapshot, counted here and not by a server. */
  independent_count: number | null;
  /** The entry as it stands in the file, with further fields. */
  entry: TaskEntry;
}

/** What a records study checks its tasks against. */
export interface RecordsFacts {
  snapshot: Snapshot;
  fields: string[];
}

/** The tasks of a file. Throws with a code of its own for each check that fails. */
export function parseTasks(bytes: Uint8Array, file: string, records: RecordsFacts | null): Task[] {
  const entries = parseInput(bytes, file, z.array(z.unknown()), 'INVALID_TASKS');
  const lines = entryLines(bytes, file);
  if (records !== null) requireKinds(entries, file);
  if (entries.length === 0)
    throw problem('INVALID_TASKS', 'there is no task in this file', 'add one', file, 1);
  const tasks = entries.map((entry, index) => readTask(entry, index, file, lines(index)));
  const twice = tasks.findIndex((task, index) => tasks.findIndex((other) => other.id === task.id) !== index);
  if (twice >= 0)
    throw problem(
      'DUPLICATE_TASK',
      `two tasks are called "${tasks[twice]?.id}"`,
      'give each an `id`',
      file,
      lines(twice),
    );
  if (records === null) return tasks;
  return tasks.map((task, index) => checkRecordsTask(task, records, file, lines(index)));
}

function entryLines(bytes: Uint8Array, file: string): (index: number) => number {
  const { lineOf } = parseText(Buffer.from(bytes).toString('utf8'), file, 'INVALID_TASKS');
  return (index) => lineOf([index]);
}

function requireKinds(entries: unknown[], file: string): void {
  const kinds = entries.map((entry) =>
    typeof entry === 'object' && entry !== null && 'kind' in entry ? entry.kind : undefined,
  );
  const once = TASK_KINDS.every((kind) => kinds.filter((other) => other === kind).length === 1);
  if (once && kinds.length === TASK_KINDS.length) return;
  const found = kinds.map((kind) => String(kind)).join(', ') || 'none';
  const what = `a records study has three tasks, one each of the kinds ${TASK_KINDS.join(', ')}; found: ${found}`;
  throw problem('TASK_KINDS_REQUIRED', what, 'give each kind once', file, 1);
}

function readTask(value: unknown, index: number, file: string, line: number): Task {
  const result = taskSchema.safeParse(value);
  if (!result.success) {
    const issue = result.error.issues[0];
    const what = `\`${issue?.path.join('.') || 'task'}\`: ${issue?.message ?? 'does not fit'}`;
    throw problem(`INVALID_TASK_${kindName(value)}`, what, 'complete the question and its key', file, line);
  }
  const entry = result.data;
  const key = keyOf(entry);
  return {
    id: taskId(entry, index),
    question: entry.question,
    question_sha256: questionDigest(entry.question),
    key,
    key_sha256: keyDigest(key),
    independent_count: null,
    entry,
  };
}

function kindName(value: unknown): string {
  return typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string'
    ? value.kind
    : 'unknown';
}

function checkRecordsTask(task: Task, records: RecordsFacts, file: string, line: number): Task {
  const { key } = task;
  const ids = new Set(records.snapshot.rows.map((row) => row.id));
  const unknown = key.evidenceIds.find((id) => !ids.has(id));
  if (unknown !== undefined) {
    const what = `evidence id "${unknown}" is not in the snapshot`;
    throw problem(`INVALID_TASK_${key.kind}`, what, 'cite ids of the snapshot', file, line);
  }
  if (key.kind === 'lookup') checkLookup(key, records, file, line);
  return key.kind === 'aggregate'
    ? { ...task, independent_count: checkAggregate(key, records, file, line) }
    : task;
}

function checkLookup(key: Key, records: RecordsFacts, file: string, line: number): void {
  const field = key.detailField;
  if (field !== null && records.fields.includes(field) && field !== 'id' && field !== 'revision') return;
  const what = `\`detailField\` ${field === null ? 'is missing' : `"${field}" will not do`}`;
  throw problem(
    'LOOKUP_DETAIL_FIELD_REQUIRED',
    what,
    'name an allowed field other than id and revision',
    file,
    line,
  );
}

function checkAggregate(key: Key, records: RecordsFacts, file: string, line: number): number {
  const { aggregateField: field, aggregateValue: value } = key;
  if (field === null || value === null || !records.fields.includes(field)) {
    const what = '`aggregateField` must be an allowed field and `aggregateValue` a string';
    throw problem('AGGREGATE_DEFINITION_REQUIRED', what, 'say what is counted', file, line);
  }
  const counted = countMatches(records.snapshot, field, value);
  if (key.expectedAnswer !== String(counted)) {
    const what = `the key says "${key.expectedAnswer}", but ${counted} records have ${field} = "${value}"`;
    throw problem('AGGREGATE_KEY_MISMATCH', what, 'correct the key or the definition', file, line);
  }
  return counted;
}

function countMatches(snapshot: Snapshot, field: string, value: string): number {
  return snapshot.rows.filter((row) => Object.hasOwn(row, field) && row[field] === value).length;
}

function problem(code: string, what: string, todo: string, file: string, line: number): Problem {
  return new Problem({ code, what, todo, file, line });
}
