/** The loop of one trial: a fresh server, the catalog, then turns until the model answers or something fails. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { sha256, utf8Bytes } from '../events/bytes.js';
import { advertise, advertisedFacts, requestBody } from '../events/conversation.js';
import type { FailureCode } from '../events/failures.js';
import { jsonOf, textOf } from '../events/receipt.js';
import { usageOf } from '../events/usage.js';
import type { Condition, Study } from '../study/load.js';
import type { PlannedTrial } from '../study/plan.js';
import type { Task } from '../study/tasks.js';
import { callTool } from './call.js';
import { TrialFailure } from './failure.js';
import { assertInputs } from './inputs.js';
import type { McpSession } from './mcp.js';
import { ModelFailure, type ModelReply } from './messages.js';
import type { RunContext } from './run.js';
import { withServer } from './session.js';

/** Runs one trial and records how it ended. Throws only `Interrupted` and errors of the log itself. */
export async function runTrial(
  run: RunContext,
  planned: PlannedTrial,
  task: Task,
  condition: Condition,
): Promise<void> {
  const prompt = promptOf(run.study, planned.phrasing, task.question);
  const { id: trial, phrasing, repetition } = planned;
  run.recorder.append({
    ...{
      type: 'trial_open',
      trial,
      purpose: 'trial',
      condition: condition.name,
      task: task.id,
      phrasing,
      repetition,
    },
    ...{ attempt: 1, question_sha256: task.question_sha256, prompt },
  });
  await withServer(run, trial, condition, async (session) => {
    await listCatalog(run, trial, condition, session);
    await talk(run, trial, condition, session);
  });
}

/** Records a trial that is not run because an earlier one failed. */
export function skipTrial(run: RunContext, planned: PlannedTrial, task: Task): void {
  const { id: trial, phrasing, repetition, condition } = planned;
  run.recorder.append({
    ...{ type: 'trial_open', trial, purpose: 'trial', condition, task: task.id, phrasing, repetition },
    ...{
      attempt: 1,
      question_sha256: task.question_sha256,
      prompt: promptOf(run.study, phrasing, task.question),
    },
  });
  run.recorder.append(skipped(trial));
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

/** Records every page of the catalog, and on the last what the host advertises of it. */
async function listCatalog(
  run: RunContext,
  trial: string,
  condition: Condition,
  session: McpSession,
): Promise<void> {
  for await (const page of session.pages()) {
    const seen = [...run.recorder.talk.tools, ...advertise(page.tools, condition.tools)];
    const { page: number, next_cursor, wire, elapsed_ms, tools } = page;
    const advertised = next_cursor === null ? advertisedFacts(seen) : null;
    run.recorder.append({
      type: 'catalog',
      trial,
      page: number,
      next_cursor,
      wire,
      elapsed_ms,
      advertised,
      tools,
    });
  }
  const offered = run.recorder.talk.tools.map((tool) => tool.name);
  const missing = (condition.tools ?? []).filter((name) => !offered.includes(name));
  if (missing.length === 0) return;
  throw new TrialFailure(
    'CATALOG_ERROR',
    `the catalog lacks ${missing.join(', ')}, which the condition names`,
  );
}

/** Turns until the model answers. Throws a `TrialFailure` for every other end. */
async function talk(
  run: RunContext,
  trial: string,
  condition: Condition,
  session: McpSession,
): Promise<void> {
  for (let turn = 1; turn <= run.limits.max_turns; turn += 1) {
    assertInputs(run.study);
    const reply = await takeTurn(run, trial, turn);
    assertInputs(run.study);
    if (reply.stop_reason === 'end_turn') return checkAnswer(textOf(reply.content));
    if (reply.stop_reason !== 'tool_use') throw stopFailure(reply.stop_reason);
    await useTools(run, trial, turn, condition, session, reply.content);
  }
  throw new TrialFailure('TURN_LIMIT', `no answer within ${run.limits.max_turns} turns`);
}

function checkAnswer(text: string): void {
  if (jsonOf(text) === undefined)
    throw new TrialFailure('NON_JSON_ANSWER', `the final text is not JSON: ${text.slice(0, 200)}`);
}

const STOPS: Partial<Record<string, FailureCode>> = {
  max_tokens: 'STOP_max_tokens',
  refusal: 'STOP_refusal',
  pause_turn: 'STOP_pause_turn',
  stop_sequence: 'STOP_stop_sequence',
  model_context_window_exceeded: 'STOP_model_context_window_exceeded',
};

function stopFailure(reason: string | null): TrialFailure {
  const code = STOPS[reason ?? ''] ?? 'STOP_UNKNOWN';
  return new TrialFailure(code, `the model stopped with ${reason === null ? 'no reason' : `"${reason}"`}`);
}

const toolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
});

/** Calls every tool that the turn asks for, one after another. A failed one ends the trial after the last. */
async function useTools(
  run: RunContext,
  trial: string,
  turn: number,
  condition: Condition,
  session: McpSession,
  content: unknown[],
): Promise<void> {
  const uses = content.flatMap((block) => {
    const parsed = toolUse.safeParse(block);
    return parsed.success ? [parsed.data] : [];
  });
  if (uses.length === 0)
    throw new TrialFailure('EMPTY_TOOL_USE', 'the model stopped for tool use and asked for no tool');
  let failed: string | null = null;
  for (const use of uses) {
    assertInputs(run.study);
    const call = await callTool(run, trial, turn, condition, session, use);
    if (call.is_error) failed ??= `${use.name}: ${call.text.slice(0, 500)}`;
  }
  if (failed !== null) throw new TrialFailure('TOOL_FAILURE', failed);
}

/** One turn, with the study's retries; every attempt is an event. */
async function takeTurn(run: RunContext, trial: string, turn: number): Promise<ModelReply> {
  for (let attempt = 1; ; attempt += 1) {
    const bound = await withinBudget(run);
    try {
      return await attemptTurn(run, trial, turn, attempt);
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      recordModelFault(run, trial, turn, attempt, error);
      if (error.may_be_billed) run.budget.spendBound(bound, run.limits.max_tokens);
      const wait = error.retry_after_ms ?? Math.min(500 * 2 ** (attempt - 1), 8000);
      if (!error.retryable || attempt > run.limits.retries || wait > LONGEST_WAIT_MS) throw error;
      await delay(wait, undefined, { signal: run.recorder.abort.signal });
    }
  }
}

/** A longer Retry-After than this is not waited for: the trial fails. */
const LONGEST_WAIT_MS = 120_000;

/** Throws `BUDGET_STOP` where the next call could pass the budget; else gives its bound of input tokens. */
async function withinBudget(run: RunContext): Promise<number> {
  if (!run.budget.isLimited) return 0;
  const body = requestBody(run.recorder.talk);
  const counted = await run.client.countTokens(body, run.recorder.abort.signal);
  // A token is at least a byte, so the request's bytes bound its tokens where the endpoint does not count.
  const bound = counted ?? utf8Bytes(JSON.stringify(body));
  const refusal = run.budget.refusal(bound, run.limits.max_tokens);
  if (refusal !== null) throw new TrialFailure('BUDGET_STOP', refusal);
  return bound;
}

async function attemptTurn(
  run: RunContext,
  trial: string,
  turn: number,
  attempt: number,
): Promise<ModelReply> {
  const body = requestBody(run.recorder.talk);
  const reply = await run.client.send(body, {
    signal: run.recorder.abort.signal,
    onRequest: (bytes) => {
      const [request_bytes, request_sha256, messages] = [bytes.length, sha256(bytes), body.messages.length];
      run.recorder.append({
        type: 'turn_request',
        trial,
        turn,
        attempt,
        messages,
        request_bytes,
        request_sha256,
      });
    },
  });
  run.recorder.append({ type: 'model_turn', trial, turn, attempt, ...reply, usage_source: run.usage_source });
  const usage = usageOf(reply.usage);
  if (usage !== null) run.budget.spend(usage);
  return reply;
}

function recordModelFault(
  run: RunContext,
  trial: string,
  turn: number,
  attempt: number,
  error: ModelFailure,
): void {
  const { body, http_status } = error;
  run.recorder.append({
    ...{ type: 'fault', trial, code: error.code, severity: 'error', turn, attempt, http_status },
    ...{ bytes: body?.length ?? null, sha256: body === null ? null : sha256(body), message: error.message },
    ...{ text: body === null ? null : body.toString('utf8').slice(0, 4096), base64: null },
  });
}
