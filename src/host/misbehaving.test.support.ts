/** The cases of test/misbehaving as data, and what a log says of one, in the words of that data. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { utf8Bytes } from '../events/bytes.js';
import { hydrated } from '../events/payload.js';
import { Store } from '../events/store.js';
import { only, type Recorded, recordAt, writeStudy } from './study.test.support.js';

const FOLDER = fileURLToPath(new URL('../../test/misbehaving/', import.meta.url));

/** The program that plays every case: `node SERVER CASE`. */
export const SERVER = join(FOLDER, 'server.mjs');

const logSchema = z.strictObject({
  trials: z.array(z.string()).describe('Status and failure of each trial'),
  faults: z
    .array(z.string())
    .describe('Severity and code of each, and the status of HTTP_STATUS; a last "…": several in a row'),
  calls: z.array(z.string()).describe('Of each call `ok`, `error` or its error code; its schema verdict'),
  messages: z.array(z.string()).describe('Direction, kind and method of each that is part of nothing else'),
  tools: z.array(z.string()).describe('What the model was offered'),
  close: z.array(z.string()).describe('How each server ended; its exit code or signal'),
  within_ms: z.number().describe('A bound for the whole recording'),
  shown: z.array(z.string()).optional().describe('What the model was shown of each call, or its length'),
  attempts: z.array(z.string()).optional().describe('Method and outcome of each attempt at a handshake'),
  stderr: z.string().optional().describe('The end of stderr'),
});

/** What a log must say. */
export type Log = z.infer<typeof logSchema>;

const difference = logSchema.partial().extend({ like: z.string().default('usual') });
const limits = z.record(z.string(), z.number()).default({});
const caseSchema = z.strictObject({
  name: z.string(),
  does: z.string().describe('In words, behind `a server that`'),
  server: z.record(z.string(), z.unknown()).optional().describe('Steps of each moment that is not as usual'),
  command: z.array(z.string()).optional().describe('In place of the program that plays the cases'),
  url: z.string().optional().describe('In place of its URL'),
  alone: z.boolean().default(false).describe('Over HTTP, whether it needs a process of its own'),
  protocol: z.enum(['auto', 'legacy', '2026-07-28']).default('legacy'),
  limits,
  repetitions: z.number().default(1),
  calls: z.number().default(1).describe('Calls that the model makes in its one turn'),
  argument_bytes: z.number().default(0),
  endless: z.boolean().default(false).describe('Whether it writes more than anybody waits for'),
  log: difference,
  http: z
    .strictObject({
      as: z.enum(['json', 'sse']).default('json'),
      limits,
      log: logSchema.partial().default({}),
    })
    .optional()
    .describe('Present where the case applies over HTTP: how replies are sent there, and what differs'),
});

/** One case. */
export type Case = z.infer<typeof caseSchema>;

const data = z
  .looseObject({ usual: logSchema, cases: z.array(caseSchema), http_cases: z.array(caseSchema) })
  .parse(JSON.parse(readFileSync(join(FOLDER, 'cases.json'), 'utf8')));

/** The cases on stdio. */
export const stdioCases: Case[] = data.cases;
/** Those that apply over HTTP, and those that only HTTP has. */
export const httpCases: Case[] = [...data.cases.filter(({ http }) => http !== undefined), ...data.http_cases];

/** All that a log must say: the usual, what cases of its kind share, and what this one has of its own. */
export function logOf({ like, ...own }: Case['log']): Log {
  const { like: _, ...shared } = difference.parse(data[like]);
  return logSchema.parse({ ...data.usual, ...shared, ...own });
}

/** Longer than any case may take: whoever waits for one of these fails. */
const PATIENCE = { connect_timeout_ms: 60_000, tool_timeout_ms: 60_000 };

/** Writes a study that meets the server once: one turn of calls, then the answer. Gives its folder. */
export function studyOf(test: TestContext, found: Case, server: object): string {
  const { protocol, repetitions, calls, argument_bytes } = found;
  const servers = { tools: { protocol, ...server } };
  const definition = {
    host: 'scripted',
    script: 'script.yaml',
    on_failure: 'continue',
    repetitions,
    servers,
  };
  const study = writeStudy(test, definition, { ...PATIENCE, ...found.limits });
  const call = { tool: 'look', arguments: argument_bytes === 0 ? {} : { text: 'x'.repeat(argument_bytes) } };
  const steps = [{ calls: Array(calls).fill(call) }, { answer: '{"answer": "6"}' }];
  writeFileSync(join(study, 'script.yaml'), JSON.stringify([{ for: 't', steps }]));
  return study;
}

/** Records the study: in its time the log is whole, every trial is closed, and it says what it must. */
export async function meet(test: TestContext, study: string, expected: Log): Promise<Recorded> {
  const { within_ms, ...log } = expected;
  const started = performance.now();
  const recorded = await recordAt(test, '', study);
  const elapsed = performance.now() - started;
  assert.deepEqual(saidOf(recorded, log), log);
  assert.ok(elapsed < within_ms, `took ${Math.round(elapsed)} ms, at most ${within_ms}`);
  return recorded;
}

/** What the log says of each thing that is asked for. */
function saidOf({ events: lines, store }: Recorded, asked: Partial<Log>): Partial<Log> {
  const events = lines.map((event) => hydrated(event, new Store(store)));
  const closes = only(events, 'close');
  const calls = only(events, 'tool_call');
  const faults = only(events, 'fault').map(({ severity, code, http_status }) =>
    words(severity, code, code === 'HTTP_STATUS' ? http_status : null),
  );
  const said: Record<Exclude<keyof Log, 'within_ms'>, unknown> = {
    trials: closes.map(({ status, failure }) => words(status, failure)),
    faults: asAsked(faults, asked.faults),
    calls: calls.map((call) => words(outcomeOf(call), call.schema_verdict)),
    messages: asAsked(
      only(events, 'message').map(({ direction, kind, method }) => words(direction, kind, method)),
      asked.messages,
    ),
    tools: only(events, 'catalog').at(-1)?.advertised?.names ?? [],
    close: closes.map(({ how, exit_code, signal }) => words(how, exit_code ?? signal)),
    shown: calls.map(({ model_facing_text }) => inShort(model_facing_text ?? '')),
    attempts: only(events, 'handshake')[0]?.attempts.map(({ method, outcome }) => words(method, outcome)),
    stderr: closes[0]?.stderr_tail,
  };
  return Object.fromEntries(Object.entries(said).filter(([name]) => Object.hasOwn(asked, name)));
}

function outcomeOf({ error_code, is_error }: { error_code?: string | null | undefined; is_error: boolean }) {
  return error_code ?? (is_error ? 'error' : 'ok');
}

function words(...parts: (string | number | null)[]): string {
  return parts.filter((part) => part !== null).join(' ');
}

/** Several in a row as one with a "…", where the data has such. */
function asAsked(said: string[], asked: string[] = []): string[] {
  if (!asked.some((each) => each.endsWith('…'))) return said;
  const firsts = said.flatMap((each, at) => (each === said[at - 1] ? [] : [at]));
  return firsts.map((at) => `${said[at]}${said[at] === said[at + 1] ? '…' : ''}`);
}

function inShort(text: string): string {
  return text.length > 1000 ? `${utf8Bytes(text)} bytes` : text;
}
