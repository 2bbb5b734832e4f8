/** What an HTTP status means for a person who wanted to speak MCP. */
import { STATUS_CODES } from 'node:http';
import { type Fault, shown } from './fault.js';
import { isObject } from './json.js';
import type { Reply } from './ledger.js';

const SHAKING_HANDS = ['initialize', 'server/discover'];
const REASON_LENGTH = 200;

/** `HTTP 404 Not Found`. */
export function statusWords(status: number): string {
  const name = STATUS_CODES[status];
  return name === undefined ? `HTTP ${status}` : `HTTP ${status} ${name}`;
}

/**
 * What came over HTTP in place of a reply: the status, what the server said, and what to do about it, to stand after
 * `answered initialize with`. The error is what the request ended with. Undefined for a reply on stdio, and for a message that came with a status of success.
 */
export function refusalWords(
  method: string,
  { http, line, message }: Reply,
  error: unknown,
): string | undefined {
  if (http === undefined) return undefined;
  // Only the error knows where a redirect pointed.
  if (http.status >= 300 && http.status < 400 && error instanceof Error) return error.message;
  const words = statusWords(http.status);
  if (isSuccess(http.status)) {
    const what = `${words} and no reply, but ${line.length} bytes of ${http.content_type ?? 'no type'}`;
    return Object.keys(message).length === 0 ? what : undefined;
  }
  const said = reasonOf(line, message.error);
  const todo = adviceOn(http.status, SHAKING_HANDS.includes(method));
  return [words, said, todo].filter((part) => part !== '').join(': ');
}

/** True for 2xx. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** A fault of a message, in words for what is no line on stdout. */
export function overHttp(fault: Fault): Fault {
  if (fault.code !== 'STRAY_LINE' && fault.code !== 'BLANK_LINE') return fault;
  return { ...fault, code: 'HTTP_BODY', severity: 'error', message: 'a message that is not JSON' };
}

function reasonOf(body: Buffer, error: unknown): string {
  if (isObject(error) && typeof error.message === 'string')
    return typeof error.code === 'number' ? `error ${error.code}: ${error.message}` : error.message;
  const text = shown(body).text.replace(/\s+/g, ' ').trim();
  return text.length > REASON_LENGTH ? `${text.slice(0, REASON_LENGTH)}…` : text;
}

function adviceOn(status: number, shaking: boolean): string {
  switch (status) {
    case 401:
      return 'it asks for credentials: give them as a header of the server';
    case 403:
      return 'it refuses these credentials, or this client: check the headers of the server';
    case 404:
      return shaking
        ? 'is this the address of its MCP endpoint?'
        : 'the session has expired, or the server was started anew';
    case 405:
      return 'is this the address of its MCP endpoint?';
    default:
      return '';
  }
}
