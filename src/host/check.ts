/** The local check: everything but the model, on artificial records. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkReceipts } from './check-receipts.js';
import { checkBaseline, checkOptimized, setUp } from './check-server.js';
import type { CheckStep } from './check-step.js';

/** Every step in turn; later ones run even where an earlier one failed. Leaves nothing behind. */
export async function* runCheck(): AsyncGenerator<CheckStep> {
  const directory = mkdtempSync(join(tmpdir(), 'measure-check-'));
  try {
    const bench = setUp(directory);
    yield* guarded('every control', checkOptimized(bench));
    yield* guarded('no control', checkBaseline(bench));
    yield* guarded('receipts', checkReceipts(directory));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Turns an error in the middle of a part into a failed step. */
async function* guarded(name: string, steps: AsyncGenerator<CheckStep>): AsyncGenerator<CheckStep> {
  try {
    yield* steps;
  } catch (error) {
    yield { name, passed: false, detail: error instanceof Error ? error.message : String(error) };
  }
}
