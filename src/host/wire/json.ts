/** Reading a line as JSON-RPC: which messages it holds, and what is odd about it. */
import { isUtf8 } from 'node:buffer';
import { type Fault, faultOf, faultOfLine } from './fault.js';

/** A JSON object as parsed. */
export type JsonObject = Record<string, unknown>;

/** Deeper nesting than this is not handed on: recursive readers further up would overflow the stack. */
const DEPTH_LIMIT = 512;

/** The messages of one line (none, one, or those of a batch) and its faults. */
interface LineReading {
  messages: JsonObject[];
  faults: Fault[];
}

/** True for a JSON object: not null, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads one line without its newline. Never throws: what cannot be read is a fault. */
export function readLine(bytes: Buffer): LineReading {
  const faults: Fault[] = [];
  if (!isUtf8(bytes)) faults.push(faultOf('INVALID_UTF8', 'warning', 'the line is not valid UTF-8', bytes));
  const parsed = parse(bytes, faults);
  if (parsed === undefined) return { messages: [], faults };
  if (deeperThan(parsed.value, DEPTH_LIMIT)) {
    faults.push(faultOfLine('TOO_DEEP', 'error', `nested deeper than ${DEPTH_LIMIT} levels`, bytes));
    return { messages: [], faults };
  }
  if (Array.isArray(parsed.value))
    faults.push(faultOf('BATCH', 'warning', 'several messages in one array', bytes));
  const candidates: unknown[] = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  const messages = candidates.filter(isMessage);
  if (messages.length < candidates.length || candidates.length === 0) {
    faults.push(faultOfLine('NOT_JSON_RPC', 'error', 'JSON, but not a JSON-RPC 2.0 message', bytes));
  }
  return { messages, faults };
}

function parse(bytes: Buffer, faults: Fault[]): { value: unknown } | undefined {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  if (marked)
    faults.push(faultOf('BYTE_ORDER_MARK', 'warning', 'the line starts with a byte order mark', bytes));
  const text = (marked ? bytes.subarray(3) : bytes).toString('utf8');
  try {
    return { value: JSON.parse(text) };
  } catch {
    faults.push(
      text.trim() === ''
        ? faultOfLine('BLANK_LINE', 'warning', 'a blank line on stdout', bytes)
        : faultOfLine('STRAY_LINE', 'error', 'a line on stdout that is not JSON', bytes),
    );
    return undefined;
  }
}

function isMessage(value: unknown): value is JsonObject {
  if (!isObject(value) || value.jsonrpc !== '2.0') return false;
  return typeof value.method === 'string' || 'result' in value || 'error' in value;
}

/** True where arrays and objects stand in one another more than `levels` deep; a scalar has no level. */
export function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => deeperThan(inner, levels - 1));
}
