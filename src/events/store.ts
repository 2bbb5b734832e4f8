/** The store: where runs, their logs and the frozen bytes of their inputs lie. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { sha256 } from './bytes.js';
import { ensureDirectory, reserveDirectory, syncDirectory, writeOnce } from './durable.js';
import { Problem } from './problem.js';
import { onDisk, systemCode } from './system-error.js';

/** The paths of a store. Nothing is created before something is written. */
export class Store {
  readonly root: string;

  constructor(root: string) {
    this.root = resolve(root);
  }

  runDirectory(run: string): string {
    return join(this.root, run);
  }

  eventsFile(run: string): string {
    return join(this.root, run, 'events.jsonl');
  }

  gradesFile(run: string): string {
    return join(this.root, run, 'grades.jsonl');
  }

  /** Reserves the folder of a new run; an id is never used twice. */
  createRun(id: string): void {
    const directory = this.runDirectory(id);
    onDisk(
      { code: 'STORE_UNWRITABLE', what: 'the folder of a run cannot be created', file: directory },
      () => {
        ensureDirectory(this.root);
        reserveDirectory(directory);
      },
    );
  }

  /** Ids of the runs, oldest first. An absent store has none. */
  runs(): string[] {
    return entries(this.root)
      .filter((name) => RUN_ID.test(name))
      .sort();
  }

  /** The one run that `name` means: `latest` (reruns passed over), an id, or a prefix that fits one id. Throws `RUN_UNKNOWN`, `RUN_AMBIGUOUS`. */
  resolveRun(name: string): string {
    const runs = this.runs();
    const last = runs.findLast((run) => !RERUN_ID.test(run)) ?? runs.at(-1);
    if (name === 'latest' && last !== undefined) return last;
    const fits = runs.includes(name) ? [name] : runs.filter((run) => name !== '' && run.startsWith(name));
    const [first, second] = fits;
    if (first !== undefined && second === undefined) return first;
    throw first === undefined ? unknownRun(name, this.root) : ambiguousRun(name, fits);
  }

  /** Keeps bytes under their hash and returns their path inside the store, durably. Throws as `getBlob` does. */
  putBlob(bytes: Uint8Array, hash: string = sha256(bytes)): string {
    return this.putParts([bytes], hash);
  }

  /** The same for bytes that come in parts, whose hash is known. */
  putParts(parts: Iterable<string | Uint8Array>, hash: string): string {
    const path = blobPath(hash);
    const file = join(this.root, path);
    onDisk({ code: 'STORE_UNWRITABLE', what: 'the frozen copy of an input cannot be kept', file }, () => {
      ensureDirectory(dirname(file));
      if (readIfThere(file) === null) writeOnce(file, parts);
      else this.getBlob(hash);
      syncDirectory(dirname(file));
    });
    return path;
  }

  /** The bytes of that hash, checked. Throws `BLOB_MISSING` or `BLOB_DAMAGED`. */
  getBlob(hash: string): Buffer {
    const file = join(this.root, blobPath(hash));
    const facts = { code: 'BLOB_UNREADABLE', what: 'the frozen copy of an input cannot be read', file };
    const bytes = onDisk(facts, () => readIfThere(file));
    if (bytes === null)
      throw blobProblem('BLOB_MISSING', 'the frozen copy of an input is not in the store', file);
    if (sha256(bytes) !== hash)
      throw blobProblem('BLOB_DAMAGED', 'the bytes do not have the hash that names them', file);
    return bytes;
  }
}

/** A rerun is made from another run: `latest` does not mean it, where there are others. */
const RERUN_ID = /^\d{8}T\d{9}Z-rerun-/;
const RUN_ID = /^\d{8}T\d{9}Z-.+-[0-9a-f]{16}$/;

/** A run id: UTC time to the millisecond, the study's name, 64 random bits. Ids sort by time. */
export function newRunId(study: string, now: Date, random: Uint8Array = randomBytes(8)): string {
  const time = now.toISOString().replace(/[-:.]/g, '');
  const name =
    study
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 40)
      .replace(/^-|-$/g, '') || 'study';
  return `${time}-${name}-${Buffer.from(random).toString('hex')}`;
}

/** The path of a blob inside its store. */
export function blobPath(hash: string): string {
  return join('blobs', 'sha256', hash.slice(0, 2), hash);
}

function entries(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    const todo = 'check the folder and its permissions, or name another with --store';
    throw new Problem({
      code: 'STORE_UNREADABLE',
      what: 'the store cannot be read',
      todo,
      file: directory,
      exit: 3,
    });
  }
}

function readIfThere(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function unknownRun(name: string, root: string): Problem {
  const what = name === 'latest' ? 'there is no run in this store' : `no run begins with "${name}"`;
  return new Problem({
    code: 'RUN_UNKNOWN',
    what,
    todo: 'see `measure list`, or name a store with --store',
    file: root,
  });
}

function ambiguousRun(name: string, fits: string[]): Problem {
  const what = `"${name}" fits ${fits.length} runs (${fits.slice(0, 3).join(', ')}${fits.length > 3 ? ', …' : ''})`;
  return new Problem({ code: 'RUN_AMBIGUOUS', what, todo: 'give more of the id' });
}

function blobProblem(code: string, what: string, file: string): Problem {
  return new Problem({
    code,
    what,
    todo: `restore ${basename(file)} from a copy of the store`,
    file,
    exit: 3,
  });
}
