/** Frozen inputs: their bytes are hashed once and compared before and after every step. */
import { readFileSync } from 'node:fs';
import { sha256 } from '../events/bytes.js';
import type { FailureCode } from '../events/failures.js';

export interface FrozenInput {
  name: string;
  path: string;
  bytes: Buffer;
  sha256: string;
}

export function freeze(name: string, path: string, bytes: Buffer): FrozenInput {
  return { name, path, bytes, sha256: sha256(bytes) };
}

const CODES: Partial<Record<string, FailureCode>> = {
  snapshot: 'SOURCE_CHANGED',
  fields: 'ALLOWLIST_CHANGED',
  tasks: 'TASKS_CHANGED',
};

/** The first input whose file no longer has the frozen bytes, with the failure code that says so; null where all hold. */
export function changedInput(inputs: FrozenInput[]): { code: FailureCode; path: string } | null {
  const changed = inputs.find((input) => currentDigest(input.path) !== input.sha256);
  return changed === undefined ? null : { code: CODES[changed.name] ?? 'INPUT_CHANGED', path: changed.path };
}

/** The digest of a file now; null where it cannot be read, which counts as changed. */
function currentDigest(path: string): string | null {
  try {
    return sha256(readFileSync(path));
  } catch {
    return null;
  }
}
