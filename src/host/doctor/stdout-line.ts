/** What a host makes of one line of a server's stdout: read as a host does, by `JSON.parse` of the whole line. */
import { isUtf8 } from 'node:buffer';
import { endOfValue } from '../../events/json-spans.js';
import { isObject, type JsonObject } from '../wire/json.js';

/**
 * - `message`: a JSON-RPC message. `blank`: nothing but white space.
 * - `glued`: a JSON-RPC message with other text before or after it on the line. No host can read it.
 * - `stray`: anything else, JSON that is no JSON-RPC message included.
 */
export type LineReading =
  | { kind: 'message'; message: JsonObject }
  | { kind: 'glued'; message: JsonObject; before: string; after: string }
  | { kind: 'blank' }
  | { kind: 'stray' };

/** One line as it came, without its newline. */
export interface StdoutLine {
  bytes: number;
  /** The first characters of the line. */
  head: string;
  reading: LineReading;
  /** Whether it ends with a carriage return. */
  crlf: boolean;
  utf8: boolean;
}

const HEAD_CHARACTERS = 240;
/** Longer lines are not searched for a message within. */
const SEARCH_LIMIT = 4 * 1024 * 1024;
/** Braces tried as the beginning of a message. */
const TRIES = 32;

/** Reads one line without its newline. */
export function readStdoutLine(line: Buffer): StdoutLine {
  const text = line.toString('utf8');
  return {
    bytes: line.length,
    // A part of its own: a slice of the text would keep all of it in memory.
    head: line
      .subarray(0, 4 * HEAD_CHARACTERS)
      .toString('utf8')
      .slice(0, HEAD_CHARACTERS),
    reading: readingOf(text),
    crlf: text.endsWith('\r'),
    utf8: isUtf8(line),
  };
}

function readingOf(text: string): LineReading {
  if (text.trim() === '' && !text.includes('\ufeff')) return { kind: 'blank' };
  if (!text.includes('"jsonrpc"')) return { kind: 'stray' };
  const message = messageIn(text);
  if (message !== undefined) return { kind: 'message', message };
  return text.length > SEARCH_LIMIT ? { kind: 'stray' } : (messageWithin(text) ?? { kind: 'stray' });
}

/** The first JSON-RPC message that stands somewhere in the text, with what is around it. */
function messageWithin(text: string): LineReading | undefined {
  let at = text.indexOf('{');
  for (let tries = 0; at !== -1 && tries < TRIES; tries += 1) {
    const end = endOfValue(text, at);
    const message = messageIn(text.slice(at, end));
    if (message !== undefined)
      return { kind: 'glued', message, before: text.slice(0, at), after: text.slice(end) };
    at = text.indexOf('{', at + 1);
  }
  return undefined;
}

function messageIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value.jsonrpc !== '2.0') return undefined;
    return typeof value.method === 'string' || 'result' in value || 'error' in value ? value : undefined;
  } catch {
    return undefined;
  }
}
