/** The frozen source of a server: the snapshot and the allow-list that it started with, checked again on every call. */
import { readFileSync } from 'node:fs';
import { sha256 } from '../../events/bytes.js';
import { Problem } from '../../events/problem.js';
import type { Row } from '../../study/row.js';
import { loadFields, loadSnapshot, type Snapshot } from '../../study/snapshot.js';

/** Which of the two files no longer holds the bytes that the server started with. */
export type SourceChange = 'SOURCE_CHANGED' | 'ALLOWLIST_CHANGED';

/** The two files of a source, and the SHA-256 that each must have, where the caller knows it. */
export interface SourceFiles {
  snapshot: string;
  fields: string;
  expectSnapshot?: string | undefined;
  expectFields?: string | undefined;
}

/** A source that is open: what it held at the start, and whether it still does. */
export interface Source {
  readonly snapshot: Snapshot;
  /** The names of the fields that may be returned, as the file lists them. */
  readonly allowed: readonly string[];
  readonly rowById: ReadonlyMap<string, Row>;
  /**
   * Reads both files again and compares their hashes. An unreadable file has changed. The snapshot is looked at first;
   * undefined if both are as they were, be it again.
   */
  changed(): SourceChange | undefined;
}

/**
 * Loads both files. Throws the Problems of `loadSnapshot` and `loadFields`, and `SOURCE_CHANGED` or `ALLOWLIST_CHANGED`
 * if a file has not the hash that was expected.
 */
export function openSource(files: SourceFiles): Source {
  const snapshot = loadSnapshot(files.snapshot);
  const { fields: allowed, hash } = loadFields(files.fields, snapshot);
  expectHash('SOURCE_CHANGED', files.snapshot, snapshot.hash, files.expectSnapshot);
  expectHash('ALLOWLIST_CHANGED', files.fields, hash, files.expectFields);
  const changed = (): SourceChange | undefined => {
    if (hashNow(files.snapshot) !== snapshot.hash) return 'SOURCE_CHANGED';
    return hashNow(files.fields) === hash ? undefined : 'ALLOWLIST_CHANGED';
  };
  return { snapshot, allowed, rowById: new Map(snapshot.rows.map((row) => [row.id, row])), changed };
}

function expectHash(code: SourceChange, file: string, hash: string, expected: string | undefined): void {
  if (expected === undefined || expected === hash) return;
  const what = `its SHA-256 is ${hash}, not the expected ${expected}`;
  throw new Problem({ code, what, todo: 'restore the file, or start again from the changed one', file });
}

function hashNow(file: string): string | undefined {
  try {
    return sha256(readFileSync(file));
  } catch {
    return undefined;
  }
}
