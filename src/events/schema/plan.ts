/** The plan of a run, as `run_open` has it: conditions, phrasings, and every trial in its order. */
import { z } from 'zod';
import { count } from './envelope.js';

const controlName = z.enum(['filter', 'count', 'paginate', 'select', 'cache']);

const condition = z.strictObject({
  name: z.string().describe('Name of the condition'),
  server: z.string().nullable().describe('Name of the server in the study; null for none at all'),
  tools: z.array(z.string()).nullable().describe('Tools that may be advertised; null means all'),
  controls: z.array(controlName).describe('Context controls that are on'),
  select: z
    .array(z.string())
    .describe('Top-level result fields that the host leaves out of model-facing text'),
  tool_search: z.boolean().optional().describe('Claude Code: whether it keeps tool schemas back'),
  home: z
    .enum(['fresh', 'kept'])
    .optional()
    .describe('Claude Code: whether the repetitions of a task and phrasing share a home folder'),
  settings: z
    .record(z.string(), z.string())
    .optional()
    .describe('Claude Code: environment variables that the study sets, literally'),
});

const plannedTrial = z.strictObject({
  id: z.string().describe('Trial id'),
  task: z.string().describe('Task id'),
  condition: z.string().describe('Condition name'),
  phrasing: z.string().describe('Phrasing name'),
  repetition: z.int().positive().describe('Repetition, from 1'),
});

export const plan = z.strictObject({
  conditions: z.array(condition).describe('Conditions in the order of the study'),
  phrasings: z
    .array(
      z.strictObject({
        name: z.string().describe('Name'),
        template: z.string().describe('Text with {question} in it'),
      }),
    )
    .describe('Ways in which a question is put'),
  repetitions: z.int().positive().describe('Repetitions of each task, phrasing and condition'),
  order: z.enum(['listed', 'shuffled']).describe('How the order of trials was made'),
  seed: count.describe('Seed of the shuffle; recorded in either case'),
  on_failure: z.enum(['stop', 'continue']).describe('Whether trials after a failed one are skipped'),
  trials: z.array(plannedTrial).describe('Every trial, in the order in which it is run'),
  concurrency: z.int().positive().optional().describe('Trials that may be under way at once; 1 where absent'),
  answer: z
    .enum(['json', 'text'])
    .optional()
    .describe(
      'json: the final text is JSON with the answer in it; text: it is the answer; json where absent',
    ),
  probes: z.array(z.string()).describe('Trial ids of the probes that follow; they never count in totals'),
});
