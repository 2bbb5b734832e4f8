/** The captures of test/claude-code, and in few words what is told of one. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type BodyOf, type EventBody, eventSchema } from '../../events/event.js';
import { stamped } from '../../events/events.test.support.js';
import { beginTrial, evolve } from '../../events/receipt.js';
import { catalog, fault, handshake, message, toolCall } from '../../events/schema/trial.js';
import type { TrialReceipt } from '../../events/trial-receipt.js';
import type { Capture } from './capture.js';
import { type Story, storyOf } from './story.js';

const CAPTURES = fileURLToPath(new URL('../../../test/claude-code/captures/', import.meta.url));
export const TRIAL = 't/1';

const unstamped = { h: true, v: true, run: true, seq: true, at: true, mono_ns: true } as const;
const tappedSchema = z.discriminatedUnion('type', [
  handshake.omit(unstamped),
  catalog.omit(unstamped),
  toolCall.omit(unstamped),
  message.omit(unstamped),
  fault.omit(unstamped),
]);
const exitSchema = z.strictObject({
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  how: z.enum(['exited', 'timeout', 'interrupted']),
  elapsed_ms: z.number(),
});

/** A capture as it was kept, with what `change` puts in place of a part of it. */
export function captureOf(scene: string, change: Partial<Capture> = {}): Capture {
  const read = (file: string) => {
    const path = join(CAPTURES, scene, file);
    return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  };
  const found = (files: string[]) =>
    files.map((file) => ({ file, bytes: read(file) })).filter(({ bytes }) => bytes.length > 0);
  const tapped = read('tapped.jsonl').toString().split('\n').slice(0, -1);
  return {
    stream: read('stream.jsonl'),
    stderr: read('stderr.txt'),
    transcripts: found(['transcript.jsonl', 'transcript-subagent.jsonl']),
    mcpLogs: found(['mcp-log.jsonl']),
    exit: exitSchema.parse(JSON.parse(read('exit.json').toString())),
    tapped: tapped.map((line) => tappedSchema.parse(JSON.parse(line))),
    ...change,
  };
}

/** What a study asked of a launch. */
export interface Asked {
  toolSearch: boolean;
  server: string | null;
}

/** The story of a capture, each of whose events is one by the schema. */
export function tell(capture: Capture, asked: Partial<Asked> = {}): Story {
  const { toolSearch = false, server = 'notes' } = asked;
  const context = { trial: TRIAL, launch: 1, server, toolSearch, version: '2.1.332' };
  const story = storyOf(capture, { ...context, usageSource: 'provider' });
  const end = { ...story.end, evidence: [] };
  // As a log would give them back.
  for (const event of stamped([...story.bodies, end])) eventSchema.parse(JSON.parse(JSON.stringify(event)));
  return story;
}

/** The story of a scene under tool search, or without it. */
export const deferred = (scene: string): Story => tell(captureOf(scene), { toolSearch: true });
export const upfront = (scene: string): Story => tell(captureOf(scene));

/** `completed`, or the failure; `, again` where another launch may follow. */
export function verdictOf({ verdict }: Story): string {
  return `${verdict.failure ?? verdict.status}${verdict.retry ? ', again' : ''}`;
}

/** The outcome of the launch and the verdict on it. */
export function outcomeAndVerdict(story: Story): string {
  return `${story.end.outcome}: ${verdictOf(story)}`;
}

/** Turn, message and stop reason of each turn. */
export function turnsOf({ bodies }: Story): string[] {
  return of(bodies, 'model_turn').map(
    ({ turn, message_id, stop_reason }) => `${turn} ${message_id} ${stop_reason}`,
  );
}

/** Turn, origin, tool and outcome of each call. */
export function callsOf({ bodies }: Story): string[] {
  return of(bodies, 'tool_call').map(({ turn, origin = 'server', tool, is_error, error_code }) => {
    const outcome = is_error ? (error_code ?? 'error') : 'ok';
    return `${turn} ${origin} ${tool} ${outcome}`;
  });
}

/** Codes of the faults, with the HTTP status where there is one. */
export function faultsOf({ bodies }: Story): string[] {
  return of(bodies, 'fault').map(({ code, http_status }) =>
    http_status === null ? code : `${code} ${http_status}`,
  );
}

/** What happened in which order: turns by number, calls by id, anything else by its type. */
export function orderOf({ bodies }: Story): string[] {
  return bodies.map((body) => {
    if (body.type === 'model_turn') return `turn ${body.turn}`;
    return body.type === 'tool_call' ? body.call_id : body.type;
  });
}

/** The events of one type. */
export function of<T extends EventBody['type']>(bodies: EventBody[], type: T): BodyOf<T>[] {
  return bodies.filter((body): body is EventBody & BodyOf<T> => body.type === type);
}

/** The receipt of a trial that this launch is all of. */
export function receiptOf({ bodies, end }: Story): TrialReceipt {
  const open: EventBody = {
    ...{ type: 'trial_open', trial: TRIAL, purpose: 'trial', condition: 'clear', task: 'budget' },
    ...{ phrasing: 'bare', repetition: 1, attempt: 1, question_sha256: null, prompt: 'What is the budget?' },
  };
  const launch: EventBody = {
    ...{ type: 'launch', trial: TRIAL, launch: 1, program_path: null, program_sha256: null },
    ...{ program_version: null, home: 'fresh', argv: ['claude'], settings: {}, env_names: [], servers: {} },
  };
  const [opening, ...events] = stamped([open, launch, ...bodies, { ...end, evidence: [] }]);
  if (opening?.type !== 'trial_open') throw new Error('a trial begins with its opening');
  return events.reduce(evolve, beginTrial(opening));
}

/** The lines of a text as JSON, with what `change` makes of each; a line that it makes undefined is left out. */
export function relined(bytes: Buffer, change: (line: string, index: number) => string | undefined): Buffer {
  const lines = bytes.toString().split('\n').slice(0, -1);
  const kept = lines.map(change).filter((line) => line !== undefined);
  return Buffer.from(kept.map((line) => `${line}\n`).join(''));
}
