/** The schema of study.yaml. */
import { z } from 'zod';
import { CONTROLS } from './controls.js';

const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'a name has letters, digits, ".", "_" and "-" only');
const control = z.enum(CONTROLS);

const server = z.strictObject({
  command: z
    .array(z.string())
    .min(1)
    .describe(
      'Command and arguments. `measure` means this very program; {snapshot}, {fields}, {controls} and the like are filled in',
    ),
  env: z.record(z.string(), z.string()).default({}).describe('Environment variables, literally'),
  env_from: z
    .array(z.string())
    .default([])
    .describe('Names of variables to hand on; their values are never recorded'),
});

const condition = z.strictObject({
  server: name.describe('A server of this study'),
  controls: z
    .union([z.enum(['none', 'all']), z.array(control)])
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
  max_tokens: z.int().min(1).max(1_000_000).default(1024),
  max_turns: z.int().min(1).max(1000).default(12),
  model_timeout_ms: z.int().min(1).max(3_600_000).default(30_000),
  tool_timeout_ms: z.int().min(1).max(3_600_000).default(10_000),
  connect_timeout_ms: z.int().min(1).max(3_600_000).default(10_000),
  retries: z.int().min(0).max(20).default(0),
});

export const studySchema = z.strictObject({
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
  model: z.string().optional().describe('Model id, unless --model gives one'),
  script: z.string().optional().describe('Script of the embedded scripted model'),
  system: z.string().min(1).describe('System text; the same in every condition'),
  limits: limits.prefault({}),
  repetitions: z.int().min(1).max(1000).default(1),
  order: z
    .enum(['listed', 'shuffled'])
    .default('shuffled')
    .describe('Order of the trials; shuffled draws it from the seed'),
  on_failure: z
    .enum(['stop', 'continue'])
    .default('stop')
    .describe('Whether trials after a failed one are skipped'),
  inputs: z
    .record(name, z.string())
    .default({})
    .describe('Files that are frozen and handed to servers, by name'),
  tasks: z.string().describe('File of questions and keys'),
  phrasings: z
    .record(
      name,
      z.string().refine((text) => text.includes('{question}'), 'has no {question} in it'),
    )
    .default({ plain: '{question}' }),
  servers: z.record(name, server),
  select: z
    .array(z.string())
    .default([])
    .describe('Fields that the select control leaves out of model-facing text'),
  conditions: z.record(name, condition).refine((all) => Object.keys(all).length > 0, 'has no condition'),
  probes: z.record(name, probe).default({}),
});

export type StudyFile = z.infer<typeof studySchema>;
