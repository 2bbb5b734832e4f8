/** A study as it is run: its files read and frozen, its tasks checked, its conditions resolved. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Problem } from '../events/problem.js';
import { type Control, parseControls } from './controls.js';
import { parseInput, readInput } from './document.js';
import { type FrozenInput, freeze } from './freeze.js';
import { type StudyFile, studySchema } from './schema.js';
import { loadFields, loadSnapshot, SNAPSHOT_LIMIT_BYTES, type Snapshot } from './snapshot.js';
import { parseTasks, type Task } from './tasks.js';

export interface Condition {
  name: string;
  server: string;
  controls: readonly Control[];
  /** Tools that may be advertised, null for all. */
  tools: string[] | null;
  /** Fields that the host leaves out of model-facing text. */
  select: string[];
}

export interface Study {
  /** Absolute path of study.yaml. */
  file: string;
  directory: string;
  definition: StudyFile;
  conditions: Condition[];
  tasks: Task[];
  /** Study file, tasks, script and every declared input, in that order. */
  inputs: FrozenInput[];
  /** Of a records study, else null. */
  records: { snapshot: Snapshot; fields: string[] } | null;
}

/** The study file that a path means: itself, or study.yaml, study.yml or study.json in that folder. */
export function studyFile(path: string): string {
  const absolute = resolve(path);
  if (existsSync(absolute) && statSync(absolute).isDirectory()) {
    const names = ['study.yaml', 'study.yml', 'study.json'];
    const found = names.map((name) => join(absolute, name)).find((file) => existsSync(file));
    if (found !== undefined) return found;
    const todo = 'name a study, or make one with `measure init DIR`';
    throw new Problem({
      code: 'STUDY_MISSING',
      what: 'there is no study.yaml in this folder',
      todo,
      file: path,
    });
  }
  return absolute;
}

/** A name for the run of a study that may not even load. */
export function studyNameOf(path: string): string {
  const name = basename(resolve(path)).replace(/\.(ya?ml|json)$/, '');
  return name === 'study' ? basename(dirname(resolve(path))) : name;
}

/** Reads, freezes and checks a study. Every check that fails throws a `Problem` with a code of its own. */
export function loadStudy(path: string): Study {
  const file = studyFile(path);
  const directory = dirname(file);
  const studyBytes = readInput(file);
  const definition = parseInput(studyBytes, file, studySchema, 'INVALID_STUDY');
  const at = (name: string) => resolve(directory, name);
  const tasksFile = at(definition.tasks);
  const tasksBytes = readInput(tasksFile);
  const script = definition.script === undefined ? null : at(definition.script);
  const declared = Object.entries(definition.inputs).map(([name, input]) => {
    const inputFile = at(input);
    return freeze(name, inputFile, readInput(inputFile, SNAPSHOT_LIMIT_BYTES));
  });
  const inputs = [
    freeze('study', file, studyBytes),
    freeze('tasks', tasksFile, tasksBytes),
    ...(script === null ? [] : [freeze('script', script, readInput(script))]),
    ...declared,
  ];
  const records = definition.kind === 'records' ? loadRecords(declared, file) : null;
  const tasks = parseTasks(tasksBytes, tasksFile, records);
  return { file, directory, definition, conditions: conditionsOf(definition, file), tasks, inputs, records };
}

function loadRecords(declared: FrozenInput[], file: string): { snapshot: Snapshot; fields: string[] } {
  const snapshotInput = declared.find((input) => input.name === 'snapshot');
  const fieldsInput = declared.find((input) => input.name === 'fields');
  if (snapshotInput === undefined || fieldsInput === undefined) {
    const what = 'a records study needs the inputs `snapshot` and `fields`';
    throw new Problem({ code: 'INVALID_STUDY', what, todo: 'name both under `inputs`', file });
  }
  const snapshot = loadSnapshot(snapshotInput.path);
  const allowed = loadFields(fieldsInput.path, snapshot, { refuseDuplicates: true });
  const changed = snapshot.hash !== snapshotInput.sha256 || allowed.hash !== fieldsInput.sha256;
  if (!changed) return { snapshot, fields: allowed.fields };
  const what = 'an input changed while it was being read';
  throw new Problem({
    code: 'SOURCE_CHANGED_DURING_STARTUP',
    what,
    todo: 'let nothing write to it',
    file: snapshotInput.path,
  });
}

function conditionsOf(definition: StudyFile, file: string): Condition[] {
  const known = Object.keys(definition.servers);
  return Object.entries(definition.conditions).map(([name, condition]) => {
    if (!known.includes(condition.server)) {
      const what = `condition "${name}" names the server "${condition.server}", which is not under \`servers\``;
      throw new Problem({ code: 'INVALID_STUDY', what, todo: `use one of: ${known.join(', ')}`, file });
    }
    const controls =
      typeof condition.controls === 'string' ? parseControls(condition.controls) : condition.controls;
    const select = controls.includes('select') ? definition.select : [];
    return { name, server: condition.server, controls, tools: condition.tools ?? null, select };
  });
}
