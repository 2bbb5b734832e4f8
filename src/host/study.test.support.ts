/** Small studies for the tests of the host, run against a real endpoint, and what came of them. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Event, EventOf, EventType } from '../events/event.js';
import { readEvents } from '../events/reader.js';
import { isVerified, type Replay, replayFile } from '../events/replay.js';
import type { TrialReceipt } from '../events/trial-receipt.js';
import { type Recording, type RecordOptions, record } from './record.js';
import { standIn } from './wire/stand-in.test.support.js';

/** The key of these tests. Wherever it turned up, a test would fail. */
export const KEY = 'sk-test-0123456789-never-to-be-recorded';

/** Tools of the stand-in server. `echo` answers with the text that it is given. */
const TOOLS = `
const names = ['echo', 'fail', 'empty', 'hang', 'die', 'environment', 'pid'];
const text = (text, more) => reply(message.id, { content: [{ type: 'text', text }], ...more });
if (message.method === 'tools/list')
  return reply(message.id, { tools: names.map((name) => ({ name, description: name, inputSchema: { type: 'object' } })) });
const given = message.params.arguments;
switch (message.params.name) {
  case 'echo': return text(given.text);
  case 'fail': return text('{"cache":"miss"}', { isError: true });
  case 'empty': return reply(message.id, { content: [] });
  case 'die': return process.exit(7);
  case 'environment': return text(JSON.stringify(process.env));
  case 'pid': return text(JSON.stringify({ pid: process.pid }));
}`;

/** A server with those tools. */
export const TOOL_SERVER = standIn(TOOLS);

/** A folder that is gone when the test ends. */
export function folderFor(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'measure-host-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const TASK = {
  ...{ question: 'How many?', expectedAnswer: '6', evidenceIds: ['T1'], requiredCaveats: [] },
};

/** Writes a study of one task and one condition, with what `change` says, and gives its folder. */
export function writeStudy(
  test: TestContext,
  change: Record<string, unknown> = {},
  limits: Record<string, number> = {},
  tasks: object[] = [{ id: 't', ...TASK }],
): string {
  const folder = folderFor(test);
  const study = {
    ...{ name: 'small', model: 'm', system: 'Answer in JSON.', tasks: 'tasks.json', order: 'listed' },
    limits: { connect_timeout_ms: 30_000, ...limits },
    inputs: { snapshot: 'snapshot.json', fields: 'fields.json' },
    servers: { tools: { command: TOOL_SERVER, protocol: 'legacy' } },
    conditions: { only: { server: 'tools' } },
    ...change,
  };
  writeFileSync(join(folder, 'study.json'), JSON.stringify(study));
  writeFileSync(join(folder, 'tasks.json'), JSON.stringify(tasks));
  writeFileSync(join(folder, 'snapshot.json'), '[]');
  writeFileSync(join(folder, 'fields.json'), '[]');
  return folder;
}

export interface Recorded extends Recording {
  events: Event[];
  replay: Replay;
  store: string;
}

/** Runs a study against an endpoint. Whatever happened, the log must replay to the same receipt and hold no key. */
export async function recordAt(
  test: TestContext,
  url: string,
  study: string,
  more: Partial<RecordOptions> = {},
): Promise<Recorded> {
  const store = join(folderFor(test), 'runs');
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url };
  const recording = await record({ study, store, env, ...more });
  const replay = replayFile(recording.log);
  assert.deepEqual(replay.receipt, recording.receipt);
  assert.equal(isVerified(replay), true);
  assert.deepEqual(filesHolding(store, KEY), []);
  return { ...recording, ...{ replay, store }, events: readEvents(recording.log).events };
}

/** Files below a folder that hold a text. */
export function filesHolding(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((file) => statSync(file).isFile() && readFileSync(file).includes(text));
}

/** Events of one type. */
export function only<T extends EventType>(events: Event[], type: T): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type);
}

/** Types of events in order, those about the run as a whole left out. */
export function typesOf(events: Event[]): string[] {
  return events.map((event) => event.type).filter((type) => type !== 'run_open' && type !== 'run_close');
}

/** How each trial and probe ended. */
export function endsOf(receipt: { attempts: TrialReceipt[] }): (string | null)[][] {
  return receipt.attempts.map(({ status, failure }) => [status, failure]);
}
