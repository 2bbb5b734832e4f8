/** Events of grades.jsonl: verdicts on a run, of keys and of persons, kept apart from the log that they judge. */
import { z } from 'zod';
import { count, digest, envelope, trial } from './envelope.js';

const attempt = z.int().positive().describe('Attempt that was judged');
const verdict = z.enum(['pass', 'fail', 'undecided']);
const check = z.enum(['pass', 'fail', 'not_required', 'not_reached']);

export const grade = z
  .strictObject({
    ...envelope,
    type: z.literal('grade'),
    trial,
    attempt,
    task: z.string().describe('Task id'),
    verdict: verdict.describe('undecided: the trial did not end, so there is nothing to judge'),
    execution: check.describe('Whether the trial completed'),
    answer: check.describe('Whether the answer equals the expected one'),
    evidence: check.describe('Whether every evidence id is cited'),
    caveats: check.describe('Whether every required caveat is stated'),
    tool_path: check.describe('Whether the tools were used as the key requires'),
    key_sha256: digest.describe('SHA-256 of the canonical key that judged'),
    keys: z.string().describe('Where the key came from: `frozen` or the path of a file'),
    grader: z.string().describe('Version of measure that judged'),
    log_count: count.describe('Events of the log that was judged'),
    log_head: digest.describe('h of the last of them'),
    reasons: z.array(z.string()).describe('What failed, in words, one a reason'),
    matched: z
      .strictObject({
        form: z.string().describe('The form as JSON'),
        text: z.string().describe('The part of the answer that has it, at most 200 characters'),
      })
      .nullable()
      .optional()
      .describe('The accepted form that made the answer right; null where none did, absent without forms'),
  })
  .describe('A verdict on one trial under one key.');

export const override = z
  .strictObject({
    ...envelope,
    type: z.literal('override'),
    trial,
    attempt,
    verdict: verdict
      .nullable()
      .describe('What stands in place of any grade of that attempt; null takes the override before back'),
    author: z.string().describe('Who decided'),
    reason: z.string().describe('Why, in words'),
    answer_sha256: digest
      .nullable()
      .describe('SHA-256 of the answer that was judged, null where there was none'),
    log_count: count.describe('Events of the log that was judged'),
    log_head: digest.describe('h of the last of them'),
  })
  .describe('A verdict of a person on one trial, or its taking back. The last one counts; all are kept.');
