/** Small studies that the real Claude Code, or a stand-in for it, runs against the scripted model, on loopback. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Event } from '../../events/event.js';
import { readEvents } from '../../events/reader.js';
import { isVerified, replayFile } from '../../events/replay.js';
import { type Recording, type RecordOptions, record } from '../record.js';
import { filesHolding, folderFor, KEY } from '../study.test.support.js';
import { standIn } from '../wire/stand-in.test.support.js';
import { type ClaudeCli, findClaude } from './cli.js';

/** Of this test file alone, so that what others start at the same time is not taken for ours. */
const TEMPORARY = mkdtempSync(join(tmpdir(), 'measure-claude-'));
process.env.TMPDIR = TEMPORARY;
process.once('exit', () => rmSync(TEMPORARY, { recursive: true, force: true }));

/** The command, where it is installed. */
export const CLAUDE: ClaudeCli | null = await findClaude(process.env.MEASURE_CLAUDE, process.env).catch(
  () => null,
);

/** For tests that need it: why they are skipped, else false. */
export const WITHOUT =
  CLAUDE === null ? 'Claude Code is not installed: name it with MEASURE_CLAUDE, or put it on PATH' : false;

/** A server that knows where everything is, and tells its environment. */
export const NOTES = standIn(`
  if (message.method === 'tools/list')
    return reply(message.id, { tools: ['find', 'env'].map((name) => ({ name, description: name, inputSchema: { type: 'object' } })) });
  if (message.method !== 'tools/call')
    return send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no such method' } });
  const { name, arguments: given } = message.params;
  const text = name === 'env' ? JSON.stringify(process.env) : 'It is in drawer ' + given.what.length + '.';
  reply(message.id, { content: [{ type: 'text', text }] });
`);

const FIND = 'mcp__notes__find';
/** Looks for a tool where it is kept back, uses it, and says what it says. */
export const SCRIPT = `
- for: key
  offers: [${FIND}]
  steps:
    - { call: ToolSearch, arguments: { query: "select:${FIND}" }, when: '"${FIND}" in deferred' }
    - { call: ${FIND}, arguments: { what: key }, text: "Let me look." }
    - { answer: last }
- for: key
  steps: [{ answer: '"I cannot know that."' }]
- for: environment
  steps:
    - { call: ToolSearch, arguments: { query: "select:mcp__notes__env" }, when: '"mcp__notes__env" in deferred' }
    - { call: mcp__notes__env }
    - { answer: '"HOME" in $keys(last) ? last.HOME : "none"' }
- for: shell
  steps:
    - { call: Bash, arguments: { command: "touch x && ls" } }
    - { answer: '"done"' }
`;

const TASKS = [
  { id: 'key', question: 'Where is the key?', expectedAnswer: 'drawer 3' },
  { id: 'environment', question: 'Where do you live?', expectedAnswer: '-' },
  { id: 'shell', question: 'Which files are there?', expectedAnswer: '-' },
];

/** A program in place of the command: it tells this version, and then does what `code`, for node, says. */
export function fakeClaude(test: TestContext, code: string, version = '2.1.332'): string {
  const file = join(folderFor(test), 'claude');
  const script = `#!${process.execPath}
const { readFileSync, writeFileSync, appendFileSync, mkdirSync, existsSync } = require('node:fs');
if (process.argv[2] === '--version') { console.log('${version} (Claude Code)'); process.exit(0); }
const say = (line) => console.log(JSON.stringify({ session_id: 's-1', ...line }));
const init = (more) => say({ type: 'system', subtype: 'init', claude_code_version: '${version}', model: 'scripted', tools: [], mcp_servers: [], ...more });
const result = (more) => say({ type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: 'Yes.', permission_denials: [], usage: { input_tokens: 7, output_tokens: 3 }, modelUsage: {}, ...more });
const answer = (text) => {
  const folder = process.env.HOME + '/.claude/projects/-work';
  mkdirSync(folder, { recursive: true });
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', content: [{ type: 'text', text }], stop_reason: 'end_turn', usage: { input_tokens: 7, output_tokens: 3 } };
  writeFileSync(folder + '/s-' + process.pid + '.jsonl', JSON.stringify({ type: 'assistant', sessionId: 's-1', uuid: 'u-1', timestamp: new Date().toISOString(), message }) + '\\n');
  result({ result: text });
};
${code}
`;
  writeFileSync(file, script, { mode: 0o755 });
  return file;
}

export interface RunUnderClaude extends Recording {
  events: Event[];
  store: string;
}

/** Runs such a study. Whatever happened, the log replays to the same receipt, and nothing but the log is left. */
export async function recordClaude(
  test: TestContext,
  study: string,
  more: Partial<RecordOptions> = {},
): Promise<RunUnderClaude> {
  const store = join(folderFor(test), 'runs');
  const env = { PATH: process.env.PATH, ANTHROPIC_API_KEY: KEY };
  const recording = await record({ study, store, claude: CLAUDE?.named, env, ...more });
  const replay = replayFile(recording.log);
  assert.deepEqual(replay.receipt, recording.receipt);
  assert.equal(isVerified(replay), true);
  assert.deepEqual(filesHolding(store, KEY), []);
  assert.deepEqual(readdirSync(join(store, recording.run)), ['events.jsonl']);
  return { ...recording, store, events: readEvents(recording.log).events };
}

/** Folders of launches of this test file, which are gone when a trial has ended. */
export function workFolders(): string[] {
  return readdirSync(TEMPORARY).filter((name) => name.startsWith('work-'));
}

/** Writes a study whose host is Claude Code and whose model is scripted; gives its folder. */
export function writeClaudeStudy(
  test: TestContext,
  change: Record<string, unknown> = {},
  limits: Record<string, number> = {},
): string {
  const folder = folderFor(test);
  const study = {
    ...{ name: 'small', host: 'claude-code', model: 'scripted', script: 'script.yaml', answer: 'text' },
    ...{ tasks: 'tasks.json', order: 'listed', on_failure: 'continue' },
    limits: { connect_timeout_ms: 20_000, tool_timeout_ms: 10_000, trial_timeout_ms: 60_000, ...limits },
    servers: { notes: { command: NOTES } },
    conditions: { deferred: { server: 'notes' } },
    ...change,
  };
  writeFileSync(join(folder, 'study.json'), JSON.stringify(study));
  writeFileSync(join(folder, 'tasks.json'), JSON.stringify(TASKS));
  writeFileSync(join(folder, 'script.yaml'), SCRIPT);
  return folder;
}
