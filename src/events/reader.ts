/** The reader of logs. It is total: every byte of a file belongs to one line, and every line has a kind. */
import type { Event } from './event.js';
import { LINE_LIMIT, type Line, linesOf, type Place } from './lines.js';
import { type Complaint, parseLine } from './parse.js';
import { type Piece, piecesOf } from './resync.js';
import { beginChain, type Chain, judge, pass, type Verdict } from './verdict.js';

/**
 * A line of a log, or a piece of one that is damaged. `ok`, `gap` and `after-close` carry an event; only `ok` without a
 * `detail` is beyond complaint. A `gap` event whose h could not be checked says so.
 */
export type LogLine = Place & Verdict;

/** Every line of a log, in order. Throws `LOG_UNREADABLE` where the file cannot be read; damage is not an error. */
export function* readLog(file: string): Generator<LogLine> {
  const chain = beginChain();
  for (const line of linesOf(file)) yield* readLine(chain, line);
}

/** The events of a log, in order, and every line that there is something to say about. A damaged line has no event. */
export function readEvents(file: string): { events: Event[]; damage: LogLine[] } {
  const events: Event[] = [];
  const damage: LogLine[] = [];
  for (const line of readLog(file)) {
    if (line.event !== null) events.push(line.event);
    if (line.detail !== null) damage.push(line);
  }
  return { events, damage };
}

function* readLine(chain: Chain, { bytes, ...place }: Line): Generator<LogLine> {
  if (bytes === null) {
    yield { ...place, kind: 'bad-json', event: null, detail: `longer than ${LINE_LIMIT} bytes` };
    return;
  }
  const parsed = parseLine(bytes);
  if ('event' in parsed) yield { ...place, ...judge(chain, parsed.event, bytes) };
  else if (bytes.length === 0) yield { ...place, ...complaintOf(parsed, place) };
  else for (const piece of piecesOf({ ...place, bytes })) yield readPiece(chain, piece, place);
}

function readPiece(chain: Chain, { bytes, ...place }: Piece, line: Place): LogLine {
  const parsed = parseLine(bytes);
  if ('event' in parsed) return glued(place, line, judge(chain, parsed.event, bytes));
  pass(chain, bytes);
  return { ...place, ...complaintOf(parsed, line) };
}

/** An event among the bytes of a damaged line. */
function glued(piece: Place, line: Place, verdict: Verdict): LogLine {
  const last = piece.offset + piece.length === line.offset + line.length;
  if (verdict.kind !== 'ok' || last) return { ...piece, ...verdict };
  return { ...piece, ...verdict, detail: 'no newline ends this event, though bytes follow it' };
}

/** What was never finished at the end of a file is torn, which is not corruption. */
function complaintOf({ kind, detail }: Complaint, line: Place): Verdict {
  const unfinished = kind === 'bad-json' || kind === 'bad-utf8';
  return { kind: unfinished && !line.newline ? 'torn-tail' : kind, event: null, detail };
}
