/** A trial under Claude Code: launches until one of them gives something, and how it ended. */

import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { jsonOf } from '../../events/answer.js';
import { elapsedMs, systemClock } from '../../events/clock.js';
import type { BodyOf } from '../../events/event.js';
import type { FailureCode } from '../../events/failures.js';
import { failureOf, TrialFailure } from '../failure.js';
import { assertInputs } from '../inputs.js';
import { opening, type Part } from '../trial.js';
import { Calls } from './calls.js';
import { assertSameCli } from './cli.js';
import type { ClaudeRun } from './context.js';
import { closePlace, type HomeChoice, openPlace } from './home.js';
import { type LaunchOutcome, launchOnce } from './launched.js';

/** Runs one trial and records how it ended. Throws only `Interrupted` and errors of the log itself. */
export async function runClaudeTrial(run: ClaudeRun, part: Part): Promise<void> {
  if (part.condition.home === 'fresh') await runTrial(run, part);
  else await run.claude.homes.use(homeOf(run, part), () => runTrial(run, part));
}

/** How the last launch ended, as far as there was one. */
interface End {
  outcome: LaunchOutcome | null;
  failure: { code: FailureCode; message: string } | null;
}

async function runTrial(run: ClaudeRun, part: Part): Promise<void> {
  const started = systemClock.monotonic();
  const open = opening(run.study, part.planned, part.task, part.attempt);
  run.recorder.append(open);
  const end: End = { outcome: null, failure: null };
  try {
    await launches(run, part, open.prompt, end);
  } catch (error) {
    end.failure = failureOf(error);
  }
  run.recorder.append(closeOf(part.planned.id, end, elapsedMs(started)));
}

/** Launches again where nothing came back, as often as the study says. Throws a `TrialFailure` for every end but an answer. */
async function launches(run: ClaudeRun, part: Part, prompt: string, end: End): Promise<void> {
  const calls = run.claude.proxy ? new Calls(run, part.planned.id) : null;
  for (let number = 1; ; number += 1) {
    assertInputs(run.study);
    await assertSameCli(run.claude.cli);
    assertBudget(run);
    end.outcome = await launchAt(run, { part, prompt, number, calls });
    assertInputs(run.study);
    assertVersion(run, end.outcome);
    if (calls?.refusal) throw new TrialFailure('BUDGET_STOP', calls.refusal);
    const { failure, message, retry } = end.outcome.verdict;
    if (failure === null) return assertAnswer(run, part.planned.id);
    if (!retry || number > run.limits.launch_retries) throw new TrialFailure(failure, message ?? failure);
    await delay(RETRY_WAIT_MS, undefined, { signal: run.recorder.abort.signal }).catch(() => undefined);
  }
}

/** A program that gave nothing may be in the middle of an update. */
const RETRY_WAIT_MS = 1000;

type Attempt = Omit<Parameters<typeof launchOnce>[1], 'place'>;

/** A launch in its place, which keeps its evidence where not all of it came into the log. */
async function launchAt(run: ClaudeRun, attempt: Attempt): Promise<LaunchOutcome> {
  const choice = homeOf(run, attempt.part, attempt.number);
  const place = openPlace(choice);
  let evidence: 'logged' | 'needed' = 'needed';
  try {
    const outcome = await launchOnce(run, { ...attempt, place });
    evidence = 'logged';
    return outcome;
  } finally {
    if (!choice.kept) closePlace(place, { evidence });
  }
}

/** The home of a launch: one of its own, or that of its task, phrasing and condition. */
function homeOf(run: ClaudeRun, { planned, condition, attempt }: Part, launch = 0): HomeChoice {
  const { id, task, phrasing } = planned;
  const kept = condition.home === 'kept';
  const key = kept ? [task, phrasing, condition.name] : [id, attempt, launch];
  return { runFolder: dirname(run.recorder.log.file), key: JSON.stringify(key), kept };
}

/** Without a proxy nothing can stop a call, so that the budget is looked at before each launch. */
function assertBudget({ budget, claude }: ClaudeRun): void {
  const refusal = claude.proxy ? null : budget.refusal(1, 0);
  if (refusal !== null) throw new TrialFailure('BUDGET_STOP', refusal);
}

function assertVersion({ claude }: ClaudeRun, { end }: LaunchOutcome): void {
  if (end.version === null || end.version === claude.cli.version) return;
  const what = `Claude Code was ${claude.cli.version} when the run began, and says that it is ${end.version}`;
  throw new TrialFailure('HOST_VERSION_CHANGED', what);
}

function assertAnswer({ study, recorder }: ClaudeRun, trial: string): void {
  const text = recorder.trial(trial).answer_text;
  if (study.definition.answer === 'text' || jsonOf(text) !== undefined) return;
  throw new TrialFailure('NON_JSON_ANSWER', `the final text is not JSON: ${(text ?? '').slice(0, 200)}`);
}

function closeOf(trial: string, { outcome, failure }: End, elapsed_ms: number): BodyOf<'close'> {
  const { exit_code = null, signal = null, stderr_tail = null } = outcome?.end ?? {};
  return {
    ...{ type: 'close', trial, status: failure === null ? 'completed' : 'failed' },
    ...{ failure: failure?.code ?? null, how: howOf(outcome), exit_code, signal, elapsed_ms },
    ...{ message: failure?.message ?? null, stderr_tail },
  };
}

function howOf(outcome: LaunchOutcome | null): BodyOf<'close'>['how'] {
  if (outcome === null || outcome.end.outcome === 'start_failed') return 'not_started';
  if (outcome.end.how === 'exited') return 'exited';
  return outcome.end.signal === 'SIGKILL' ? 'sigkill' : 'sigterm';
}
