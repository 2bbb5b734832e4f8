/**
 * The tools of the records server, as functions from arguments to answers.
 *
 * Each control is a switch of its own; `exact_record` is always there.
 *
 * | control    | on                                                          | off                                                     |
 * |------------|-------------------------------------------------------------|---------------------------------------------------------|
 * | `filter`   | `find_records`: matching records, chosen fields             | `list_records` in its place: all records, all fields    |
 * | `count`    | `count_by_field`: a number and the ids that it counted      | no such tool                                            |
 * | `paginate` | matches and audit ids in pages of five, `cursor` arguments  | all at once, no `cursor`; `moreAvailable` always false  |
 * | `cache`    | results of find and count kept for 60 s; `cache` says which | nothing kept, no `cache` in a result                    |
 * | `select`   | nothing: it is the host's                                   | nothing                                                 |
 *
 * With none of them this is the broad server of a baseline, with all of them the controlled one.
 */
import { sha256 } from '../../events/bytes.js';
import type { Control } from '../../study/controls.js';
import { fieldOf, type Row } from '../../study/row.js';
import { type Clock, ResultCache } from './cache.js';
import { type CursorRefusal, type CursorScope, decodeCursor, encodeCursor } from './cursor.js';
import type { Source, SourceChange } from './source.js';

/** Why a call is refused: the whole text of its error result. */
export type Refusal = 'INVALID_FIELD' | CursorRefusal | SourceChange;

/** What a call answers: a result whose keys are in the order in which they are written, or a refusal. */
export type Answer = Record<string, unknown> | Refusal;

/** Arguments of `find_records`: records whose `matchField` is exactly `matchValue`, with these fields besides. */
export interface FindArguments {
  matchField: string;
  matchValue: string;
  fields: string[];
  cursor?: string | undefined;
}

/** Arguments of `count_by_field`. */
export interface CountArguments {
  field: string;
  value: string;
  cursor?: string | undefined;
}

/** How many matches a page holds. */
const PAGE = 5;

/** All tools over one open source. Which of them are offered is the catalog's business. */
export class RecordsTools {
  readonly #source: Source;
  readonly #paginate: boolean;
  readonly #cache: ResultCache<Record<string, unknown>> | undefined;

  constructor(source: Source, controls: readonly Control[], now: Clock) {
    this.#source = source;
    this.#paginate = controls.includes('paginate');
    this.#cache = controls.includes('cache') ? new ResultCache(now) : undefined;
  }

  /** One record with all allowed fields, or `found: false`. */
  exact({ id }: { id: string }): Answer {
    const refusal = this.#changed();
    if (refusal !== undefined) return refusal;
    const row = this.#source.rowById.get(id);
    const found = row !== undefined;
    return { ...this.#origin(), found, row: found ? project(row, this.#source.allowed) : null };
  }

  /** Every record with all allowed fields. */
  list(): Answer {
    const refusal = this.#changed();
    if (refusal !== undefined) return refusal;
    const { snapshot, allowed } = this.#source;
    const { rows } = snapshot;
    return { ...this.#origin(), total: rows.length, rows: rows.map((row) => project(row, allowed)) };
  }

  /** The matching records by id: a page of them, or all. Always with `id`, `revision` and the matched field. */
  find({ matchField, matchValue, fields, cursor }: FindArguments): Answer {
    const refusal = this.#changed() ?? this.#forbidden([matchField, ...fields]);
    if (refusal !== undefined) return refusal;
    const shown = [...new Set(['id', 'revision', matchField, ...fields])];
    const query = sha256(JSON.stringify(['find', matchField, matchValue, shown]));
    return this.#answer(query, cursor, () =>
      this.#page(query, cursor, matchField, matchValue, (total, rows) => ({
        totalMatches: total,
        rows: rows.map((row) => project(row, shown)),
      })),
    );
  }

  /** How many records match, and their ids by id: a page of them, or all. */
  count({ field, value, cursor }: CountArguments): Answer {
    const refusal = this.#changed() ?? this.#forbidden([field]);
    if (refusal !== undefined) return refusal;
    const query = sha256(JSON.stringify(['count', field, value]));
    return this.#answer(query, cursor, () =>
      this.#page(query, cursor, field, value, (count, rows) => ({
        definition: { field, value },
        count,
        auditIds: rows.map((row) => row.id),
      })),
    );
  }

  #changed(): SourceChange | undefined {
    const change = this.#source.changed();
    if (change !== undefined) this.#cache?.clear();
    return change;
  }

  #forbidden(fields: readonly string[]): 'INVALID_FIELD' | undefined {
    return fields.every((field) => this.#source.allowed.includes(field)) ? undefined : 'INVALID_FIELD';
  }

  #origin(): { sourceHash: string; sourceRevision: string } {
    return { sourceHash: this.#source.snapshot.hash, sourceRevision: this.#source.snapshot.revision };
  }

  /** The kept answer to this query at this cursor, else a new one, which is then kept unless it is a refusal. */
  #answer(query: string, cursor: string | undefined, compute: () => Page | CursorRefusal): Answer {
    const key = JSON.stringify([this.#source.snapshot.revision, query, cursor ?? null]);
    const kept = this.#cache?.get(key);
    if (kept !== undefined) return { ...kept, cache: 'hit' };
    const page = compute();
    if (typeof page === 'string') return page;
    if (this.#cache === undefined) return page.result;
    this.#cache.set(key, page.result, page.records);
    return { ...page.result, cache: 'miss' };
  }

  #page(
    query: string,
    cursor: string | undefined,
    field: string,
    value: string,
    describe: (total: number, rows: readonly Row[]) => Record<string, unknown>,
  ): Page | CursorRefusal {
    const matches = this.#source.snapshot.rows.filter((row) => fieldOf(row, field) === value);
    const scope: CursorScope = { snapshot: this.#source.snapshot.hash, query };
    const start = this.#paginate ? decodeCursor(cursor, scope, matches.length) : 0;
    if (typeof start === 'string') return start;
    const end = this.#paginate ? start + PAGE : matches.length;
    const rows = matches.slice(start, end);
    const moreAvailable = end < matches.length;
    const nextCursor = moreAvailable ? encodeCursor(end, scope) : null;
    const result = { ...this.#origin(), ...describe(matches.length, rows), moreAvailable, nextCursor };
    return { result, records: rows.length };
  }
}

/** A result and how many records it holds. */
interface Page {
  result: Record<string, unknown>;
  records: number;
}

/** A record's values of these fields, in this order, null where it has none; a repeated name counts once. */
function project(row: Row, fields: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(fields.map((field) => [field, fieldOf(row, field) ?? null]));
}
