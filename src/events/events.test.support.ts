/** Literal events for the specifications of this folder: a small run whose bodies are written out once. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Clock } from './clock.js';
import type { BodyOf, Event, EventBody } from './event.js';
import { EventLog } from './log.js';

export const RUN = '20261103T090000000Z-sample-0123456789abcdef';
/** A digest that stands for some bytes which do not matter. */
export const SOME = 'a'.repeat(64);
const WIRE = { request_bytes: 100, request_sha256: SOME, response_bytes: 400, response_sha256: SOME };

/** A clock that starts at 09:00 and ticks a second of wall time and a millisecond of monotonic time. */
export function tickingClock(): Clock {
  let wall = Date.UTC(2026, 10, 3, 9, 0, 0);
  let steady = 5_000_000n;
  return {
    now: () => {
      wall += 1000;
      return new Date(wall);
    },
    monotonic: () => {
      steady += 1_000_000n;
      return steady;
    },
  };
}

/** A folder that is gone when the test ends. */
export function folderFor(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'measure-events-'));
  test.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Writes a log of these events with the ticking clock and gives its path. */
export function writeLog(folder: string, bodies: EventBody[]): string {
  const file = join(folder, 'events.jsonl');
  const log = EventLog.create(file, RUN, tickingClock());
  for (const body of bodies) log.append(body);
  log.close();
  return file;
}

/** Changes the bytes of a file. */
export function damage(file: string, way: (bytes: Buffer) => Buffer): void {
  writeFileSync(file, way(readFileSync(file)));
}

/** The events as they would be read from a sound log; every h is the same, as folds do not look at it. */
export function stamped(bodies: EventBody[]): Event[] {
  return bodies.map((body, seq) => ({
    ...body,
    ...{ h: SOME, v: 1, run: RUN, seq, at: '2026-11-03T09:00:00.000Z', mono_ns: seq },
  }));
}

export function runOpen(change: Partial<BodyOf<'run_open'>> = {}): BodyOf<'run_open'> {
  return {
    type: 'run_open',
    study: { name: 'sample', path: '/studies/sample/study.yaml', sha256: SOME },
    ...{ host: 'scripted', model: 'model-1', system: 'Answer in JSON.', system_sha256: SOME },
    limits: {
      ...{ max_tokens: 1024, max_turns: 12, model_timeout_ms: 30_000, tool_timeout_ms: 10_000 },
      ...{ connect_timeout_ms: 5000, retries: 0, budget_tokens: null, budget_usd: null },
    },
    runtime: {
      ...{ measure: '0.1.0', node: 'v20.20.2', platform: 'linux x64', packages: {}, lockfile_sha256: null },
      ...{ git_commit: null, tokenizer: 'o200k_base', endpoint: null },
    },
    tasks: [{ id: 't', kind: 'lookup', question_sha256: SOME, key_sha256: SOME, independent_count: null }],
    inputs: [],
    plan: {
      conditions: [
        { name: 'baseline', server: 'records', tools: ['list_records'], controls: [], select: [] },
        { name: 'optimized', server: 'records', tools: null, controls: ['filter'], select: ['cache'] },
      ],
      phrasings: [{ name: 'plain', template: '{question}' }],
      ...{ repetitions: 1, order: 'listed', seed: 1, on_failure: 'stop', probes: [] },
      trials: [{ id: 't/baseline', task: 't', condition: 'baseline', phrasing: 'plain', repetition: 1 }],
    },
    ...change,
  };
}

export function trialOpen(change: Partial<BodyOf<'trial_open'>> = {}): BodyOf<'trial_open'> {
  return {
    ...{ type: 'trial_open', trial: 't/baseline', purpose: 'trial', condition: 'baseline', task: 't' },
    ...{ phrasing: 'plain', repetition: 1, attempt: 1, question_sha256: SOME, prompt: 'How many are open?' },
    ...change,
  };
}

export function launch(change: Partial<BodyOf<'launch'>> = {}): BodyOf<'launch'> {
  return {
    ...{ type: 'launch', trial: 't/baseline', launch: 1, program_path: '/opt/claude', program_sha256: SOME },
    ...{ program_version: '2.1.332', home: 'fresh', argv: ['claude', '-p', 'How many are open?'] },
    ...{ settings: { ENABLE_TOOL_SEARCH: 'true' }, env_names: ['ENABLE_TOOL_SEARCH', 'PATH'], servers: {} },
    ...change,
  };
}

export function launchEnd(change: Partial<BodyOf<'launch_end'>> = {}): BodyOf<'launch_end'> {
  return {
    ...{ type: 'launch_end', trial: 't/baseline', launch: 1, outcome: 'answered', how: 'exited' },
    ...{ exit_code: 0, signal: null, elapsed_ms: 4321, session_id: 's', version: '2.1.332' },
    ...{ model: 'model-1', connect_ms: 638, num_turns: 2, cost_usd: 0.5, tools: ['Bash'] },
    ...{ servers: [{ name: 'notes', status: 'connected' }], stderr_tail: null, evidence: [] },
    usage: { input_tokens: 4, cache_creation_input_tokens: 90, output_tokens: 7 },
    ...{ model_usage: null, permission_denials: [{ tool_name: 'Bash' }], result: null },
    ...change,
  };
}

export function handshake(change: Partial<BodyOf<'handshake'>> = {}): BodyOf<'handshake'> {
  return {
    ...{ type: 'handshake', trial: 't/baseline', pid: 77, argv: ['node', 'server.js'], program_path: null },
    ...{ program_sha256: null, env_names: ['PATH'], era: 'modern', protocol_version: '2026-07-28' },
    ...{ server_name: 'records', server_version: '1.0.0', wire: WIRE, attempts: [], elapsed_ms: 90.5 },
    ...{ client_capabilities: {}, server_capabilities: { tools: {} }, instructions: null },
    ...change,
  };
}

export function catalog(change: Partial<BodyOf<'catalog'>> = {}): BodyOf<'catalog'> {
  return {
    ...{ type: 'catalog', trial: 't/baseline', page: 1, next_cursor: null, wire: WIRE, elapsed_ms: 2 },
    advertised: { names: ['list_records'], bytes: 80, sha256: SOME },
    tools: [
      { name: 'list_records', description: 'Lists.', inputSchema: { type: 'object' }, title: 'List' },
      { name: 'exact_record', inputSchema: { type: 'object', required: ['id'] } },
    ],
    ...change,
  };
}

export function turnRequest(change: Partial<BodyOf<'turn_request'>> = {}): BodyOf<'turn_request'> {
  return {
    ...{ type: 'turn_request', trial: 't/baseline', turn: 1, attempt: 1, messages: 1 },
    ...{ request_bytes: 250, request_sha256: SOME },
    ...change,
  };
}

export function modelTurn(change: Partial<BodyOf<'model_turn'>> = {}): BodyOf<'model_turn'> {
  return {
    ...{
      type: 'model_turn',
      trial: 't/baseline',
      turn: 1,
      attempt: 1,
      message_id: 'msg_1',
      model: 'model-1',
    },
    ...{ stop_reason: 'tool_use', request_id: 'req_1', http_status: 200, response_bytes: 300 },
    ...{ response_sha256: SOME, elapsed_ms: 12.25, usage_source: 'estimate' },
    usage: {
      input_tokens: 100,
      output_tokens: 20,
      cache_creation_input_tokens: 7,
      cache_read_input_tokens: null,
    },
    content: [{ type: 'tool_use', id: 'call_1', name: 'list_records', input: {} }],
    ...change,
  };
}

export function toolCall(change: Partial<BodyOf<'tool_call'>> = {}): BodyOf<'tool_call'> {
  return {
    ...{ type: 'tool_call', trial: 't/baseline', turn: 1, call_id: 'call_1', tool: 'list_records' },
    ...{ is_error: false, error: null, elapsed_ms: 3.5, schema_verdict: 'unchecked', wire: WIRE },
    ...{ content_bytes: 33, content_sha256: SOME, structured_bytes: 0, model_facing_bytes: 11 },
    ...{ model_facing_sha256: SOME, arguments: {}, content: [{ type: 'text', text: '{"total":6}' }] },
    model_facing_text: '{"total":6}',
    ...change,
  };
}

export function fault(change: Partial<BodyOf<'fault'>> = {}): BodyOf<'fault'> {
  return {
    ...{ type: 'fault', trial: 't/baseline', code: 'STRAY_LINE', severity: 'warning', turn: null },
    ...{ attempt: null, http_status: null, bytes: 5, sha256: SOME, message: 'a stray line' },
    ...{ text: 'hello', base64: null },
    ...change,
  };
}

export function message(change: Partial<BodyOf<'message'>> = {}): BodyOf<'message'> {
  return {
    ...{ type: 'message', trial: 't/baseline', direction: 'to_client', kind: 'request', method: 'ping' },
    ...{ bytes: 17, sha256: SOME, raw: { as: 'utf8', data: '{"method":"ping"}' } },
    ...change,
  };
}

export function close(change: Partial<BodyOf<'close'>> = {}): BodyOf<'close'> {
  return {
    ...{ type: 'close', trial: 't/baseline', status: 'completed', failure: null, how: 'stdin_end' },
    ...{ exit_code: 0, signal: null, elapsed_ms: 200, message: null, stderr_tail: null },
    ...change,
  };
}

export function runClose(change: Partial<BodyOf<'run_close'>> = {}): BodyOf<'run_close'> {
  return {
    ...{ type: 'run_close', status: 'completed', count: 3, failure: null, startup_code: null, message: null },
    totals: {
      ...{ trials: 1, completed: 1, failed: 0, skipped: 0, turns: 1, calls: 0, input_tokens: 107 },
      ...{ output_tokens: 20, usage_source: 'estimate', wire_bytes: 0, model_facing_bytes: 0 },
    },
    ...change,
  };
}

export function interrupted(change: Partial<BodyOf<'run_interrupted'>> = {}): BodyOf<'run_interrupted'> {
  return { type: 'run_interrupted', signal: 'SIGINT', trial: 't/baseline', ...change };
}

export function resumed(): BodyOf<'run_resumed'> {
  return { type: 'run_resumed', measure: '0.1.0', remaining: ['t/baseline'] };
}

/** A log of four short events: interrupted, resumed, interrupted, resumed. */
export const SHORT: EventBody[] = [
  interrupted(),
  resumed(),
  interrupted({ signal: 'SIGTERM', trial: null }),
  resumed(),
];
