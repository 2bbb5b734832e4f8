/** What else than protocol came on stdout, and what it did: each launch was made with it. */
import { utf8Bytes } from '../../events/bytes.js';
import { type Evidence, type FindingKind, finding, type Outcome, passed } from './finding.js';
import type { Launch } from './launch.js';
import type { HeardLine } from './raw-server.js';
import { bytes, counted, excerpt } from './words.js';

const STDERR_ONLY = 'log to stderr (console.error): on stdio, stdout belongs to the protocol';

const BEFORE_HANDSHAKE: FindingKind = {
  code: 'output-before-handshake',
  group: 'stdout',
  severity: 'warning',
  why: 'Claude Code skips a whole line that is no message; the protocol forbids it, and other hosts may end the session',
  fix: STDERR_ONLY,
};
const STRAY_LINES: FindingKind = {
  code: 'stray-lines',
  group: 'stdout',
  severity: 'warning',
  why: 'Claude Code skips and logs each of them; the protocol forbids them, and other hosts may end the session',
  fix: STDERR_ONLY,
};
const PARTIAL_LINE: FindingKind = {
  code: 'partial-line',
  group: 'stdout',
  severity: 'warning',
  why: 'text without a newline swallows the message that follows it on the same line; no answer was lost this time',
  fix: STDERR_ONLY,
};
const INVALID_UTF8: FindingKind = {
  code: 'invalid-utf8',
  group: 'stdout',
  severity: 'warning',
  why: 'hosts read U+FFFD where these bytes stood, so that what the model sees is not what was sent',
  fix: 'encode stdout as UTF-8, whatever the locale',
};
const BLANK_LINES: FindingKind = {
  code: 'blank-lines',
  group: 'stdout',
  severity: 'note',
  why: 'hosts skip blank lines, and some log an error for each',
  fix: 'end each message with exactly one newline',
};
const CRLF: FindingKind = {
  code: 'crlf',
  group: 'stdout',
  severity: 'note',
  why: 'a carriage return is white space in JSON, so that hosts read these lines; the protocol ends a line with a newline alone',
  fix: 'write "\\n", also on Windows',
};

/** Every kind of finding that this file makes. */
export const STDOUT_KINDS = [BEFORE_HANDSHAKE, STRAY_LINES, PARTIAL_LINE, INVALID_UTF8, BLANK_LINES, CRLF];

/** What the stdout of these launches shows. Partial lines that cost an answer are findings of the launches themselves. */
export function checkStdout(launches: Launch[]): Outcome[] {
  const lines = launches.flatMap((launch) => launch.lines);
  const strays = lines.filter(({ reading }) => reading.kind === 'stray');
  const repeated = new Set(strays.filter(isLate).map(({ head }) => head));
  const early = strays.filter((line) => !isLate(line) && !repeated.has(line.head));
  const late = strays.filter((line) => !early.includes(line));
  const effect = launches.every(lostNothing) ? 'harmless' : null;
  const found = [
    ...beforeHandshake(early, launches.length, effect),
    ...onRequests(late, launches, effect),
    ...partial(launches, effect),
    ...ofKind(INVALID_UTF8, lines, ({ utf8 }) => !utf8, 'not valid UTF-8'),
    ...ofKind(BLANK_LINES, lines, ({ reading }) => reading.kind === 'blank', 'blank'),
    ...ofKind(CRLF, lines, ({ crlf }) => crlf, 'ending with a carriage return'),
  ];
  if (found.length > 0 || lines.some(({ reading }) => reading.kind === 'glued')) return found;
  if (lines.length === 0) return [];
  const total = launches.reduce((sum, { end }) => sum + (end?.stdout_bytes ?? 0), 0);
  const what = `${counted(lines.length, 'line')}, ${bytes(total)} in ${counted(launches.length, 'launch', 'launches')}: nothing but protocol`;
  return [passed('stdout', what, { lines: lines.length, stdout_bytes: total })];
}

/** Whether a launch connected, and every request but the probe was answered. */
function lostNothing({ era, steps }: Launch): boolean {
  const asked = steps.filter(({ method }) => method !== 'server/discover');
  return era !== null && asked.every(({ outcome }) => outcome === 'answered' || outcome === 'refused');
}

/** Whether a line came after the first reply. What is printed a request is seen before that reply, too. */
function isLate({ replies_before }: HeardLine): boolean {
  return replies_before > 0;
}

function beforeHandshake(lines: HeardLine[], launches: number, effect: string | null): Outcome[] {
  const [first] = lines;
  if (first === undefined) return [];
  const what = `${amount(lines)} before the first reply, in ${counted(launches, 'launch', 'launches')}: ${excerpt(first.head)}`;
  return [finding(BEFORE_HANDSHAKE, what, { ...facts(lines), launches, effect })];
}

function onRequests(lines: HeardLine[], launches: Launch[], effect: string | null): Outcome[] {
  const [first] = lines;
  if (first === undefined) return [];
  const requests = launches.reduce((sum, { steps }) => sum + steps.length, 0);
  const what = `${amount(lines)} over ${counted(requests, 'request')}: ${excerpt(first.head)}`;
  return [finding(STRAY_LINES, what, { ...facts(lines), requests, effect })];
}

/** Text around a message that was no awaited answer, or around the probe's; and what stood after the last newline. */
function partial(launches: Launch[], effect: string | null): Outcome[] {
  const costly = launches.some(({ steps }) =>
    steps.some(({ method, outcome }) => outcome === 'glued' && method !== 'server/discover'),
  );
  const glued = launches.flatMap(({ lines }) =>
    lines.flatMap(({ reading }) => (reading.kind === 'glued' ? [reading.before || reading.after] : [])),
  );
  const tails = launches.flatMap(({ end }) => (end === null || end.tail.trim() === '' ? [] : [end.tail]));
  const texts = [...glued, ...tails];
  const [first] = texts;
  if (costly || first === undefined) return [];
  const total = texts.reduce((sum, text) => sum + utf8Bytes(text), 0);
  const where = glued.length > 0 ? 'on the line of a message' : 'at the end of stdout';
  const what = `${bytes(total)} without a newline ${where}: ${excerpt(first)}`;
  return [finding(PARTIAL_LINE, what, { bytes: total, glued: glued.length, tails: tails.length, effect })];
}

function ofKind(
  kind: FindingKind,
  lines: HeardLine[],
  matches: (line: HeardLine) => boolean,
  words: string,
): Outcome[] {
  const found = lines.filter(matches);
  const [first] = found;
  if (first === undefined) return [];
  const shown = first.head.trim() === '' ? '' : `: ${excerpt(first.head)}`;
  return [finding(kind, `${amount(found)} ${words}${shown}`, facts(found))];
}

function amount(lines: HeardLine[]): string {
  return `${counted(lines.length, 'line')} (${bytes(sizeOf(lines))})`;
}

function facts(lines: HeardLine[]): Evidence {
  return { lines: lines.length, bytes: sizeOf(lines), first: lines[0]?.head ?? '' };
}

function sizeOf(lines: HeardLine[]): number {
  return lines.reduce((sum, line) => sum + line.bytes, 0);
}
