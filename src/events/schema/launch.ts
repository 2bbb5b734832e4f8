/** Events about a host that is a program of its own: each time it was started, and what it left behind. */
import { z } from 'zod';
import { count, digest, envelope, milliseconds, trial, verbatim } from './envelope.js';

const launchNumber = z
  .int()
  .positive()
  .describe('Launch of this attempt at the trial, from 1: one that returned nothing is followed by another');

export const launch = z
  .strictObject({
    ...envelope,
    type: z.literal('launch'),
    trial,
    launch: launchNumber,
    program_path: z.string().nullable().describe('Real path of the program'),
    program_sha256: digest.nullable().describe('SHA-256 of that file'),
    program_version: z.string().nullable().describe('Version that the program gives itself'),
    home: z
      .enum(['fresh', 'kept'])
      .describe('fresh: a home that nothing has used; kept: that of the repetition before'),
    argv: z.array(z.string()).describe('Command and arguments'),
    settings: z
      .record(z.string(), z.string())
      .describe('Environment variables that measure and the study set, literally'),
    env_names: z
      .array(z.string())
      .describe('Names of all environment variables that the host was given; no other value is recorded'),
    servers: verbatim.describe('MCP servers that the host was told of, as it was told'),
  })
  .describe('The host is about to be started. Durable before that, since its model calls may be billed.');

const evidence = z.strictObject({
  name: z.enum(['stream', 'transcript', 'mcp_log', 'stderr']).describe('What it is'),
  file: z.string().describe('Name of the file, without the folders of the machine'),
  bytes: count.describe('Size in bytes'),
  sha256: digest.describe('SHA-256 of the bytes, as they are kept'),
  blob: z.string().describe('Path of the copy inside the store'),
});

export const launchEnd = z
  .strictObject({
    ...envelope,
    type: z.literal('launch_end'),
    trial,
    launch: launchNumber,
    outcome: z
      .enum(['answered', 'no_output', 'no_result', 'error_result', 'timeout', 'interrupted', 'start_failed'])
      .describe(
        'answered: a result that is no error; no_output: not one line; no_result: lines, but no result among them; error_result: a result that says it is an error; start_failed: there was no process',
      ),
    how: z
      .enum(['exited', 'timeout', 'interrupted'])
      .describe(
        'exited: by itself; timeout: ended at the limit of the study; interrupted: ended with the run',
      ),
    exit_code: z.int().nullable().describe('Exit code of the host'),
    signal: z.string().nullable().describe('Signal that ended the host'),
    elapsed_ms: milliseconds.describe('Milliseconds from start to end'),
    session_id: z.string().nullable().describe('Session id of the host'),
    version: z.string().nullable().describe('Version that the host gave itself in this session'),
    model: z.string().nullable().describe('Model that the host said it would ask'),
    connect_ms: milliseconds
      .nullable()
      .describe("Milliseconds to connect to the server, as the host's own log says"),
    num_turns: count
      .nullable()
      .describe('Turns as the host counts them, which is not the number of requests'),
    cost_usd: z.number().nonnegative().nullable().describe('US dollars as the host reports them'),
    servers: z
      .array(
        z.strictObject({
          name: z.string().describe('Name of the server'),
          status: z.string().describe('Status, as the host says it'),
        }),
      )
      .describe('Servers of the session as the host saw them when it began'),
    tools: z
      .array(z.string())
      .nullable()
      .describe('Names of the tools of the session, deferred ones too, as the host says them'),
    stderr_tail: z.string().nullable().describe("End of the host's standard error, at most 8 KiB"),
    evidence: z.array(evidence).describe('What the host left behind, kept whole'),
    usage: verbatim.describe(
      'Usage of the whole launch as the host reports it, verbatim; null where it did not',
    ),
    model_usage: verbatim.describe('The same by model, verbatim; null where it did not'),
    permission_denials: z.array(verbatim).describe('Tools that the host did not let the model use, verbatim'),
    result: verbatim.describe('The result of the host, verbatim; null where there is none'),
  })
  .describe('The host has ended. What happened in between stands before, as far as it left traces.');
