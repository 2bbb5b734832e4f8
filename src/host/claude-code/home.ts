/** Where a launch lives: a home for what the command keeps, and an empty working folder that tells the model nothing. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sha256 } from '../../events/bytes.js';
import { ensureDirectory } from '../../events/durable.js';
import { Problem } from '../../events/problem.js';
import { systemCode } from '../../events/system-error.js';

/** The folders of a launch, all of them mode 0700. */
export interface Place {
  /** Below the folder of the run, so that a run that is killed leaves its evidence: what follows lies in here. */
  folder: string;
  /** HOME. */
  home: string;
  /** Folder of the tap's spools. */
  tap: string;
  /** Outside of the store, since the model is told its path: the working folder and TMPDIR lie in here. */
  work: string;
  cwd: string;
  tmp: string;
}

/** What a home is for: one launch, or all of those that share it. */
export interface HomeChoice {
  /** Folder of the run. */
  runFolder: string;
  /** Names what shares the home. */
  key: string;
  kept: boolean;
}

/** A variable that whatever this run started has, and nothing else: its HOME lies there. */
export function markerOf(runFolder: string): string {
  return `HOME=${homesOf(runFolder)}/`;
}

function homesOf(runFolder: string): string {
  return join(runFolder, 'claude-code');
}

/** A place to launch in: a fresh one, or, where it is kept, the one that this key had before. */
export function openPlace({ runFolder, key, kept }: HomeChoice): Place {
  const name = sha256(`${runFolder}\n${key}`).slice(0, 12);
  const folder = join(homesOf(runFolder), name);
  const work = kept ? keptWork(name) : freshWork();
  const place = {
    ...{ folder, home: join(folder, 'home'), tap: join(folder, 'tap') },
    ...{ work, cwd: join(work, 'folder'), tmp: join(work, 'tmp') },
  };
  for (const directory of [place.home, place.cwd, place.tmp]) ensureDirectory(directory);
  writeFileSync(join(folder, WORK), `${work}\n${identityOf(work)}\n`, { mode: 0o600 });
  return place;
}

/** File in the folder of a place that names its working folder, and tells it from another that has that name later. */
const WORK = 'work';

/** Removes working folders that a killed process of this run has left. */
export function clearWork(runFolder: string): void {
  const homes = homesOf(runFolder);
  for (const name of existsSync(homes) ? readdirSync(homes) : []) {
    const file = join(homes, name, WORK);
    const [work = '', identity = ''] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    if (work !== '' && identityOf(work) === identity) rmSync(work, REMOVE);
  }
}

/** Inodes are given again; with the time when it was made, one stands for a folder. */
function identityOf(folder: string): string | null {
  const { ino, birthtimeMs } = lstatSync(folder, { throwIfNoEntry: false }) ?? {};
  return ino === undefined ? null : `${ino} ${birthtimeMs}`;
}

/** What was killed a moment ago may still be seen writing. */
const REMOVE = { recursive: true, force: true, maxRetries: 5 };

/** Empties the working folder, which every launch finds empty. */
export function emptyWork({ cwd }: Place): void {
  rmSync(cwd, REMOVE);
  mkdirSync(cwd, { mode: 0o700 });
}

/** Removes what the log does not need: the working folder always, the home where all of it is in the log. */
export function closePlace(place: Place, { evidence }: { evidence: 'logged' | 'needed' }): void {
  rmSync(place.work, REMOVE);
  if (evidence === 'needed') return;
  rmSync(place.folder, REMOVE);
  removeIfEmpty(dirname(place.folder));
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemCode(error))) throw error;
  }
}

/**
 * The lowest number that is free: its path is part of what the model is sent, so that trials which follow one another
 * are sent the same.
 */
function freshWork(): string {
  for (let number = 1; ; number += 1) {
    const path = join(workRoot(), `work-${number}`);
    if (reserve(path)) return path;
  }
}

/** The same place each time, also in a run that is gone on with: the command remembers servers by their folder. */
function keptWork(name: string): string {
  const path = join(workRoot(), `work-${name}`);
  if (reserve(path)) return path;
  const { uid } = lstatSync(path);
  if (lstatSync(path).isDirectory() && uid === process.getuid?.()) return path;
  const what = 'a working folder cannot be made: somebody else has one of this name';
  throw new Problem({ code: 'WORK_FOLDER', what, todo: 'remove it, or set TMPDIR', file: path });
}

function reserve(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The folder for temporary files. In a git repository the model would be told its commits: throws `WORK_FOLDER`. */
export function workRoot(): string {
  const root = tmpdir();
  const repository = ancestors(root).find((folder) => existsSync(join(folder, '.git')));
  if (repository === undefined) return root;
  const what =
    'the folder for temporary files lies in a git repository, whose commits the model would be told';
  throw new Problem({ code: 'WORK_FOLDER', what, todo: 'set TMPDIR to another folder', file: repository });
}

function ancestors(path: string): string[] {
  return dirname(path) === path ? [path] : [path, ...ancestors(dirname(path))];
}
