/** The local check of the records server, over real pipes, on artificial records. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { jsonOf, textOf } from '../events/answer.js';
import { type CheckStep, expect } from './check-step.js';
import { type McpSession, openSession } from './mcp.js';
import { PROGRAM } from './servers.js';

/** Artificial records: `status` is open for the odd ones. */
const ROWS = Array.from({ length: 12 }, (_, index) => ({
  id: `T${String(index).padStart(2, '0')}`,
  revision: 'r1',
  status: index % 2 === 1 ? 'open' : 'closed',
  detail: `test-${index}`,
}));
const FIELDS = ['id', 'revision', 'status', 'detail'];
const OPEN = { matchField: 'status', matchValue: 'open', fields: ['detail'] };

/** Where the artificial files lie. */
export interface Bench {
  directory: string;
  snapshot: string;
  fields: string;
}

/** Writes the artificial files into a folder. */
export function setUp(directory: string): Bench {
  const bench = {
    directory,
    snapshot: join(directory, 'snapshot.json'),
    fields: join(directory, 'fields.json'),
  };
  writeFileSync(bench.snapshot, JSON.stringify(ROWS));
  writeFileSync(bench.fields, JSON.stringify(FIELDS));
  return bench;
}

/** The server with every control. */
export async function* checkOptimized(bench: Bench): AsyncGenerator<CheckStep> {
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

/** The server without controls. */
export async function* checkBaseline(bench: Bench): AsyncGenerator<CheckStep> {
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
