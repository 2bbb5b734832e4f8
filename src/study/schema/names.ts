/** What several parts of study.yaml are made of. */
import { z } from 'zod';

/** The name of a study, a server, a condition, a phrasing, an input or a probe. */
export const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    'it has letters, digits, ".", "_" and "-" only, a letter or digit first',
  );

/** A text that is not blank. */
export const filled = z.string().refine((text) => text.trim() !== '', 'is empty');

/** Whether no item stands in a list twice. */
export function isDistinct(items: string[]): boolean {
  return new Set(items).size === items.length;
}
