/** The loop of one trial: a fresh server, the catalog, then turns until the model answers or something fails. */
import { z } from 'zod';
import { jsonOf, textOf } from '../events/answer.js';

import type { Condition, Study } from '../study/load.js';
import type { PlannedTrial } from '../study/plan.js';
import type { Task } from '../study/tasks.js';
import { callTool, type Turn } from './call.js';
import { listCatalog } from './catalog.js';
import { TrialFailure } from './failure.js';
import { assertInputs } from './inputs.js';
import type { McpSession } from './mcp.js';
import type { RunContext } from './run.js';
import { withServer } from './session.js';
import { stopFailure } from './stop.js';
import { takeTurn } from './turn.js';

/** A trial that is to be run. */
export interface Part {
  planned: PlannedTrial;
  task: Task;
  condition: Condition;
  /** From 1; a run that is gone on with makes further ones. */
  attempt: number;
}

/** Runs one trial and records how it ended. Throws only `Interrupted` and errors of the log itself. */
export async function runTrial(run: RunContext, { planned, task, condition, attempt }: Part): Promise<void> {
  const trial = planned.id;
  run.recorder.append(opening(run.study, planned, task, attempt));
  await withServer(run, trial, condition, async (session) => {
    await listCatalog(run, trial, condition, session);
    await talk(run, trial, condition, session);
  });
}

/** Records a trial that is not run because an earlier one failed. */
export function skipTrial(run: RunContext, { planned, task, attempt }: Part): void {
  run.recorder.append(opening(run.study, planned, task, attempt));
  run.recorder.append(skipped(planned.id));
}

/** The `trial_open` of a planned trial. */
export function opening(study: Study, planned: PlannedTrial, task: Task, attempt: number) {
  const { id: trial, phrasing, repetition, condition } = planned;
  return {
    ...{ type: 'trial_open' as const, trial, purpose: 'trial' as const, condition, task: task.id, phrasing },
    ...{ repetition, attempt, question_sha256: task.question_sha256 },
    prompt: promptOf(study, phrasing, task.question),
  };
}

/** The `close` event of a trial or probe that was skipped. */
export function skipped(trial: string) {
  return {
    ...{ type: 'close' as const, trial, status: 'skipped' as const, failure: 'PRIOR_FAILURE' as const },
    ...{ how: 'not_started' as const, exit_code: null, signal: null, elapsed_ms: 0 },
    ...{ message: 'an earlier trial failed', stderr_tail: null },
  };
}

function promptOf(study: Study, phrasing: string, question: string): string {
  return (study.definition.phrasings[phrasing] ?? '{question}').replace('{question}', () => question);
}

/** Turns until the model answers. Throws a `TrialFailure` for every other end. */
async function talk(
  run: RunContext,
  trial: string,
  condition: Condition,
  session: McpSession,
): Promise<void> {
  for (let turn = 1; turn <= run.limits.max_turns; turn += 1) {
    const reply = await takeTurn(run, trial, turn);
    assertInputs(run.study);
    if (reply.stop_reason === 'end_turn') return checkAnswer(run.study, textOf(reply.content));
    if (reply.stop_reason !== 'tool_use') throw stopFailure(reply.stop_reason);
    await useTools(run, { trial, turn, condition, session }, reply.content);
  }
  throw new TrialFailure('TURN_LIMIT', `no answer within ${run.limits.max_turns} turns`);
}

function checkAnswer({ definition }: Study, text: string): void {
  if (definition.answer === 'json' && jsonOf(text) === undefined)
    throw new TrialFailure('NON_JSON_ANSWER', `the final text is not JSON: ${text.slice(0, 200)}`);
}

const anyToolUse = z.object({ type: z.literal('tool_use') });
const toolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
});

/** Calls every tool that the turn asks for, one after another. A failed one ends the trial after the last. */
async function useTools(run: RunContext, turn: Turn, content: unknown[]): Promise<void> {
  let failed: string | null = null;
  for (const use of toolUses(content)) {
    assertInputs(run.study);
    const call = await callTool(run, turn, use);
    assertInputs(run.study);
    if (call.is_error) failed ??= `${use.name}: ${call.text.slice(0, 500)}`;
  }
  if (failed !== null) throw new TrialFailure('TOOL_FAILURE', failed);
}

/** What the turn asks for. A block that cannot be answered with a result of its own id is no message. */
function toolUses(content: unknown[]): z.infer<typeof toolUse>[] {
  const asked = content.filter((block) => anyToolUse.safeParse(block).success);
  if (asked.length === 0)
    throw new TrialFailure('EMPTY_TOOL_USE', 'the model stopped for tool use and asked for no tool');
  const parsed = z.array(toolUse).safeParse(asked);
  if (parsed.success) return parsed.data;
  throw new TrialFailure('MODEL_BAD_RESPONSE', 'a tool_use block lacks its id, name or input');
}
