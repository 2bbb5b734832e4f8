/** `servers` of study.yaml. */
import { z } from 'zod';
import { PROTOCOLS } from '../protocols.js';
import { filled } from './names.js';

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
  called: z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/, 'it has letters, digits, "_" and "-" only')
    .optional()
    .describe('What Claude Code is told that the server is called; its name here where absent'),
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

export const server = serverFields.refine(
  ({ command, url }) => (command === undefined) !== (url === undefined),
  'has exactly one of `command` and `url`',
);
