/** The schema of study.yaml. */
import { z } from 'zod';
import { CONTROLS } from './controls.js';
import { PROTOCOLS } from './protocols.js';

const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    'it has letters, digits, ".", "_" and "-" only, a letter or digit first',
  );
const filled = z.string().refine((text) => text.trim() !== '', 'is empty');
const milliseconds = z.int().min(1).max(3_600_000);

const serverFields = z.strictObject({
  command: z
    .array(z.string())
    .min(1)
    .optional()
    .describe(
      'Command and arguments of a server on stdio. `measure` means this very program; {controls}, {condition}, {trial}, {study_dir}, and for each input {NAME} and {NAME_sha256} are filled in',
    ),
  url: z
    .string()
    .refine((text) => /^https?:\/\//.test(text), 'must begin with http:// or https://')
    .optional()
    .describe('Address of a server over Streamable HTTP, in place of `command`; filled in likewise'),
  headers_from: z
    .record(z.string().regex(/^[A-Za-z0-9-]+$/, 'is no name of a header'), filled)
    .default({})
    .describe(
      'Headers for `url`: the name of each, and the environment variable that holds its whole value, which is never recorded',
    ),
  protocol: z
    .enum(PROTOCOLS)
    .default('auto')
    .describe(
      'legacy: `initialize`; 2026-07-28: `server/discover`; auto: the second, with the first to fall back on, as the first trial of a run finds out',
    ),
  env: z.record(z.string(), z.string()).default({}).describe('Environment variables, literally'),
  env_from: z
    .array(z.string())
    .default([])
    .describe('Names of variables to hand on; their values are never recorded'),
});

const server = serverFields.refine(
  ({ command, url }) => (command === undefined) !== (url === undefined),
  'has exactly one of `command` and `url`',
);

const control = z.enum(CONTROLS);

const condition = z.strictObject({
  server: name.describe('A server of this study'),
  controls: z
    .union([z.enum(['none', 'all']), z.array(control).refine(isDistinct, 'names a control twice')])
    .default('none')
    .describe('Context controls that are on: none, all, or a list'),
  tools: z.array(z.string()).optional().describe('Tools that may be advertised; all of them where absent'),
});

const probe = z.strictObject({
  condition: name.describe('Condition whose server is probed'),
  tool: z.string().describe('Tool that is called'),
  arguments: z
    .record(z.string(), z.unknown())
    .describe('Arguments; {first_id} is the first id of the snapshot'),
  expect: z
    .array(z.record(z.string(), z.unknown()))
    .min(1)
    .describe('For each call, fields that its JSON result must have'),
});

const limits = z.strictObject({
  max_tokens: z.int().min(1).max(1_000_000).default(1024).describe('Output tokens of one model call'),
  max_turns: z.int().min(1).max(1000).default(12).describe('Model turns of one trial'),
  model_timeout_ms: milliseconds
    .max(300_000, 'a model call is waited for at most 300,000 ms')
    .default(30_000)
    .describe('Milliseconds for one model call'),
  tool_timeout_ms: milliseconds.default(10_000).describe('Milliseconds for one tool call'),
  connect_timeout_ms: milliseconds
    .default(10_000)
    .describe('Milliseconds for a server to answer the handshake'),
  retries: z
    .int()
    .min(0)
    .max(20)
    .default(0)
    .describe('Further attempts at a model call after a failure that may pass'),
  max_line_bytes: z
    .int()
    .min(1024)
    .max(1024 * 1024 * 1024)
    .default(64 * 1024 * 1024)
    .describe('Bytes of the longest message that is taken from a server'),
});

const phrasing = z
  .string()
  .refine((text) => text.split('{question}').length === 2, 'must have {question} in it exactly once');

export const studySchema = z
  .strictObject({
    name: name.describe('Name of the study; part of every run id'),
    title: z.string().optional().describe('What the study asks, in a sentence'),
    kind: z
      .enum(['records', 'plain'])
      .default('plain')
      .describe('records: a frozen snapshot, and the start-up checks that go with it'),
    host: z
      .enum(['scripted', 'messages'])
      .default('messages')
      .describe('Which host drives the model, unless --model says otherwise'),
    model: filled.optional().describe('Model id, unless --model gives one'),
    script: filled.optional().describe('Script of the embedded scripted model'),
    system: filled.describe('System text; the same in every condition'),
    limits: limits.prefault({}).describe('What a trial may take'),
    repetitions: z.int().min(1).max(1000).default(1).describe('How often each trial is repeated'),
    order: z
      .enum(['listed', 'shuffled'])
      .default('shuffled')
      .describe('Order of the trials; shuffled draws it from the seed'),
    on_failure: z
      .enum(['stop', 'continue'])
      .default('stop')
      .describe('Whether trials after a failed one are skipped'),
    inputs: z
      .record(name, filled)
      .default({})
      .describe('Files that are frozen and handed to servers, by name'),
    tasks: filled.describe('File of questions and keys'),
    phrasings: z
      .record(name, phrasing)
      .refine(hasEntries, 'must have at least one phrasing')
      .default({ plain: '{question}' })
      .describe('Ways to put a question, by name; {question} stands for it'),
    servers: z.record(name, server).describe('MCP servers, by name'),
    select: z
      .array(z.string())
      .default([])
      .describe('Fields that the select control leaves out of model-facing text'),
    conditions: z
      .record(name, condition)
      .refine(hasEntries, 'must have at least one condition')
      .describe('Ways of offering tools, by name'),
    probes: z
      .record(name, probe)
      .default({})
      .describe('Direct calls to a server of their own, by name; they never count in totals'),
  })
  .describe('A study: which tools are offered in which ways, and which questions are asked.');

export type StudyFile = z.infer<typeof studySchema>;

function isDistinct(items: string[]): boolean {
  return new Set(items).size === items.length;
}

function hasEntries(record: object): boolean {
  return Object.keys(record).length > 0;
}
