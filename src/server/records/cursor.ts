/** Cursors over the matches of one query: bound to the snapshot and the query, and refused if one character changed. */
import { sha256 } from '../../events/bytes.js';

/** Why a cursor is refused: it is none of ours, it is of another snapshot, or it is of another query. */
export type CursorRefusal = 'INVALID_CURSOR' | 'STALE_CURSOR' | 'CURSOR_QUERY_MISMATCH';

/** What a cursor belongs to. */
export interface CursorScope {
  /** SHA-256 of the snapshot, 64 hex digits. */
  snapshot: string;
  /** SHA-256 of the query without its cursor, 64 hex digits. */
  query: string;
}

/** How many digits of `scope` name the query. The other 16 check the position, so that it cannot be edited alone. */
const QUERY_DIGITS = 48;

/**
 * The cursor of the match at `index` (from 0): base64url of `{"index":…,"hash":…,"scope":…}`, where `hash` is the
 * snapshot's and `scope` is 48 digits of the query's hash and 16 digits of a hash over snapshot, query and position.
 * The checks find changes and mistakes, not forgery: a cursor opens nothing that the query itself would not show.
 */
export function encodeCursor(index: number, { snapshot, query }: CursorScope): string {
  const check = sha256(`${snapshot} ${query} ${index}`).slice(0, 64 - QUERY_DIGITS);
  const scope = query.slice(0, QUERY_DIGITS) + check;
  return Buffer.from(JSON.stringify({ index, hash: snapshot, scope })).toString('base64url');
}

/**
 * The position that a cursor of this scope stands for: an index under `count`, 0 where there is no cursor or an empty
 * one; or why the cursor is refused.
 */
export function decodeCursor(
  cursor: string | undefined,
  scope: CursorScope,
  count: number,
): number | CursorRefusal {
  if (cursor === undefined || cursor === '') return 0;
  const parts = partsOf(cursor);
  if (parts === undefined) return 'INVALID_CURSOR';
  if (parts.hash !== scope.snapshot) return 'STALE_CURSOR';
  if (queryOf(parts.scope) !== queryOf(scope.query)) return 'CURSOR_QUERY_MISMATCH';
  const { index } = parts;
  if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count)
    return 'INVALID_CURSOR';
  return encodeCursor(index, scope) === cursor ? index : 'INVALID_CURSOR';
}

/** What a cursor says, unchecked: nothing if it is JSON but no object; undefined if it is not even JSON. */
function partsOf(cursor: string): { index?: unknown; hash?: unknown; scope?: unknown } | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return typeof parts === 'object' && parts !== null ? parts : {};
  } catch {
    return undefined;
  }
}

function queryOf(scope: unknown): unknown {
  return typeof scope === 'string' ? scope.slice(0, QUERY_DIGITS) : undefined;
}
