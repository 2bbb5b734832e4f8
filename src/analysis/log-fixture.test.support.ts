/** Small recorded runs for the tests of this folder: real logs in a folder of their own, with the ticking clock. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { sha256 } from '../events/bytes.js';
import {
  beginConversation,
  type Conversation,
  converse,
  requestBody,
  settingOf,
} from '../events/conversation.js';
import type { BodyOf, Event, EventBody } from '../events/event.js';
import {
  close,
  modelTurn,
  runClose,
  runOpen,
  stamped,
  tickingClock,
  toolCall,
  trialOpen,
  turnRequest,
} from '../events/events.test.support.js';
import { EventLog } from '../events/log.js';
import { beginTrial, evolve } from '../events/receipt.js';
import { Store } from '../events/store.js';
import type { TrialReceipt } from '../events/trial-receipt.js';
import { parseTasks } from '../study/tasks.js';

export const RUN = '20261103T090000000Z-sample-0123456789abcdef';
export const LATER_RUN = '20261104T090000000Z-sample-0123456789abcdef';

/** Two questions with keys, in the format of a tasks.json. */
export const LOOKUP = {
  kind: 'lookup',
  question: 'Which city is T01 in?',
  expectedAnswer: 'Ghent',
  evidenceIds: ['T01'],
  requiredCaveats: ['as of 2020'],
  detailField: 'city',
};
export const AGGREGATE = {
  kind: 'aggregate',
  question: 'How many are open?',
  expectedAnswer: '9',
  evidenceIds: ['T02'],
  requiredCaveats: [],
  aggregateField: 'status',
  aggregateValue: 'open',
};
export const RIGHT = {
  lookup: { answer: 'Ghent', evidenceIds: ['T01'], caveats: ['as of 2020'] },
  aggregate: { answer: '9', evidenceIds: ['T02'], caveats: [] },
};

/** A trial to be recorded: one turn with these calls, if any, and one with the answer, unless there is none. */
export interface Sketch {
  task: 'lookup' | 'aggregate';
  condition: string;
  phrasing?: string;
  repetition?: number;
  attempt?: number;
  calls?: Partial<BodyOf<'tool_call'>>[];
  answer?: unknown;
  /** Input and output tokens of the last turn; null for a usage block that makes no sense. */
  tokens?: [number, number] | null;
  /** Changes to its close event; null for none, as after a crash. */
  close?: Partial<BodyOf<'close'>> | null;
}

export interface RunSketch {
  run?: string;
  trials: Sketch[];
  /** Trials that are planned beside those that are recorded. */
  planned?: Sketch[];
  tasks?: unknown[];
  open?: Partial<BodyOf<'run_open'>>;
  /** Changes to run_close; null for none. */
  close?: Partial<BodyOf<'run_close'>> | null;
}

/** A store that is gone when the test ends. */
export function storeFor(test: TestContext): Store {
  const folder = mkdtempSync(join(tmpdir(), 'measure-analysis-'));
  test.after(() => rmSync(folder, { recursive: true }));
  return new Store(join(folder, 'runs'));
}

/** Records a run into the store and gives its id. */
export function recordRun(store: Store, sketch: RunSketch): string {
  const run = sketch.run ?? RUN;
  store.createRun(run);
  const log = EventLog.create(store.eventsFile(run), run, tickingClock());
  const open = openOf(store, sketch);
  log.append(open);
  for (const trial of sketch.trials) recordTrial(log, open, trial);
  if (sketch.close !== null) log.append(runClose({ count: log.head.count, ...sketch.close }));
  log.close();
  return run;
}

/** The bytes of a tasks.json. */
export function tasksFile(tasks: unknown[]): Buffer {
  return Buffer.from(JSON.stringify(tasks, null, 2));
}

function openOf(store: Store, sketch: RunSketch): BodyOf<'run_open'> {
  const bytes = tasksFile(sketch.tasks ?? [LOOKUP, AGGREGATE]);
  const tasks = parseTasks(bytes, 'tasks.json', null);
  const base = runOpen();
  const place = { blob: store.putBlob(bytes), path: '/gone/tasks.json' };
  const input = { name: 'tasks', bytes: bytes.length, sha256: sha256(bytes), records: null, fields: null };
  return runOpen({
    tasks: tasks.map(({ id, key, question_sha256, key_sha256 }) => ({
      ...{ id, kind: key.kind, question_sha256, key_sha256 },
      independent_count: id === 'aggregate' ? 9 : null,
    })),
    inputs: [{ ...input, ...place }],
    plan: base.plan && {
      ...base.plan,
      conditions: ['baseline', 'optimized'].map((name) => ({
        ...{ name, server: 'records', tools: null, controls: [], select: [] },
      })),
      trials: [...sketch.trials.filter((trial) => (trial.attempt ?? 1) === 1), ...(sketch.planned ?? [])].map(
        planned,
      ),
    },
    ...sketch.open,
  });
}

function planned({ task, condition, phrasing = 'plain', repetition = 1 }: Sketch) {
  return { id: `${task}/${condition}/${phrasing}/${repetition}`, task, condition, phrasing, repetition };
}

function recordTrial(log: EventLog, open: BodyOf<'run_open'>, sketch: Sketch): void {
  const { id: trial, task, condition, phrasing, repetition } = planned(sketch);
  const question = open.tasks.find((candidate) => candidate.id === task);
  const place = { trial, task, condition, phrasing, repetition, attempt: sketch.attempt ?? 1 };
  const opened = log.append(trialOpen({ ...place, question_sha256: question?.question_sha256 ?? null }));
  const talk = new Talk(log, open, opened);
  if (sketch.calls !== undefined) {
    talk.turn(modelTurn({ trial, stop_reason: 'tool_use' }));
    for (const call of sketch.calls) talk.say(toolCall({ trial, ...call }));
  }
  if (sketch.answer !== undefined) talk.turn(answering(trial, sketch));
  if (sketch.close !== null) log.append(close({ trial, ...sketch.close }));
}

function answering(trial: string, { answer, tokens = [100, 20] }: Sketch): BodyOf<'model_turn'> {
  const usage = tokens === null ? 'unknown' : { input_tokens: tokens[0], output_tokens: tokens[1] };
  return modelTurn({
    ...{ trial, stop_reason: 'end_turn', usage },
    content: [{ type: 'text', text: JSON.stringify(answer) }],
  });
}

/** A conversation that is recorded as it goes on, each request with the hash of what replay rebuilds. */
class Talk {
  readonly #log: EventLog;
  #talk: Conversation;
  #turn = 0;

  constructor(log: EventLog, open: BodyOf<'run_open'>, opened: Event) {
    const [first] = stamped([open]);
    const setting = first?.type === 'run_open' ? settingOf(first) : null;
    if (setting === null || opened.type !== 'trial_open') throw new Error('a sketch with trials has a plan');
    this.#log = log;
    this.#talk = beginConversation(setting, opened);
  }

  say(body: EventBody): void {
    this.#talk = converse(this.#talk, this.#log.append(body));
  }

  turn(reply: BodyOf<'model_turn'>): void {
    this.#turn += 1;
    const bytes = Buffer.from(JSON.stringify(requestBody(this.#talk)));
    const request = { request_bytes: bytes.length, request_sha256: sha256(bytes) };
    this.say(turnRequest({ trial: reply.trial, turn: this.#turn, ...request }));
    this.say({ ...reply, turn: this.#turn });
  }
}

/** The receipt of a completed trial with that answer, after those calls. */
export function receiptWith(answer: unknown, calls: Partial<BodyOf<'tool_call'>>[] = []): TrialReceipt {
  const events = stamped([trialOpen(), ...calls.map((call) => toolCall(call)), close()]);
  const [open, ...rest] = events;
  if (open?.type !== 'trial_open') throw new Error('a receipt begins with trial_open');
  return { ...rest.reduce(evolve, beginTrial(open)), answer };
}
