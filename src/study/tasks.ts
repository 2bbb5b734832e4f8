/** Reading a tasks file, and the checks that every question and key must pass before anything is spent. */
import { z } from 'zod';
import { Problem } from '../events/problem.js';
import { formInWords, formsOf, matchOf } from './accept/match.js';
import type { Asked } from './asked.js';
import { parseInput } from './document.js';
import { check } from './issue.js';
import {
  type Key,
  keyDigest,
  keyOf,
  questionDigest,
  TASK_KINDS,
  type TaskEntry,
  taskId,
  taskSchemaOf,
} from './key.js';
import { fieldOf, shown } from './row.js';
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

/** A problem at a place in the task that is looked at, or at its beginning. */
type Refuse = (code: string, what: string, todo: string, ...place: PropertyKey[]) => Problem;

/**
 * The tasks of a file; with `records`, checked against a snapshot and its allow-list; with `asked`, against the ways in
 * which questions are put. Throws with the line and a code for each check: `INVALID_TASKS`, `TASK_KINDS_REQUIRED`,
 * `INVALID_TASK_<kind>`, `DUPLICATE_TASK`, `ACCEPT_IN_QUESTION`, `LOOKUP_DETAIL_FIELD_REQUIRED`,
 * `AGGREGATE_DEFINITION_REQUIRED`, `AGGREGATE_KEY_MISMATCH`.
 */
export function parseTasks(
  bytes: Uint8Array,
  file: string,
  records: RecordsFacts | null,
  asked: Asked | null = null,
): Task[] {
  const { value, lineOf } = parseInput(bytes, file, z.unknown(), 'INVALID_TASKS');
  const at =
    (...index: number[]): Refuse =>
    (code, what, todo, ...place) =>
      new Problem({ code, what, todo, file, line: lineOf([...index, ...place]) });
  const entries = entriesOf(value, records !== null, at());
  const tasks = entries.map((entry, index) => readTask(entry, index, at(index)));
  const twice = tasks.findIndex((task, index) => tasks.findIndex((other) => other.id === task.id) !== index);
  if (twice >= 0) {
    throw at(twice)(
      'DUPLICATE_TASK',
      `two tasks are called ${shown(tasks[twice]?.id ?? '')}`,
      'give each an `id`',
    );
  }
  if (asked !== null) for (const [index, task] of tasks.entries()) checkForms(task, asked, at(index));
  if (records === null) return tasks;
  const ids = new Set(records.snapshot.rows.map((row) => row.id));
  return tasks.map((task, index) => checkRecordsTask(task, records, ids, at(index)));
}

function entriesOf(value: unknown, isRecords: boolean, refuse: Refuse): unknown[] {
  if (isRecords) requireKinds(value, refuse);
  if (!Array.isArray(value))
    throw refuse('INVALID_TASKS', 'the document must be a list of tasks', 'make it one');
  if (value.length === 0) throw refuse('INVALID_TASKS', 'there is no task in this file', 'add one');
  return value;
}

function requireKinds(value: unknown, refuse: Refuse): void {
  const kinds = Array.isArray(value) ? value.map(kindOf) : [];
  const once = TASK_KINDS.every((kind) => kinds.filter((other) => other === kind).length === 1);
  if (once && kinds.length === TASK_KINDS.length) return;
  const listed = kinds.map((kind) => (kind === undefined ? 'a task without a kind' : kind)).join(', ');
  const found = Array.isArray(value) ? listed || 'no task' : 'no list';
  const what = `a records study has a list of three tasks, one each of the kinds ${TASK_KINDS.join(', ')}; found: ${found}`;
  throw refuse('TASK_KINDS_REQUIRED', what, 'give each kind once');
}

function kindOf(value: unknown): string | undefined {
  const has = typeof value === 'object' && value !== null && 'kind' in value;
  return has && typeof value.kind === 'string' ? value.kind : undefined;
}

/** The code of a task that is wrong; a kind that would not do in a code is left out of it. */
function invalidTask(kind: string | null | undefined): string {
  return `INVALID_TASK_${/^\w+$/.test(kind ?? '') ? kind : 'unknown'}`;
}

const TODO = new Map([
  ['toolPath', 'correct the rule'],
  ['accept', 'correct the form'],
]);

function readTask(value: unknown, index: number, refuse: Refuse): Task {
  const checked = check(taskSchemaOf(kindOf(value)), value);
  if (!('data' in checked)) {
    const [field] = checked.path.map(String);
    const what = `${field === undefined ? 'a task' : `\`${checked.path.join('.')}\``} ${checked.what}`;
    const todo = TODO.get(field ?? '') ?? 'complete the question and its key';
    throw refuse(codeOf(kindOf(value), field), what, todo, ...checked.path);
  }
  const entry = checked.data;
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

function codeOf(kind: string | undefined, field: string | undefined): string {
  if (kind === 'lookup' && field === 'detailField') return 'LOOKUP_DETAIL_FIELD_REQUIRED';
  const defines = field === 'aggregateField' || field === 'aggregateValue';
  return kind === 'aggregate' && defines ? 'AGGREGATE_DEFINITION_REQUIRED' : invalidTask(kind);
}

/** An answer that repeats the question must not be right by that. */
function checkForms(task: Task, { answer, phrasings }: Asked, refuse: Refuse): void {
  const forms = formsOf(task.key, answer);
  for (const [index, form] of forms.entries())
    for (const { name: phrasing, template } of phrasings) {
      const found = matchOf(
        template.replace('{question}', () => task.question),
        [form],
      );
      if (found === null) continue;
      const what = `the accepted form ${formInWords(form)} finds ${shown(found.text)} in the question itself, as "${phrasing}" puts it`;
      const todo = 'write a form that only an answer has: a unit, or a pattern with the words around it';
      const place = task.key.accept === undefined ? ['expectedAnswer'] : ['accept', index];
      throw refuse('ACCEPT_IN_QUESTION', what, todo, ...place);
    }
}

function checkRecordsTask(task: Task, records: RecordsFacts, ids: Set<string>, refuse: Refuse): Task {
  const { key } = task;
  const unknown = key.evidenceIds.find((id) => !ids.has(id));
  if (unknown !== undefined) {
    const what = `evidence id ${shown(unknown)} is not in the snapshot`;
    throw refuse(invalidTask(key.kind), what, 'cite ids of the snapshot', 'evidenceIds');
  }
  if (key.kind === 'lookup') checkLookup(key, records, refuse);
  return key.kind === 'aggregate'
    ? { ...task, independent_count: checkAggregate(key, records, refuse) }
    : task;
}

function checkLookup({ detailField: field }: Key, { fields }: RecordsFacts, refuse: Refuse): void {
  if (field !== null && fields.includes(field) && field !== 'id' && field !== 'revision') return;
  const allowed = field !== null && fields.includes(field);
  const fault = allowed ? 'is in every brief result already' : 'is not an allowed field';
  const what = field === null ? '`detailField` is missing' : `\`detailField\` ${shown(field)} ${fault}`;
  const todo = 'name an allowed field other than id and revision';
  throw refuse('LOOKUP_DETAIL_FIELD_REQUIRED', what, todo, 'detailField');
}

function checkAggregate(key: Key, { snapshot, fields }: RecordsFacts, refuse: Refuse): number {
  const { aggregateField: field, aggregateValue: value } = key;
  if (field === null || value === null || !fields.includes(field)) {
    const what = '`aggregateField` must be an allowed field and `aggregateValue` a text';
    throw refuse('AGGREGATE_DEFINITION_REQUIRED', what, 'say what is counted', 'aggregateField');
  }
  const counted = snapshot.rows.filter((row) => fieldOf(row, field) === value).length;
  if (key.expectedAnswer === String(counted)) return counted;
  const what = `the key says ${shown(key.expectedAnswer)}, but ${counted} records have ${field} = ${shown(value)}`;
  throw refuse('AGGREGATE_KEY_MISMATCH', what, 'correct the key or the definition', 'expectedAnswer');
}
