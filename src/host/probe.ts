/** Probes: direct tool calls to a server of their own, which never count in totals. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { jsonOf, textOf } from '../events/answer.js';
import type { Condition } from '../study/load.js';
import { TrialFailure } from './failure.js';
import type { McpSession } from './mcp.js';
import { received } from './received.js';
import type { RunContext } from './run.js';
import { withServer } from './session.js';
import { skipped } from './trial.js';

/** Trial id of a probe. */
export function probeId(name: string): string {
  return `probe/${name}`;
}

/** A probe that is to be run. */
export interface ProbePart {
  name: string;
  condition: Condition;
  /** From 1. */
  attempt: number;
}

/** Runs one probe of the study, or records that it was skipped. */
export async function runProbe(
  run: RunContext,
  { name, condition, attempt }: ProbePart,
  skip: boolean,
): Promise<void> {
  const trial = probeId(name);
  run.recorder.append({
    ...{ type: 'trial_open', trial, purpose: 'probe', condition: condition.name, task: null, phrasing: null },
    ...{ repetition: 1, attempt, question_sha256: null, prompt: null },
  });
  if (skip) run.recorder.append(skipped(trial));
  else await withServer(run, trial, condition, (session) => ask(run, trial, name, session));
}

async function ask(run: RunContext, trial: string, name: string, session: McpSession): Promise<void> {
  const probe = run.study.definition.probes[name];
  if (probe === undefined) throw new Error(`no probe ${name}`);
  const input = fillArguments(probe.arguments, run.study.records?.snapshot.rows[0]?.id ?? '');
  for (const [index, expected] of probe.expect.entries()) {
    const reply = await session.call(probe.tool, input, run.limits.tool_timeout_ms);
    const { elapsed_ms, is_error, content } = reply;
    const { facts } = received(run.recorder, reply);
    const call = {
      trial,
      turn: null,
      call_id: `${name}-${index + 1}`,
      tool: probe.tool,
      is_error,
      elapsed_ms,
    };
    const facing = { model_facing_bytes: null, model_facing_sha256: null, model_facing_text: null };
    run.recorder.append({ type: 'tool_call', ...call, ...facts, ...facing, arguments: input });
    const answer = jsonOf(textOf(content));
    if (is_error || !holds(answer, expected)) {
      const what = `call ${index + 1} was to answer ${JSON.stringify(expected)}`;
      throw new TrialFailure('PROBE_FAILED', `${what} and answered ${textOf(content).slice(0, 300)}`);
    }
  }
}

function fillArguments(values: Record<string, unknown>, firstId: string): Record<string, unknown> {
  const fill = (value: unknown) => (value === '{first_id}' ? firstId : value);
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, fill(value)]));
}

const record = z.record(z.string(), z.unknown());

function holds(answer: unknown, expected: Record<string, unknown>): boolean {
  const parsed = record.safeParse(answer);
  return (
    parsed.success &&
    Object.entries(expected).every(([key, value]) => isDeepStrictEqual(parsed.data[key], value))
  );
}
