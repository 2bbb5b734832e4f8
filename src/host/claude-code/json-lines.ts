/** JSON lines as another program writes them: what can be read, and whether the end was cut off. Pure; never throws. */
import { jsonOf } from '../../events/answer.js';
import { deeperThan } from '../../events/depth.js';
import { isObject, type JsonObject } from '../wire/json.js';

export interface JsonLines {
  records: JsonObject[];
  /** Lines that are no JSON object, blank ones left out. */
  odd: number;
  /** Whether the last line lacks its end. */
  cut: boolean;
}

const NEWLINE = 0x0a;
/** Deeper records are not read: an event that quotes one could not be written. */
const DEPTH_LIMIT = 900;

/** Lines are split on byte 0x0A; a last line without it is read where it is whole. */
export function jsonLines(bytes: Buffer): JsonLines {
  const found: JsonLines = { records: [], odd: 0, cut: false };
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline;
    const line = bytes.subarray(at, end);
    const text = line.toString('utf8').trim();
    const record = text === '' || deeperThan(line, DEPTH_LIMIT) ? undefined : jsonOf(text);
    if (isObject(record)) found.records.push(record);
    else if (text !== '' && newline < 0) found.cut = true;
    else if (text !== '') found.odd += 1;
    at = end + 1;
  }
  return found;
}
