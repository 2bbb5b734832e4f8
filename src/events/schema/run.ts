/** Events about a run as a whole: what was asked, with what, and how it ended. */
import { z } from 'zod';
import { FAILURE_CODES } from '../failures.js';
import { count, digest, envelope } from './envelope.js';
import { plan } from './plan.js';

const input = z.strictObject({
  name: z
    .string()
    .describe('Name of the input in the study: `snapshot`, `fields`, `tasks`, `study`, `script`'),
  path: z.string().describe('Absolute path at the time of the run'),
  bytes: count.describe('Size in bytes'),
  sha256: digest.describe('SHA-256 of the bytes'),
  blob: z.string().describe('Path of the frozen copy inside the store'),
  records: count.nullable().describe('Records in a snapshot, else null'),
  fields: z.array(z.string()).nullable().describe('Names in an allow-list, else null'),
});

const taskDigests = z.strictObject({
  id: z.string().describe('Task id'),
  kind: z.string().nullable().describe('Task kind, if the study has kinds'),
  question_sha256: digest.describe('SHA-256 of the question text; may not change'),
  key_sha256: digest.describe('SHA-256 of the canonical key; keys may change later'),
  independent_count: count
    .nullable()
    .describe('For an aggregate: matching snapshot rows, counted by the host'),
});

export const limits = z.strictObject({
  max_tokens: z.int().positive().describe('Output tokens a model call may produce'),
  max_turns: z.int().positive().describe('Model turns a trial may take'),
  model_timeout_ms: z.int().positive().describe('Milliseconds for one model call'),
  tool_timeout_ms: z.int().positive().describe('Milliseconds for one tool call'),
  connect_timeout_ms: z.int().positive().describe('Milliseconds for a server to answer the handshake'),
  retries: count.describe('Further attempts after a retryable failure of a model call'),
  max_line_bytes: z
    .int()
    .positive()
    .optional()
    .describe('Bytes of the longest message that is taken from a server'),
  trial_timeout_ms: z
    .int()
    .positive()
    .optional()
    .describe('Milliseconds that a host which is a program of its own may take for a trial'),
  launch_retries: count
    .optional()
    .describe('Further launches of such a host after one that returned nothing'),
  budget_tokens: count.nullable().describe('Input and output tokens the run may use, or null'),
  budget_usd: z
    .number()
    .nonnegative()
    .nullable()
    .describe('US dollars the run may cost at list price, or null'),
});

const runtime = z.strictObject({
  measure: z.string().describe('Version of measure'),
  node: z.string().describe('Version of Node'),
  platform: z.string().describe('Operating system and processor'),
  packages: z.record(z.string(), z.string()).describe('Version of each package that takes part'),
  lockfile_sha256: digest.nullable().describe('SHA-256 of the lock file, null where none is installed'),
  git_commit: z
    .string()
    .nullable()
    .describe('Commit of measure, `-dirty` behind it where files differ; null outside a git checkout'),
  tokenizer: z
    .string()
    .nullable()
    .describe('Tokenizer behind estimated usage, null where the provider reports usage'),
  endpoint: z
    .string()
    .nullable()
    .describe('Origin of the Messages endpoint, null for the embedded scripted model'),
  claude_code: z
    .strictObject({
      path: z.string().describe('Real path of the program'),
      sha256: digest.describe('SHA-256 of that file'),
      version: z.string().describe('Version that it gives itself'),
    })
    .optional()
    .describe('Claude Code, where it is the host'),
});

export const runOpen = z
  .strictObject({
    ...envelope,
    type: z.literal('run_open'),
    study: z
      .strictObject({
        name: z.string().describe('Name of the study'),
        path: z.string().describe('Absolute path of the study'),
        sha256: digest.nullable().describe('SHA-256 of study.yaml, null where it could not be read'),
      })
      .describe('The study'),
    host: z
      .enum(['scripted', 'messages', 'claude-code', 'tap', 'rerun'])
      .nullable()
      .describe(
        'Which host drives the model, null where start-up failed before it was known; tap: a host of its own, listened to; rerun: recorded calls, without a model',
      ),
    model: z
      .string()
      .nullable()
      .describe('Model id that is asked for, null where start-up failed before it was known'),
    limits: limits
      .nullable()
      .describe('Limits of the run, null where start-up failed, and in a run without a model'),
    runtime: runtime.describe('What the run was made with'),
    protocol: z
      .enum(['auto', 'legacy', '2026-07-28'])
      .nullable()
      .optional()
      .describe('Protocol that --protocol asked for in place of the study, else null'),
    tasks: z.array(taskDigests).describe('Digest of each question and of its key, apart'),
    inputs: z.array(input).describe('Every frozen input'),
    plan: plan.nullable().describe('What will be run, null where start-up failed'),
    system_sha256: digest.nullable().describe('SHA-256 of the system text, null where the host has its own'),
    system: z.string().nullable().describe('The system text, verbatim; null where the host has its own'),
  })
  .describe('A run begins. First event of every log; durable before anything else happens.');

const totals = z.strictObject({
  trials: count.describe('Trials planned, probes not counted'),
  completed: count.describe('Trials that ended with an answer'),
  failed: count.describe('Trials that failed'),
  skipped: count.describe('Trials that were skipped'),
  turns: count.describe('Model turns that were answered'),
  calls: count.describe('Tool calls'),
  input_tokens: count.describe('Input tokens with both cache figures'),
  output_tokens: count.describe('Output tokens'),
  usage_source: z.enum(['provider', 'estimate', 'none']).describe('Who counted the tokens'),
  wire_bytes: count.describe('Response bytes of tool calls on the wire'),
  model_facing_bytes: count.describe('Bytes of tool results that were sent to the model'),
});

export const runClose = z
  .strictObject({
    ...envelope,
    type: z.literal('run_close'),
    status: z
      .enum(['completed', 'failed'])
      .describe('completed: every trial ended with an answer and every probe passed'),
    count: count.describe('Events before this one'),
    failure: z.enum(FAILURE_CODES).nullable().describe('Why the run failed, if it did'),
    startup_code: z.string().nullable().describe('The start-up check that failed, by its code, else null'),
    totals: totals.describe('Sums over the trials of this run'),
    message: z.string().nullable().describe('The failure in words'),
  })
  .describe('A run ended in order. A log without it is interrupted.');

export const runInterrupted = z
  .strictObject({
    ...envelope,
    type: z.literal('run_interrupted'),
    signal: z.string().describe('The signal that ended the run'),
    trial: z.string().nullable().describe('The trial that was under way; the first of several'),
    trials: z.array(z.string()).optional().describe('All of them, where several were under way'),
  })
  .describe('A signal ended the run before its last trial.');

export const runResumed = z
  .strictObject({
    ...envelope,
    type: z.literal('run_resumed'),
    measure: z.string().describe('Version of measure that went on with the run'),
    remaining: z.array(z.string()).describe('Trial ids that are still to be run'),
  })
  .describe('A later process goes on with the run; mono_ns starts again from 0.');

export const logRepaired = z
  .strictObject({
    ...envelope,
    type: z.literal('log_repaired'),
    offset: count.describe('Byte offset from which the tail was moved'),
    bytes: count.describe('Bytes that were moved'),
    sha256: digest.describe('SHA-256 of the bytes that were moved'),
    quarantine: z.string().describe('File in the run folder that holds them'),
  })
  .describe('Bytes after the last valid line were moved out of the log.');
