/** The reader of logs. It is total: every byte of a file belongs to one line, and every line has a kind. */
import { beginChain, type Chain, judge, skip } from './judge-line.js';
import { type Line, LINE_LIMIT, linesOf, type Place } from './lines.js';
import type { Event } from './event.js';
import { parseLine } from './parse.js';
import { type Piece, piecesOf } from './resync.js';

/** What can be wrong with a line. `ok`, `gap` and `after-close` carry an event; see `docs/verify.md`. */
export type LineKind =
  | 'ok'
  | 'torn-tail'
  | 'bad-json'
  | 'bad-schema'
  | 'bad-hash'
  | 'bad-utf8'
  | 'nul-run'
  | 'duplicate-seq'
  | 'gap'
  | 'after-close';
