/** The keys that a run is graded by: the frozen ones, or those of a file for the same questions. */
import { readFileSync } from 'node:fs';
import { Problem } from '../events/problem.js';
import type { RunReceipt } from '../events/run-receipt.js';
import type { Store } from '../events/store.js';
import { parseTasks, type Task } from '../study/tasks.js';

export interface Keys {
  /** `frozen`, or the path of the file. */
  source: string;
  tasks: Map<string, Task>;
}

/** Keys as they were when the run was recorded, from the store. */
export function frozenKeys(store: Store, receipt: RunReceipt): Keys {
  const input = receipt.open.inputs.find((candidate) => candidate.name === 'tasks');
  if (input === undefined) throw new Error(`run ${receipt.run} froze no tasks`);
  return { source: 'frozen', tasks: byId(parseTasks(store.getBlob(input.sha256), input.path, null)) };
}

/** Keys of a file. Throws `QUESTION_CHANGED` or `KEY_MISSING` where they are not keys of this run's questions. */
export function keysOfFile(file: string, receipt: RunReceipt): Keys {
  const tasks = byId(parseTasks(read(file), file, null));
  for (const asked of receipt.open.tasks) {
    const task = tasks.get(asked.id);
    if (task === undefined) throw keyMissing(asked.id, receipt.run, file);
    if (task.question_sha256 !== asked.question_sha256) throw questionChanged(asked.id, receipt.run, file);
  }
  return { source: file, tasks };
}

function byId(tasks: Task[]): Map<string, Task> {
  return new Map(tasks.map((task) => [task.id, task]));
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
    throw new Problem({
      code: 'KEYS_MISSING',
      what: `this file cannot be read (${code})`,
      todo: 'check --keys',
      file,
    });
  }
}

function keyMissing(task: string, run: string, file: string): Problem {
  const what = `there is no key for the task "${task}" of run ${run}`;
  return new Problem({ code: 'KEY_MISSING', what, todo: 'add it, with its question', file });
}

function questionChanged(task: string, run: string, file: string): Problem {
  const what = `the question of "${task}" is not the one that run ${run} asked`;
  return new Problem({
    code: 'QUESTION_CHANGED',
    what,
    todo: 'keys may change, questions may not: record a new run',
    file,
  });
}
