/** One step of the local check. */
import { isDeepStrictEqual } from 'node:util';

export interface CheckStep {
  name: string;
  passed: boolean;
  /** What was expected and found, where it failed. */
  detail: string | null;
}

/** A step that passes where what was found is what was wanted. */
export function expect(name: string, found: unknown, wanted: unknown): CheckStep {
  const passed = isDeepStrictEqual(found, wanted);
  return {
    name,
    passed,
    detail: passed ? null : `expected ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`,
  };
}
