/** The keys that a run is graded by: the frozen ones, or those of a file for the same questions. */
import { Problem } from '../events/problem.js';
import type { RunReceipt } from '../events/run-receipt.js';
import type { Store } from '../events/store.js';
import type { Asked } from '../study/asked.js';
import { DOCUMENT_LIMIT } from '../study/document.js';
import { readBounded } from '../study/json-file.js';
import { parseTasks, type Task } from '../study/tasks.js';

export interface Keys {
  /** `frozen`, or the path of the file. */
  source: string;
  tasks: Map<string, Task>;
}

/** Keys as they were when the run was recorded, from the store: the study's own files may be gone. Throws `KEYS_UNKNOWN`. */
export function frozenKeys(store: Store, receipt: RunReceipt): Keys {
  const input = receipt.open.inputs.find((candidate) => candidate.name === 'tasks');
  if (input === undefined) throw noKeys(receipt.run);
  return { source: 'frozen', tasks: byId(parseTasks(store.getBlob(input.sha256), input.path, null)) };
}

/**
 * Keys of a file. Throws `QUESTION_CHANGED` or `KEY_MISSING` where they are not keys of this run's questions, and
 * `KEYS_MISSING`, `KEYS_TOO_LARGE` or a code of `parseTasks` where the file will not do.
 */
export function keysOfFile(file: string, receipt: RunReceipt): Keys {
  const bytes = readBounded(file, {
    limit: DOCUMENT_LIMIT,
    missing: 'KEYS_MISSING',
    tooLarge: 'KEYS_TOO_LARGE',
  });
  const tasks = byId(parseTasks(bytes, file, null, askedIn(receipt)));
  for (const asked of receipt.open.tasks) {
    const task = tasks.get(asked.id);
    if (task === undefined) throw keyMissing(asked.id, receipt.run, file);
    if (task.question_sha256 !== asked.question_sha256) throw questionChanged(asked.id, receipt.run, file);
  }
  return { source: file, tasks };
}

/** What a person should know about keys that grade all the same: an aggregate that the recorded count contradicts. */
export function keyWarnings(keys: Keys, receipt: RunReceipt): string[] {
  return receipt.open.tasks.flatMap(({ id, kind, independent_count: counted }) => {
    const expected = keys.tasks.get(id)?.key.expectedAnswer;
    if (kind !== 'aggregate' || counted === null || expected === undefined || expected === String(counted))
      return [];
    return [
      `the key of "${id}" says ${JSON.stringify(expected)}, but the host counted ${counted} when it recorded the run`,
    ];
  });
}

/** How the run put its questions; null where it never had a plan. */
function askedIn({ open: { plan } }: RunReceipt): Asked | null {
  return plan === null ? null : { phrasings: plan.phrasings, answer: plan.answer ?? 'json' };
}

function byId(tasks: Task[]): Map<string, Task> {
  return new Map(tasks.map((task) => [task.id, task]));
}

function noKeys(run: string): Problem {
  const what = `run ${run} kept no tasks, so its keys are not known`;
  return new Problem({ code: 'KEYS_UNKNOWN', what, todo: 'name a file of them with --keys', exit: 3 });
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
