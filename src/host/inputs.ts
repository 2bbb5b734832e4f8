/** The frozen inputs, compared before and after every step. */
import { changedInput } from '../study/freeze.js';
import type { Study } from '../study/load.js';
import { TrialFailure } from './failure.js';

/** Throws where a frozen input no longer has its bytes. */
export function assertInputs(study: Study): void {
  const changed = changedInput(study.inputs);
  if (changed !== null) throw new TrialFailure(changed.code, `${changed.path} is no longer the frozen input`);
}
