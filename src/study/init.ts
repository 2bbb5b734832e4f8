/** A new study: a copy of the records study, ready to run and to be given other inputs. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Problem } from '../events/problem.js';

const TEMPLATE = fileURLToPath(new URL('../../data/context-controls/', import.meta.url));
const COPIED = ['script.yaml', 'snapshot.json', 'fields.json', 'tasks.json', 'SOURCES.md'];

/**
 * Copies the records study into a new or empty folder; gives the files written. Throws `FOLDER_NOT_EMPTY`, or
 * `FOLDER_UNUSABLE` where there can be no such folder, or nothing can be written into it.
 */
export function initStudy(directory: string): string[] {
  const target = resolve(directory);
  const study = readFileSync(join(TEMPLATE, 'study.yaml'), 'utf8').replace(
    /^name: .*$/m,
    () => `name: ${JSON.stringify(nameOf(target))}`,
  );
  const files = [
    { name: 'study.yaml', bytes: study },
    ...COPIED.map((name) => ({ name, bytes: readFileSync(join(TEMPLATE, name)) })),
  ];
  return orUnusable(directory, () => {
    mkdirSync(target, { recursive: true });
    if (readdirSync(target).length > 0) throw notEmpty(directory);
    return files.map(({ name, bytes }) => writeNew(join(target, name), bytes));
  });
}

function writeNew(file: string, bytes: string | Uint8Array): string {
  writeFileSync(file, bytes, { flag: 'wx' });
  return file;
}

/** The folder's name as a study name. */
function nameOf(directory: string): string {
  const name = basename(directory).replace(/[^A-Za-z0-9._-]+/g, '-');
  return name.replace(/^[^A-Za-z0-9]+/, '').replace(/-+$/, '') || 'study';
}

function orUnusable<T>(directory: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof Problem || !(error instanceof Error && 'code' in error)) throw error;
    const isFile = error.code === 'EEXIST' || error.code === 'ENOTDIR';
    const what = isFile
      ? 'there is a file where the folder would be'
      : `it cannot be written (${error.code})`;
    const todo = 'name a new or an empty folder that you may write';
    throw new Problem({ code: 'FOLDER_UNUSABLE', what, todo, file: directory });
  }
}

function notEmpty(directory: string): Problem {
  const todo = 'name a new or an empty folder';
  return new Problem({
    code: 'FOLDER_NOT_EMPTY',
    what: 'this folder has files in it',
    todo,
    file: directory,
  });
}
