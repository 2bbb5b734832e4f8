/** The schema of study.yaml. */
import { z } from 'zod';
import { condition } from './schema/condition.js';
import { limits } from './schema/limits.js';
import { filled, isDistinct, name } from './schema/names.js';
import { server } from './schema/server.js';

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

const claudeCode = z.strictObject({
  disallowed_tools: z
    .array(filled)
    .refine(isDistinct, 'names a tool twice')
    .default(['WebSearch', 'WebFetch', 'Agent', 'Task'])
    .describe('Tools of Claude Code itself that are off'),
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
      .enum(['scripted', 'messages', 'claude-code'])
      .default('messages')
      .describe('Which host drives the model, unless --host or --model says otherwise'),
    model: filled.optional().describe('Model id, unless --model gives one'),
    script: filled.optional().describe('Script of the embedded scripted model'),
    system: filled
      .optional()
      .describe(
        'System text; the same in every condition. Under claude-code it is appended to the one of Claude Code, and may be absent',
      ),
    answer: z
      .enum(['json', 'text'])
      .default('json')
      .describe(
        'json: the final text is a JSON object with `answer`, `evidenceIds` and `caveats`; text: it is the answer as it stands',
      ),
    claude_code: claudeCode.prefault({}).describe('What Claude Code is started with, in every condition'),
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

function hasEntries(record: object): boolean {
  return Object.keys(record).length > 0;
}
