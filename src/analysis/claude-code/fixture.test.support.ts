/** Small runs of Claude Code, composed of event bodies, for the tests of this folder. */
import { sha256 } from '../../events/bytes.js';
import type { BodyOf } from '../../events/event.js';
import {
  close,
  handshake,
  launch,
  launchEnd,
  modelTurn,
  runClose,
  runOpen,
  tickingClock,
  toolCall,
  trialOpen,
} from '../../events/events.test.support.js';
import { EventLog } from '../../events/log.js';
import type { Store } from '../../events/store.js';
import { parseTasks } from '../../study/tasks.js';
import { RUN, tasksFile } from '../log-fixture.test.support.js';

type Condition = NonNullable<BodyOf<'run_open'>['plan']>['conditions'][number];

/** One question, whose answer is 9. */
const TASK = { id: 'q', question: 'How many are open?', expectedAnswer: '9', accept: [{ number: 9 }] };

/** A trial to be recorded. */
export interface ClaudeSketch {
  condition: string;
  phrasing?: 'bare' | 'hinted';
  repetition?: number;
  /** Made in the first turn. */
  calls?: Partial<BodyOf<'tool_call'>>[];
  answer?: string;
  /** Input tokens of each turn. */
  input?: number;
  home?: 'fresh' | 'kept';
  /** Status of the server in the host's first line; null where it has none. */
  status?: string | null;
  /** Until it was connected: by the host's log, and by the wire. */
  took?: [number, number];
  /** Launches that gave nothing before the one that is described here. */
  silent?: number;
  /** Of the session, kept in the store. */
  transcript?: string;
  close?: Partial<BodyOf<'close'>>;
}

export function condition(name: string, change: Partial<Condition> = {}): Condition {
  return { name, server: 'notes', tools: null, controls: [], select: [], tool_search: true, ...change };
}

/** A call that reached the server. */
export function serverCall(tool: string): Partial<BodyOf<'tool_call'>> {
  return { tool, asked_as: `mcp__notes__${tool}`, origin: 'server' };
}

/** A call of a tool of the host, whose input a denied one never saw. */
export function hostCall(tool: string, input: unknown = {}, denied = false): Partial<BodyOf<'tool_call'>> {
  return {
    ...{ tool, origin: 'host', wire: null, arguments: input, is_error: denied },
    error_code: denied ? 'PERMISSION_DENIED' : null,
  };
}

/** Records a run into the store and gives its id. */
export function recordClaude(store: Store, conditions: Condition[], trials: ClaudeSketch[]): string {
  store.createRun(RUN);
  const log = EventLog.create(store.eventsFile(RUN), RUN, tickingClock());
  log.append(openOf(store, conditions, trials));
  for (const sketch of trials) recordTrial(log, store, sketch);
  log.append(runClose({ count: log.head.count }));
  log.close();
  return RUN;
}

function openOf(store: Store, conditions: Condition[], trials: ClaudeSketch[]): BodyOf<'run_open'> {
  const bytes = tasksFile([TASK]);
  const tasks = parseTasks(bytes, 'tasks.json', null);
  const base = runOpen();
  const place = { blob: store.putBlob(bytes), path: '/gone/tasks.json' };
  return runOpen({
    ...{ host: 'claude-code', system: null, system_sha256: null },
    tasks: tasks.map(({ id, question_sha256, key_sha256 }) => ({
      ...{ id, kind: null, question_sha256, key_sha256, independent_count: null },
    })),
    inputs: [
      { name: 'tasks', bytes: bytes.length, sha256: sha256(bytes), records: null, fields: null, ...place },
    ],
    plan: base.plan && {
      ...{ ...base.plan, conditions, answer: 'text', trials: trials.map(placeOf) },
      phrasings: [
        { name: 'bare', template: '{question}' },
        { name: 'hinted', template: 'Check my notes. {question}' },
      ],
    },
  });
}

function placeOf({ condition: name, phrasing = 'bare', repetition = 1 }: ClaudeSketch) {
  const id = `q/${name}/${phrasing}/${repetition}`;
  return { id, task: 'q', condition: name, phrasing, repetition };
}

function recordTrial(log: EventLog, store: Store, sketch: ClaudeSketch): void {
  const { id: trial, ...place } = placeOf(sketch);
  const { home = 'fresh', silent = 0 } = sketch;
  log.append(trialOpen({ trial, ...place, question_sha256: sha256(TASK.question) }));
  for (let number = 1; number <= silent; number += 1) {
    log.append(launch({ trial, launch: number, home }));
    log.append(
      launchEnd({ trial, launch: number, outcome: 'no_output', exit_code: 2, servers: [], connect_ms: null }),
    );
  }
  log.append(launch({ trial, launch: silent + 1, home }));
  recordStory(log, trial, sketch);
  log.append(endOf(store, trial, sketch));
  log.append(close({ trial, ...sketch.close }));
}

function recordStory(log: EventLog, trial: string, sketch: ClaudeSketch): void {
  const { calls = [], answer, input = 100, status = 'connected', took = [600, 400] } = sketch;
  const turn = { trial, http_status: null, response_bytes: null, response_sha256: null, elapsed_ms: null };
  const usage = { input_tokens: input, output_tokens: 10 };
  if (status === 'connected') log.append(handshake({ trial, elapsed_ms: took[1] }));
  if (calls.length > 0) log.append(modelTurn({ ...turn, usage, stop_reason: 'tool_use' }));
  for (const [at, call] of calls.entries()) log.append(toolCall({ trial, call_id: `c${at}`, ...call }));
  if (answer !== undefined)
    log.append(
      modelTurn({
        ...{ ...turn, usage, turn: calls.length > 0 ? 2 : 1, stop_reason: 'end_turn' },
        content: [{ type: 'text', text: answer }],
      }),
    );
}

function endOf(store: Store, trial: string, sketch: ClaudeSketch): BodyOf<'launch_end'> {
  const { status = 'connected', took = [600, 400], silent = 0, transcript } = sketch;
  const bytes = Buffer.from(transcript ?? '');
  const kept = { name: 'transcript' as const, file: 's.jsonl', bytes: bytes.length, sha256: sha256(bytes) };
  return launchEnd({
    ...{ trial, launch: silent + 1, connect_ms: status === 'connected' ? took[0] : null },
    servers: status === null ? [] : [{ name: 'notes', status }],
    evidence: transcript === undefined ? [] : [{ ...kept, blob: store.putBlob(bytes) }],
  });
}
