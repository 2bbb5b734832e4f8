/** A study as it is run: its files read and frozen, its tasks checked, its conditions resolved. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Problem } from '../events/problem.js';
import type { Asked } from './asked.js';
import { CONTROLS, type Control, parseControls } from './controls.js';
import { type LineOf, parseInput, readInput } from './document.js';
import { type FrozenInput, freeze } from './freeze.js';
import { type StudyFile, studySchema } from './schema.js';
import { loadFields, loadSnapshot, SNAPSHOT_LIMIT_BYTES, type Snapshot } from './snapshot.js';
import { parseTasks, type Task } from './tasks.js';

export interface Condition {
  name: string;
  /** Null where Claude Code has no MCP server at all. */
  server: string | null;
  controls: readonly Control[];
  /** Tools that may be advertised, null for all. */
  tools: string[] | null;
  /** Fields that the host leaves out of model-facing text. */
  select: string[];
  /** Whether Claude Code keeps tool schemas back until its ToolSearch asks for them. */
  tool_search: boolean;
  /** Whether the repetitions of a task and phrasing share a home folder of Claude Code. */
  home: 'fresh' | 'kept';
  /** Further environment variables of Claude Code, literally. */
  settings: Record<string, string>;
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
  const absolute = resolve(path);
  const isFile = /^study\.(ya?ml|json)$/.test(basename(absolute));
  return isFile ? basename(dirname(absolute)) : basename(absolute).replace(/\.(ya?ml|json)$/, '');
}

/**
 * Reads, freezes and checks a study. Every check that fails throws a `Problem` with a code of its own: those of
 * `parseTasks`, `loadSnapshot` and `loadFields`, and `INVALID_STUDY`, `STUDY_MISSING`, `INPUT_MISSING`,
 * `INPUT_TOO_LARGE`, `SOURCE_CHANGED_DURING_STARTUP`.
 */
export function loadStudy(path: string): Study {
  const file = studyFile(path);
  const directory = dirname(file);
  const studyBytes = readInput(file);
  const { value: definition, lineOf } = parseInput(studyBytes, file, studySchema, 'INVALID_STUDY');
  const refuse: Refuse = (what, todo, ...place) =>
    new Problem({ code: 'INVALID_STUDY', what, todo, file, line: lineOf(place) });
  const conditions = conditionsOf(definition, refuse);
  checkNames(definition, refuse);
  if (definition.system === undefined && definition.host !== 'claude-code')
    throw refuse('`system` is missing', 'write it; only a study of host claude-code may leave it out');
  const at = (name: string) => resolve(directory, name);
  const tasks = freeze('tasks', at(definition.tasks), readInput(at(definition.tasks)));
  const declared = Object.entries(definition.inputs).map(([name, input]) =>
    freeze(name, at(input), readInput(at(input), SNAPSHOT_LIMIT_BYTES)),
  );
  const script = definition.script === undefined ? [] : [at(definition.script)];
  const inputs = [
    ...[freeze('study', file, studyBytes), tasks],
    ...script.map((scriptFile) => freeze('script', scriptFile, readInput(scriptFile))),
    ...declared,
  ];
  const records = definition.kind === 'records' ? loadRecords(declared, refuse) : null;
  return {
    ...{ file, directory, definition, conditions, inputs, records },
    tasks: parseTasks(tasks.bytes, tasks.path, records, askedBy(definition)),
  };
}

function askedBy({ answer, phrasings }: StudyFile): Asked {
  return {
    answer,
    phrasings: Object.entries(phrasings).map(([name, template]) => ({ name, template })),
  };
}

/** A problem of the study file, at a place in it. */
type Refuse = (what: string, todo: string, ...place: Parameters<LineOf>[0]) => Problem;

function loadRecords(declared: FrozenInput[], refuse: Refuse): { snapshot: Snapshot; fields: string[] } {
  const snapshotInput = declared.find((input) => input.name === 'snapshot');
  const fieldsInput = declared.find((input) => input.name === 'fields');
  if (snapshotInput === undefined || fieldsInput === undefined) {
    throw refuse(
      'a records study needs the inputs `snapshot` and `fields`',
      'name both under `inputs`',
      'inputs',
    );
  }
  const snapshot = loadSnapshot(snapshotInput.path);
  const allowed = loadFields(fieldsInput.path, snapshot, { refuseDuplicates: true });
  if (snapshot.hash !== snapshotInput.sha256) throw changedMeanwhile(snapshotInput.path);
  if (allowed.hash !== fieldsInput.sha256) throw changedMeanwhile(fieldsInput.path);
  return { snapshot, fields: allowed.fields };
}

function changedMeanwhile(file: string): Problem {
  const what = 'this input changed while it was being read';
  return new Problem({ code: 'SOURCE_CHANGED_DURING_STARTUP', what, todo: 'let nothing write to it', file });
}

function conditionsOf(definition: StudyFile, refuse: Refuse): Condition[] {
  return Object.entries(definition.conditions).map(([name, condition]) => {
    const server = serverOf(definition, name, refuse);
    const controls = controlsOf(condition.controls);
    const select = controls.includes('select') ? definition.select : [];
    if (controls.includes('select') && select.length === 0) {
      const what = `condition "${name}" has the control \`select\`, but the study selects nothing`;
      throw refuse(what, 'list the fields to leave out under `select`', 'conditions', name, 'controls');
    }
    const { tools = null, tool_search, home, settings } = condition;
    return { name, server, controls, tools, select, tool_search, home, settings };
  });
}

/** The server of a condition, null for none, which is left to Claude Code. */
function serverOf({ host, servers, conditions }: StudyFile, name: string, refuse: Refuse): string | null {
  const server = conditions[name]?.server;
  const known = Object.keys(servers);
  const todo = `use one of: ${known.join(', ')}`;
  if (server === undefined) {
    if (host === 'claude-code') return null;
    throw refuse(`condition "${name}" has no server`, todo, 'conditions', name);
  }
  if (known.includes(server)) return server;
  const what = `condition "${name}" names the server "${server}", which is not under \`servers\``;
  throw refuse(what, todo, 'conditions', name, 'server');
}

/** The controls that are on, in the order of `CONTROLS`. */
function controlsOf(chosen: 'none' | 'all' | Control[]): Control[] {
  if (typeof chosen === 'string') return parseControls(chosen);
  return CONTROLS.filter((control) => chosen.includes(control));
}

/** Names that measure itself uses for an input or in a server's command. */
const RESERVED = ['study', 'tasks', 'script', 'study_dir', 'condition', 'trial', 'controls'];

function checkNames({ inputs, probes, conditions }: StudyFile, refuse: Refuse): void {
  const taken = Object.keys(inputs).find((name) => RESERVED.includes(name) || name.endsWith('_sha256'));
  if (taken !== undefined) {
    throw refuse(
      `an input cannot be called "${taken}": measure uses that name`,
      'call it something else',
      'inputs',
      taken,
    );
  }
  const lost = Object.entries(probes).find(([, probe]) => !Object.hasOwn(conditions, probe.condition));
  if (lost === undefined) return;
  const [name, { condition }] = lost;
  const what = `probe "${name}" names the condition "${condition}", which is not under \`conditions\``;
  throw refuse(what, `use one of: ${Object.keys(conditions).join(', ')}`, 'probes', name, 'condition');
}
