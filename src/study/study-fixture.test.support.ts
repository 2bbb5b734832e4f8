/** A small records study for the tests of this folder, and problems as the text that a person reads. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Problem } from '../events/problem.js';
import { loadStudy } from './load.js';
import { parseTasks, type RecordsFacts, type Task } from './tasks.js';

/** Six records: three of them open. */
export const ROWS = [
  { id: 'T00', revision: 'r1', status: 'closed', detail: 'zero' },
  { id: 'T01', revision: 'r1', status: 'open', detail: 'one' },
  { id: 'T02', revision: 'r1', status: 'closed', detail: 'two' },
  { id: 'T03', revision: 'r1', status: 'open', detail: 'three' },
  { id: 'T04', revision: 'r1', status: 'closed', detail: 'four' },
  { id: 'T05', revision: 'r1', status: 'open', detail: 'five' },
];
export const FIELDS = ['id', 'revision', 'status', 'detail'];
export const FACTS: RecordsFacts = {
  snapshot: { rows: ROWS, hash: 'a'.repeat(64), revision: 'a'.repeat(16), fields: [...FIELDS].sort() },
  fields: FIELDS,
};

export const LOOKUP = {
  kind: 'lookup',
  question: 'What is T01?',
  expectedAnswer: 'one',
  evidenceIds: ['T01'],
  requiredCaveats: [],
  detailField: 'detail',
};
export const AGGREGATE = {
  kind: 'aggregate',
  question: 'How many are open?',
  expectedAnswer: '3',
  evidenceIds: ['T01'],
  requiredCaveats: [],
  aggregateField: 'status',
  aggregateValue: 'open',
};
export const LATER_PAGE = {
  kind: 'later_page',
  question: 'Which is last?',
  expectedAnswer: 'T05',
  evidenceIds: ['T05'],
  requiredCaveats: [],
};

export const STUDY = `name: small
kind: records
system: Answer in JSON.
inputs:
  snapshot: snapshot.json
  fields: fields.json
tasks: tasks.json
servers:
  records:
    command: [measure, serve, records]
select: [cache]
conditions:
  baseline:
    server: records
  optimized:
    server: records
    controls: all
`;

/** A JSON array with one entry a line, the first of them on line 2. */
export function lines(entries: unknown[]): string {
  return `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]\n`;
}

/** A folder that is gone when the test ends. */
export function folderFor(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'measure study-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A named pipe that nobody writes to. */
export function makePipe(path: string): void {
  execFileSync('sh', ['-c', 'mkfifo "$0"', path]);
}

/** A folder with the small study, some of its files replaced or added. */
export function studyFolder(test: TestContext, files: Record<string, string | Uint8Array> = {}): string {
  const folder = folderFor(test);
  const all = {
    'study.yaml': STUDY,
    'snapshot.json': lines(ROWS),
    'fields.json': JSON.stringify(FIELDS),
    'tasks.json': lines([LOOKUP, AGGREGATE, LATER_PAGE]),
    ...files,
  };
  for (const [name, bytes] of Object.entries(all)) writeFileSync(join(folder, name), bytes);
  return folder;
}

/** What a person is told about a study: the problem's message, the folder left out. */
export function problemOfStudy(test: TestContext, files: Record<string, string | Uint8Array>): string {
  const folder = studyFolder(test, files);
  return problemOf(() => loadStudy(folder)).replaceAll(`${folder}/`, '');
}

/** What a person is told about a list of tasks, each in a line of its own from line 2, in a records study. */
export function problemOfTasks(...entries: unknown[]): string {
  return problemOf(() => readTasks(entries));
}

export function readTasks(entries: unknown[], records: RecordsFacts | null = FACTS): Task[] {
  return parseTasks(Buffer.from(lines(entries)), 'tasks.json', records);
}

/** The message of the Problem that an action throws. */
export function problemOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}
