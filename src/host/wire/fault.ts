/** Faults: anything odd on the wire or around it, kept as exact facts beside a readable form. */
import { isUtf8 } from 'node:buffer';
import { sha256 } from '../../events/bytes.js';

/** The longest readable form of a fault, and the most raw bytes that its base64 stands for. */
const SHOWN_BYTES = 4096;

/**
 * What a fault can be.
 * - `STRAY_LINE`, `BLANK_LINE`: a line on stdout that is not JSON; a line of white space only.
 * - `NOT_JSON_RPC`: JSON, but no JSON-RPC 2.0 message. `BATCH`: several messages in one array (they are read).
 * - `INVALID_UTF8`, `BYTE_ORDER_MARK`: the line was read all the same, with replacement characters or without the mark.
 * - `OVERSIZE_LINE`: over the cap a line; dropped. `TOO_DEEP`: nested too deeply to be read safely.
 * - `PARTIAL_LINE`: bytes without newline when the server ended. `MISSING_NEWLINE`: the same, but a whole message: it is read.
 * - `LATE_REPLY`, `DUPLICATE_REPLY`, `UNKNOWN_REPLY`, `NULL_ID_REPLY`: replies that nobody waits for.
 * - `ID_TYPE_CHANGED`: a reply whose id is a string where a number was sent, or the reverse (it is accepted).
 * - `BAD_REPLY`: a reply to a request of ours whose `result` or `error` has the wrong shape.
 * - `NO_CONTENT`: a tool result without a `content` array. `BAD_CURSOR`: a `nextCursor` that is no string.
 * - `STDIN_CLOSED`, `STDOUT_CLOSED`: the server closed a pipe and lived on.
 * - `NOT_SENT`: a message of ours could not be written, so that the server never had it.
 * - `LEFT_BEHIND`: processes that the server started and that outlived it (they were ended).
 * - `HTTP_STATUS`, `HTTP_BODY`, `HTTP_CUT`: over HTTP, a status that is no success; a body that is no message; a body
 *   or a stream that broke off.
 * - `CATALOG_CHANGED`: the server said that its tools changed. `CATALOG_DIFFERS`: it lists others than in an earlier trial.
 * - `PAGE_LOOP`: the listing does not end. `BAD_TOOL`: a tool that no model can be offered; it is left out.
 * - `LOSSY_JSON`: a message of the model, or the result of a tool, holds a number or a repeated key that JSON.parse does not
 *   keep; its bytes are kept.
 * - `CLIENT_ERROR`: the protocol client complained about something that none of the above names.
 */
export type FaultCode =
  | 'STRAY_LINE'
  | 'BLANK_LINE'
  | 'NOT_JSON_RPC'
  | 'BATCH'
  | 'INVALID_UTF8'
  | 'BYTE_ORDER_MARK'
  | 'OVERSIZE_LINE'
  | 'TOO_DEEP'
  | 'PARTIAL_LINE'
  | 'MISSING_NEWLINE'
  | 'LATE_REPLY'
  | 'DUPLICATE_REPLY'
  | 'UNKNOWN_REPLY'
  | 'NULL_ID_REPLY'
  | 'ID_TYPE_CHANGED'
  | 'BAD_REPLY'
  | 'NO_CONTENT'
  | 'BAD_CURSOR'
  | 'STDIN_CLOSED'
  | 'STDOUT_CLOSED'
  | 'NOT_SENT'
  | 'LEFT_BEHIND'
  | 'HTTP_STATUS'
  | 'HTTP_BODY'
  | 'HTTP_CUT'
  | 'CATALOG_CHANGED'
  | 'CATALOG_DIFFERS'
  | 'PAGE_LOOP'
  | 'BAD_TOOL'
  | 'LOSSY_JSON'
  | 'CLIENT_ERROR';

/** `warning`: nothing was lost. `error`: something that the server sent, or should have sent, did not arrive. */
type FaultSeverity = 'warning' | 'error';

/** One fault. `bytes_length` and `sha256` are of the exact bytes, however long; `text` is at most 4 KiB of them. */
export interface Fault {
  code: FaultCode;
  severity: FaultSeverity;
  message: string;
  bytes_length: number;
  sha256: string;
  /** Readable form: UTF-8 with U+FFFD for what is not, cut at a character within 4 KiB. */
  text: string;
  /** The first 4 KiB, exactly; only where the bytes are not valid UTF-8. */
  base64?: string;
  /** The whole line, where it stands in no exchange and in no other message. */
  line?: Buffer;
  /** The status of the HTTP response that it was found in. */
  http_status?: number;
}

/** A fault about these bytes: the line that was odd, or empty where no bytes are at fault. */
export function faultOf(code: FaultCode, severity: FaultSeverity, message: string, bytes: Buffer): Fault {
  return { code, severity, message, bytes_length: bytes.length, sha256: sha256(bytes), ...shown(bytes) };
}

/** A fault about a line that is part of nothing else, so that it has to be kept here. */
export function faultOfLine(code: FaultCode, severity: FaultSeverity, message: string, line: Buffer): Fault {
  return { ...faultOf(code, severity, message, line), line };
}

/** The readable form of bytes, and their base64 where they are not valid UTF-8; both capped at 4 KiB. */
export function shown(bytes: Buffer): { text: string; base64?: string } {
  const head = bytes.subarray(0, SHOWN_BYTES);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(head, {
    stream: bytes.length > head.length,
  });
  return isUtf8(bytes) ? { text } : { text, base64: head.toString('base64') };
}
