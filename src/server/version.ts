/** Which measure this is. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';

const MANIFEST = z.looseObject({ version: z.string() });

/** The version of measure, from its package.json. */
export function measureVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return MANIFEST.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}
