/** The stream that Claude Code prints: how the session began, what it retried, and its result. Pure; never throws. */
import { z } from 'zod';
import type { JsonObject } from '../wire/json.js';
import { jsonLines } from './json-lines.js';

const init = z.object({
  type: z.literal('system'),
  subtype: z.literal('init'),
  session_id: z.string().nullish().catch(null),
  model: z.string().nullish().catch(null),
  claude_code_version: z.string().nullish().catch(null),
  tools: z.array(z.string()).nullish().catch(null),
  mcp_servers: z
    .array(z.object({ name: z.string(), status: z.string() }))
    .nullish()
    .catch(null),
});

const result = z.looseObject({
  type: z.literal('result'),
  subtype: z.string().nullish().catch(null),
  is_error: z.boolean().nullish().catch(null),
  result: z.string().nullish().catch(null),
  errors: z.array(z.unknown()).nullish().catch(null),
  terminal_reason: z.string().nullish().catch(null),
  stop_reason: z.string().nullish().catch(null),
  api_error_status: z.int().nonnegative().nullish().catch(null),
  num_turns: z.int().nonnegative().nullish().catch(null),
  total_cost_usd: z.number().nonnegative().nullish().catch(null),
  permission_denials: z.array(z.unknown()).nullish().catch(null),
});

const retry = z.object({
  type: z.literal('system'),
  subtype: z.literal('api_retry'),
  attempt: z.number().nullish().catch(null),
  error_status: z.int().nonnegative().nullish().catch(null),
  error: z.string().nullish().catch(null),
});

const refused = z.object({
  type: z.literal('system'),
  subtype: z.literal('permission_denied'),
  tool_name: z.string(),
  tool_use_id: z.string(),
});

const denial = z.object({ tool_name: z.string(), tool_use_id: z.string().nullish().catch(null) });

/** How a session began. */
export type Init = z.infer<typeof init>;
/** The last line of a session that came to its end. */
export type Result = z.infer<typeof result>;
/** A model call that the host made again. */
export type Retry = z.infer<typeof retry>;
/** A tool that the model was not allowed to use. */
export type Denial = z.infer<typeof denial>;

export interface Stream {
  /** Lines that could be read. */
  lines: number;
  odd: number;
  cut: boolean;
  init: Init | null;
  result: Result | null;
  /** The line of the result, verbatim. */
  resultLine: JsonObject | null;
  retries: Retry[];
  denials: Denial[];
}

/** Reads a stream; of several results the last one counts. */
export function readStream(bytes: Buffer): Stream {
  const { records, odd, cut } = jsonLines(bytes);
  const resultLine = records.findLast((record) => result.safeParse(record).success) ?? null;
  const ended = result.safeParse(resultLine).data ?? null;
  return {
    ...{ lines: records.length, odd, cut, resultLine, result: ended },
    init: records.flatMap((record) => init.safeParse(record).data ?? [])[0] ?? null,
    retries: records.flatMap((record) => retry.safeParse(record).data ?? []),
    denials: denialsIn(records, ended),
  };
}

/** Those of the result, and those that were told of before, where there may be no result. */
function denialsIn(records: JsonObject[], ended: Result | null): Denial[] {
  const listed = (ended?.permission_denials ?? []).flatMap((each) => denial.safeParse(each).data ?? []);
  const ids = new Set(listed.map(({ tool_use_id }) => tool_use_id));
  const told = records.flatMap((record) => refused.safeParse(record).data ?? []);
  return [...listed, ...told.filter(({ tool_use_id }) => !ids.has(tool_use_id))];
}
