/** A small store for the specifications of this folder, and queries on it. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { BodyOf, EventBody } from '../../events/event.js';
import { RUN, SOME, tickingClock, writeLog } from '../../events/events.test.support.js';
import { EventLog } from '../../events/log.js';
import { Store } from '../../events/store.js';
import { querySql } from './query.js';

/** A store without a run, gone when the test ends. */
export function emptyStore(test: TestContext): Store {
  const root = mkdtempSync(join(tmpdir(), 'measure-sql-'));
  test.after(() => rmSync(root, { recursive: true }));
  return new Store(root);
}

/** A store with one run of these events and these verdicts. */
export function storeOf(test: TestContext, bodies: EventBody[], grades: EventBody[] = []): Store {
  const store = emptyStore(test);
  addRun(store, RUN, bodies);
  const log = EventLog.create(store.gradesFile(RUN), RUN, tickingClock());
  for (const body of grades) log.append(body);
  log.close();
  return store;
}

export function addRun(store: Store, run: string, bodies: EventBody[]): void {
  mkdirSync(store.runDirectory(run));
  writeLog(store.runDirectory(run), bodies);
}

export function grade(change: Partial<BodyOf<'grade'>> = {}): BodyOf<'grade'> {
  return {
    ...{ type: 'grade', trial: 't/baseline', attempt: 1, task: 't', verdict: 'pass', execution: 'pass' },
    ...{ answer: 'pass', evidence: 'pass', caveats: 'not_required', tool_path: 'not_required' },
    ...{ key_sha256: SOME, keys: 'frozen', grader: '0.1.0', log_count: 8, log_head: SOME, reasons: [] },
    ...change,
  };
}

export function override(change: Partial<BodyOf<'override'>> = {}): BodyOf<'override'> {
  return {
    ...{ type: 'override', trial: 't/baseline', attempt: 1, verdict: 'fail', author: 'Ada' },
    ...{ reason: 'a guess', answer_sha256: null, log_count: 8, log_head: SOME },
    ...change,
  };
}

/** The rows of a query as objects. */
export async function ask(store: Store, sql: string): Promise<Record<string, unknown>[]> {
  const { columns, rows } = await querySql(store, sql);
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])));
}
