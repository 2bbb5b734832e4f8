/** Frozen inputs: their bytes are hashed once and compared before and after every step. */
import { readFileSync, statSync } from 'node:fs';
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

const CODES = new Map<string, FailureCode>([
  ['snapshot', 'SOURCE_CHANGED'],
  ['fields', 'ALLOWLIST_CHANGED'],
  ['tasks', 'TASKS_CHANGED'],
]);

/** The first input whose file no longer has the frozen bytes, with the failure code that says so; null where all hold. */
export function changedInput(inputs: FrozenInput[]): { code: FailureCode; path: string } | null {
  const changed = inputs.find((input) => !isUnchanged(input));
  return changed === undefined
    ? null
    : { code: CODES.get(changed.name) ?? 'INPUT_CHANGED', path: changed.path };
}

/** Whether the file is still a regular file of those bytes. One that cannot be read counts as changed; a pipe is not waited for. */
function isUnchanged(input: FrozenInput): boolean {
  try {
    const facts = statSync(input.path);
    return (
      facts.isFile() && facts.size === input.bytes.length && sha256(readFileSync(input.path)) === input.sha256
    );
  } catch {
    return false;
  }
}
