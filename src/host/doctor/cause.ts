/** Why a request had no answer that a host can use: the cause, its evidence in words, and what to do about it. */
import { utf8Bytes } from '../../events/bytes.js';
import { isObject } from '../wire/json.js';
import type { Evidence } from './finding.js';
import type { Launch } from './launch.js';
import type { HeardLine, Step } from './raw-server.js';
import { readStdoutLine } from './stdout-line.js';
import { bytes, excerpt, integer, ms } from './words.js';

/**
 * - `glued`: other text stands on the line of the reply. `no_newline`: the reply's line does not end.
 * - `eaten`: the request never reached the server's protocol code: a later ping was answered.
 * - `unflushed`: the reply came once stdin had ended: it had been kept in a buffer.
 * - `silent`, `exited`, `refused`: no answer in time; the process ended; a JSON-RPC error.
 * - `flooded`, `notified`: over 10,000 lines that are no messages, or over 100,000 messages that nobody asked for, came
 *   first, and the doctor ended it.
 */
export type CauseName =
  | 'glued'
  | 'no_newline'
  | 'eaten'
  | 'silent'
  | 'exited'
  | 'refused'
  | 'flooded'
  | 'notified'
  | 'unflushed';

/** A cause with what is known of it. */
export interface Cause {
  name: CauseName;
  what: string;
  fix: string;
  evidence: Evidence;
}

const FIXES: Record<CauseName, string> = {
  glued: 'write nothing but protocol to stdout: log with console.error or to stderr, never without a newline',
  no_newline: 'end each message with a newline, and flush stdout after it',
  eaten: 'let nothing read stdin before the transport does: no process.stdin.on("data") before connect()',
  silent: 'connect the transport first and load slow things afterwards; look at stderr for what it waits for',
  exited: 'run the command by hand with the same environment, and read its stderr',
  flooded: 'write nothing but protocol to stdout: log to stderr, and less',
  unflushed: 'flush stdout after each message: print(…, flush=True) or python -u, fflush, autoflush',
  notified: 'send a notification only where something has changed, and never without end',
  refused: 'answer initialize, or server/discover, with a version that the host offers',
};

/** The cause of a step that was not answered. */
export function causeOf(step: Step, { end, lines }: Launch): Cause {
  const isLate = end?.late_replies.includes(step.method) ?? false;
  const name = step.outcome === 'silent' && isLate ? 'unflushed' : nameOf(step, end?.tail ?? '', lines);
  const evidence: Evidence = { cause: name, request: step.method, elapsed_ms: step.elapsed_ms };
  const cause = (what: string, more: Evidence = {}) => ({
    name,
    what,
    fix: FIXES[name],
    evidence: { ...evidence, ...more },
  });
  switch (name) {
    case 'glued':
      return cause(gluedWords(step), gluedFacts(step));
    case 'no_newline':
      return cause(`the reply to ${step.method} came without a newline at its end`, {
        tail: excerpt(end?.tail ?? ''),
      });
    case 'eaten':
      return cause(
        `${step.method} had no answer in ${ms(step.elapsed_ms)}, though a ping sent after it was answered in ` +
          `${ms(step.ping_ms ?? 0)}: something else read it from stdin`,
        { ping_ms: step.ping_ms },
      );
    case 'silent':
      return cause(
        `no answer to ${step.method} in ${ms(step.elapsed_ms)}; ${bytes(end?.stdout_bytes ?? 0)} came on stdout` +
          stderrWords(end?.stderr_tail),
        { lines: lines.length, stdout_bytes: end?.stdout_bytes ?? 0 },
      );
    case 'unflushed':
      return cause(
        `no answer to ${step.method} in ${ms(step.elapsed_ms)}: it came only when stdin had ended`,
        { stdout_bytes: end?.stdout_bytes ?? 0 },
      );
    case 'exited':
      return cause(
        `the server ${exitWords(end?.close)} before it answered ${step.method}${stderrWords(end?.stderr_tail)}`,
        {
          exit_code: end?.close.exit_code ?? null,
          signal: end?.close.signal ?? null,
        },
      );
    case 'flooded':
    case 'notified':
      return cause(
        `over ${integer(lines.length - 1)} lines came on stdout before an answer to ${step.method}`,
        {
          lines: lines.length,
          stdout_bytes: end?.stdout_bytes ?? 0,
        },
      );
    case 'refused':
      return cause(`${step.method} was refused: ${excerpt(errorMessage(step))}`, {
        error: step.reply?.error,
      });
    default:
      return name satisfies never;
  }
}

function nameOf(step: Step, tail: string, lines: HeardLine[]): CauseName {
  const messages = lines.filter(({ reading }) => reading.kind === 'message').length;
  if (step.outcome === 'glued' && isReplyItself(step)) return 'no_newline';
  if (step.outcome === 'flooded') return messages * 2 > lines.length ? 'notified' : 'flooded';
  if (step.outcome !== 'silent') return step.outcome === 'answered' ? 'silent' : step.outcome;
  if (step.ping_ms !== null) return 'eaten';
  const kind = readStdoutLine(Buffer.from(tail)).reading.kind;
  return kind === 'message' || kind === 'glued' ? 'no_newline' : 'silent';
}

/** What stands behind a reply on its line is the next message: the line did not end. */
function isReplyItself({ glued }: Step): boolean {
  if (glued === null || glued.before !== '') return false;
  return readStdoutLine(Buffer.from(glued.after)).reading.kind === 'message';
}

/** What stood around a reply: `"loading... " (11 B, no newline) stands before the reply to initialize`. */
export function gluedWords({ glued, method }: Step): string {
  const { before, after } = glued ?? { before: '', after: '' };
  if (before === '\ufeff') return `a byte order mark (3 B) stands before the reply to ${method}`;
  if (before === '[' && after.startsWith(']'))
    return `the reply to ${method} comes in an array: hosts read no batches`;
  const [text, side] = before === '' ? [after, 'after'] : [before, 'before'];
  return `${excerpt(text)} (${bytes(utf8Bytes(text))}, no newline) stands ${side} the reply to ${method} on its line`;
}

function gluedFacts({ glued }: Step): Evidence {
  const { before, after } = glued ?? { before: '', after: '' };
  return {
    ...{ before: before.slice(0, 1000), before_bytes: utf8Bytes(before) },
    ...{ after: after.slice(0, 1000), after_bytes: utf8Bytes(after) },
  };
}

function exitWords(
  close: { exit_code: number | null; signal: string | null; how: string } | undefined,
): string {
  if (close?.how !== 'exited') return 'closed its stdout';
  return close.signal === null ? `exited with code ${close.exit_code}` : `was ended by ${close.signal}`;
}

/** The last line of stderr that tells of an error, else the last one. */
function stderrWords(tail: string | undefined): string {
  const lines = (tail ?? '').split('\n').filter((line) => line.trim() !== '');
  const telling =
    lines.findLast((line) => /error|exception|cannot|missing|not found/i.test(line)) ?? lines.at(-1);
  return telling === undefined ? '' : `; on stderr: ${excerpt(telling.trim())}`;
}

function errorMessage({ reply }: Step): string {
  const error = isObject(reply?.error) ? reply.error : {};
  return `${String(error.code)} ${String(error.message)}`;
}
