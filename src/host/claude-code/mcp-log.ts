/** The host's own log of a server: how long it took to connect. Pure; never throws. */
import { z } from 'zod';
import { jsonLines } from './json-lines.js';

const line = z.looseObject({ debug: z.string() });
const CONNECTED = /^Successfully connected \(transport: \w+\) in (\d+)\s?ms/;

/** Milliseconds of the first connection, as the log says it; null where it says none. */
export function connectMsIn(bytes: Buffer): number | null {
  for (const record of jsonLines(bytes).records) {
    const [, ms] = CONNECTED.exec(line.safeParse(record).data?.debug ?? '') ?? [];
    if (ms !== undefined) return Number(ms);
  }
  return null;
}
