/** A new study: a copy of the records study, ready to run and to be given other inputs. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Problem } from '../events/problem.js';

const TEMPLATE = fileURLToPath(new URL('../../data/context-controls/', import.meta.url));
const COPIED = ['script.yaml', 'snapshot.json', 'fields.json', 'tasks.json', 'SOURCES.md'];

/** Copies the records study into a new or empty folder; gives the files written. Throws `FOLDER_NOT_EMPTY`. */
export function initStudy(directory: string): string[] {
  const target = resolve(directory);
  if (existsSync(target) && readdirSync(target).length > 0) {
    const todo = 'name a new or an empty folder';
    throw new Problem({
      code: 'FOLDER_NOT_EMPTY',
      what: 'this folder has files in it',
      todo,
      file: directory,
    });
  }
  mkdirSync(target, { recursive: true });
  const study = readFileSync(join(TEMPLATE, 'study.yaml'), 'utf8').replace(
    /^name: .*$/m,
    () => `name: ${nameOf(target)}`,
  );
  writeFileSync(join(target, 'study.yaml'), study, { flag: 'wx' });
  for (const name of COPIED) copyFileSync(join(TEMPLATE, name), join(target, name));
  return ['study.yaml', ...COPIED].map((name) => join(target, name));
}

/** The folder's name as a study name. */
function nameOf(directory: string): string {
  return (
    basename(directory)
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '') || 'study'
  );
}
