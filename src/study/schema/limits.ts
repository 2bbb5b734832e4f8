/** `limits` of study.yaml. */
import { z } from 'zod';

const milliseconds = z.int().min(1).max(3_600_000);

export const limits = z.strictObject({
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
  trial_timeout_ms: milliseconds
    .default(300_000)
    .describe('Milliseconds for one launch of Claude Code, which is then ended'),
  launch_retries: z
    .int()
    .min(0)
    .max(20)
    .default(2)
    .describe('Further launches of Claude Code after one that gave nothing'),
});
