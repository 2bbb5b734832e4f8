/** `conditions` of study.yaml. */
import { z } from 'zod';
import { CONTROLS } from '../controls.js';
import { isDistinct, name } from './names.js';

const control = z.enum(CONTROLS);

/** Variables that other fields of a study, or measure itself, decide. */
const TAKEN = ['ANTHROPIC_BASE_URL', 'ENABLE_TOOL_SEARCH', 'HOME'];
const CREDENTIAL = /(^|_)(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?|CUSTOM_HEADERS)$/i;

const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'it has letters, digits and "_" only, no digit first')
  .refine((text) => !CREDENTIAL.test(text), 'it is that of a credential, which no study holds')
  .refine((text) => !TAKEN.includes(text), 'measure sets that variable itself');

export const condition = z.strictObject({
  server: name.optional().describe('A server of this study; under claude-code none where absent'),
  controls: z
    .union([z.enum(['none', 'all']), z.array(control).refine(isDistinct, 'names a control twice')])
    .default('none')
    .describe('Context controls that are on: none, all, or a list'),
  tools: z.array(z.string()).optional().describe('Tools that may be advertised; all of them where absent'),
  tool_search: z
    .boolean()
    .default(true)
    .describe('Claude Code: whether it keeps tool schemas back until its ToolSearch asks for them'),
  home: z
    .enum(['fresh', 'kept'])
    .default('fresh')
    .describe(
      'Claude Code: fresh: each trial has a home folder of its own; kept: the repetitions of a task and phrasing share one, in order',
    ),
  settings: z
    .record(variable, z.string())
    .default({})
    .describe('Claude Code: further environment variables, literally, recorded; no credential'),
});
