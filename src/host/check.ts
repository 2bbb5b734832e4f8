/** The local check: the records server over real pipes, and the receipts of failures, on artificial records. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { jsonOf, textOf } from '../events/answer.js';
import { Problem } from '../events/problem.js';
import { replayFile } from '../events/replay.js';
import { Store } from '../events/store.js';
import { initStudy } from '../study/init.js';
import { type McpSession, openSession } from './mcp.js';
import { record } from './record.js';
import { PROGRAM } from './servers.js';

export interface CheckStep {
  name: string;
  passed: boolean;
  /** What was expected and found, where it failed. */
  detail: string | null;
}

/** Artificial records: `status` is open for the odd ones. */
const ROWS = Array.from({ length: 12 }, (_, index) => ({
  id: `T${String(index).padStart(2, '0')}`,
  revision: 'r1',
  status: index % 2 === 1 ? 'open' : 'closed',
  detail: `test-${index}`,
}));
const FIELDS = ['id', 'revision', 'status', 'detail'];
const OPEN = { matchField: 'status', matchValue: 'open', fields: ['detail'] };

interface Bench {
  directory: string;
  snapshot: string;
  fields: string;
}

/** Every step in turn; later ones run even where an earlier one failed. Leaves nothing behind. */
export async function* runCheck(): AsyncGenerator<CheckStep> {
  const directory = mkdtempSync(join(tmpdir(), 'measure-check-'));
  try {
    const bench = {
      directory,
      snapshot: join(directory, 'snapshot.json'),
      fields: join(directory, 'fields.json'),
    };
    writeFileSync(bench.snapshot, JSON.stringify(ROWS));
    writeFileSync(bench.fields, JSON.stringify(FIELDS));
    yield* guarded('every control', checkOptimized(bench));
    yield* guarded('no control', checkBaseline(bench));
    yield* guarded('receipts', checkReceipts(directory));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Turns an error in the middle of a part into a failed step. */
async function* guarded(name: string, steps: AsyncGenerator<CheckStep>): AsyncGenerator<CheckStep> {
  try {
    yield* steps;
  } catch (error) {
    yield { name, passed: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

async function* checkOptimized(bench: Bench): AsyncGenerator<CheckStep> {
  const session = await connect(bench, 'all');
  try {
    yield expect('handshake: server name', session.handshake.server_name, 'measured-records');
    yield expect('catalog: tools with every control', await toolNames(session), [
      'count_by_field',
      'exact_record',
      'find_records',
    ]);
    yield* checkPages(session);
    yield* checkCountAndDetail(session);
    yield* checkCursors(session, bench);
    yield* checkChanges(session, bench);
  } finally {
    await session.close();
  }
}

async function* checkPages(session: McpSession): AsyncGenerator<CheckStep> {
  const first = await ask(session, 'find_records', OPEN);
  yield expect(
    'pages: the first has five of six rows',
    [first.rows.length, first.totalMatches, first.moreAvailable],
    [5, 6, true],
  );
  yield expect('pages: detail of the first row', first.rows[0]?.detail, 'test-1');
  const second = await ask(session, 'find_records', { ...OPEN, cursor: first.nextCursor });
  yield expect('pages: the second has the sixth', [second.rows.length, second.moreAvailable], [1, false]);
  const repeat = await ask(session, 'find_records', OPEN);
  yield expect('cache: the same question again', [first.cache, repeat.cache], ['miss', 'hit']);
}

async function* checkCountAndDetail(session: McpSession): AsyncGenerator<CheckStep> {
  const question = { field: 'status', value: 'open' };
  const counted = await ask(session, 'count_by_field', question);
  const independent = ROWS.filter((row) => row.status === 'open').length;
  yield expect('aggregate: equals an independent count', counted.count, independent);
  const audit = await ask(session, 'count_by_field', { ...question, cursor: counted.nextCursor });
  yield expect('aggregate: audit ids in pages', [counted.auditIds.length, audit.auditIds.length], [5, 1]);
  const exact = await ask(session, 'exact_record', { id: 'T11' });
  yield expect('detail: one whole record', exact.row?.detail, 'test-11');
  yield expect(
    'detail: an absent id is found: false',
    (await ask(session, 'exact_record', { id: 'absent' })).found,
    false,
  );
}

async function* checkCursors(session: McpSession, bench: Bench): AsyncGenerator<CheckStep> {
  const refused = async (args: Record<string, unknown>) => errorOf(session, 'find_records', args);
  yield expect(
    'failure: a field outside the allow-list',
    await refused({ matchField: 'secret', matchValue: 'x', fields: [] }),
    'INVALID_FIELD',
  );
  yield expect('failure: a cursor that is none', await refused({ ...OPEN, cursor: 'bad' }), 'INVALID_CURSOR');
  yield expect(
    'failure: a cursor of another snapshot',
    await refused({ ...OPEN, cursor: await foreignCursor(bench) }),
    'STALE_CURSOR',
  );
  const { nextCursor } = await ask(session, 'find_records', OPEN);
  yield expect(
    'failure: a cursor of another query',
    await refused({ ...OPEN, fields: [], cursor: nextCursor }),
    'CURSOR_QUERY_MISMATCH',
  );
}

async function* checkChanges(session: McpSession, bench: Bench): AsyncGenerator<CheckStep> {
  yield* whileChanged(bench.snapshot, JSON.stringify(ROWS).replace('test-0', 'test-changed'), async () =>
    expect('failure: a changed snapshot', await errorOf(session, 'find_records', OPEN), 'SOURCE_CHANGED'),
  );
  yield* whileChanged(bench.fields, JSON.stringify(FIELDS.slice(0, 3)), async () =>
    expect(
      'failure: a changed allow-list',
      await errorOf(session, 'count_by_field', { field: 'status', value: 'open' }),
      'ALLOWLIST_CHANGED',
    ),
  );
  yield expect(
    'recovery: restored files are served again',
    (await ask(session, 'find_records', OPEN)).totalMatches,
    6,
  );
}

async function* whileChanged(
  file: string,
  text: string,
  step: () => Promise<CheckStep>,
): AsyncGenerator<CheckStep> {
  const original = readFileSync(file);
  writeFileSync(file, text);
  try {
    yield await step();
  } finally {
    writeFileSync(file, original);
  }
}

async function* checkBaseline(bench: Bench): AsyncGenerator<CheckStep> {
  const session = await connect(bench, 'none');
  try {
    yield expect('catalog: tools without controls', await toolNames(session), [
      'exact_record',
      'list_records',
    ]);
    yield expect('baseline: every record at once', (await ask(session, 'list_records', {})).rows.length, 12);
  } finally {
    await session.close();
  }
}

/** Two runs that fail before a model is asked: each must leave a log that replays. */
async function* checkReceipts(directory: string): AsyncGenerator<CheckStep> {
  const study = join(directory, 'study');
  initStudy(study);
  const store = new Store(join(directory, 'runs'));
  const startup = await failedStart(study, store);
  yield expect('receipt: a failed start-up', [startup.status, startup.code], ['failed', 'API_KEY_REQUIRED']);
  const file = join(study, 'study.yaml');
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(
      /command:\n( +- .*\n)+/,
      `command: [${JSON.stringify(process.execPath)}, -e, "process.exit(3)"]\n`,
    ),
  );
  const conditions = ['baseline', 'optimized'];
  const { log } = await record({ study, store: store.root, host: 'scripted', conditions });
  const receipt = replayFile(log).receipt;
  const ends = receipt?.attempts.map((trial) => trial.failure) ?? [];
  yield expect(
    'receipt: a trial whose server does not start',
    [receipt?.status, ends[0]],
    ['failed', 'SERVER_EXITED'],
  );
  yield expect(
    'receipt: what follows a failure is skipped',
    ends.slice(1),
    Array.from({ length: 6 }, () => 'PRIOR_FAILURE'),
  );
}

/** A start without a key, which must not reach any endpoint. */
async function failedStart(
  study: string,
  store: Store,
): Promise<{ status: string | null; code: string | null }> {
  try {
    await record({ study, store: store.root, host: 'messages', model: 'offline-check', env: {} });
    return { status: null, code: null };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const receipt = replayFile(store.eventsFile(store.resolveRun('latest'))).receipt;
    return { status: receipt?.status ?? null, code: receipt?.startup_code ?? null };
  }
}

function expect(name: string, found: unknown, wanted: unknown): CheckStep {
  const passed = isDeepStrictEqual(found, wanted);
  return {
    name,
    passed,
    detail: passed ? null : `expected ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`,
  };
}

async function connect(bench: Bench, controls: string): Promise<McpSession> {
  const flags = ['--snapshot', bench.snapshot, '--fields', bench.fields, '--controls', controls];
  const argv: [string, ...string[]] = [process.execPath, PROGRAM, 'serve', 'records', ...flags];
  return openSession(
    { argv, env: {}, cwd: bench.directory },
    { connectTimeoutMs: 20_000, onFault: () => {} },
  );
}

async function toolNames(session: McpSession): Promise<string[]> {
  const names: string[] = [];
  for await (const page of session.pages()) names.push(...page.tools.map((tool) => named.parse(tool).name));
  return names.sort();
}

const named = z.object({ name: z.string() });
const rows = z.array(z.record(z.string(), z.unknown()));
const answerSchema = z.object({
  rows: rows.default([]),
  row: z.record(z.string(), z.unknown()).nullish(),
  auditIds: z.array(z.string()).default([]),
  totalMatches: z.number().optional(),
  count: z.number().optional(),
  moreAvailable: z.boolean().optional(),
  nextCursor: z.string().nullish(),
  cache: z.string().optional(),
  found: z.boolean().optional(),
});

const CALL_MS = 10_000;

async function ask(
  session: McpSession,
  tool: string,
  args: Record<string, unknown>,
): Promise<z.infer<typeof answerSchema>> {
  const reply = await session.call(tool, args, CALL_MS);
  return answerSchema.parse(jsonOf(textOf(reply.content)) ?? {});
}

async function errorOf(session: McpSession, tool: string, args: Record<string, unknown>): Promise<string> {
  const reply = await session.call(tool, args, CALL_MS);
  return reply.is_error ? textOf(reply.content) : 'no error';
}

/** A real cursor, of a snapshot that differs in one value. */
async function foreignCursor(bench: Bench): Promise<unknown> {
  const snapshot = join(bench.directory, 'other.json');
  writeFileSync(snapshot, JSON.stringify(ROWS.map((row) => ({ ...row, detail: 'other' }))));
  const session = await connect({ ...bench, snapshot }, 'all');
  try {
    return (await ask(session, 'find_records', OPEN)).nextCursor;
  } finally {
    await session.close();
  }
}
