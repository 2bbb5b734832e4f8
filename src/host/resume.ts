/** Going on with a run that was interrupted: what was chosen, whether it is still the same, and what is left to do. */
import type { EventOf } from '../events/event.js';
import { Problem } from '../events/problem.js';
import { tailOf } from '../events/repair.js';
import { replayFile } from '../events/replay.js';
import type { RunReceipt } from '../events/run-receipt.js';
import type { Store } from '../events/store.js';
import type { Budget } from './budget.js';
import type { ClaudeCli } from './claude-code/cli.js';
import type { Prepared, RecordChoice } from './prepare.js';
import { probeId } from './probe.js';
import { allOf, endsRun, type Work } from './trials.js';

/** A run without its end. */
export interface Unfinished {
  receipt: RunReceipt;
  open: EventOf<'run_open'> & { plan: NonNullable<EventOf<'run_open'>['plan']> };
}

/**
 * Reads the log of a run to go on with. Throws `RUN_ENDED` where it has its end, `RUN_WITHOUT_PLAN` where it never began,
 * and `LOG_DAMAGED` where more than the end of its last write is wrong.
 */
export function unfinished(store: Store, run: string): Unfinished {
  const file = store.eventsFile(run);
  tailOf(file);
  const { receipt } = replayFile(file);
  if (receipt === null) throw withoutPlan(file);
  const { open, status } = receipt;
  if (status !== 'interrupted') throw ended(file, status);
  if (open.plan === null) throw withoutPlan(file);
  return { receipt, open: { ...open, plan: open.plan } };
}

/** What was chosen for that run. Only how many trials run side by side, the budget, and where Claude Code
 * is, may be chosen anew. */
export function choiceOf(
  { open }: Unfinished,
  anew: Pick<RecordChoice, 'concurrency' | 'budgetTokens' | 'budgetUsd' | 'claude' | 'proxy'>,
): RecordChoice {
  const { host, model, plan, limits, protocol } = open;
  return {
    study: open.study.path,
    host: host === 'messages' || host === 'scripted' || host === 'claude-code' ? host : undefined,
    model: host === 'scripted' ? undefined : (model ?? undefined),
    conditions: plan.conditions.map(({ name }) => name),
    tasks: open.tasks.map(({ id }) => id),
    ...{ repetitions: plan.repetitions, seed: plan.seed, sample: plan.trials.length },
    protocol: protocol ?? undefined,
    concurrency: anew.concurrency ?? plan.concurrency,
    budgetTokens: anew.budgetTokens ?? limits?.budget_tokens ?? undefined,
    budgetUsd: anew.budgetUsd ?? limits?.budget_usd ?? undefined,
    ...{ claude: anew.claude, proxy: anew.proxy },
  };
}

/** Throws `RESUME_DIFFERS`, with all that differs, where the run would no longer be the one that was begun. */
export function assertSame({ open }: Unfinished, prepared: Prepared, cli: ClaudeCli | null): void {
  const now = new Map(prepared.study.inputs.map(({ name, sha256 }) => [name, sha256]));
  const changed = open.inputs
    .filter(({ name, sha256 }) => now.get(name) !== sha256)
    .map(({ name, path }) => `${name} (${path})`);
  const planned = open.plan.trials.map(({ id }) => id).join('\n');
  const others = planned === prepared.trials.map(({ id }) => id).join('\n') ? [] : ['the planned trials'];
  const before = open.runtime.claude_code;
  const host =
    before?.sha256 === cli?.sha256 ? [] : [`Claude Code (${before?.version}, and ${cli?.version} now)`];
  const differs = [...changed, ...others, ...host];
  if (differs.length === 0) return;
  const what = `not what the run was begun with: ${differs.join(', ')}`;
  const todo = 'put it back as it was, or record a new run';
  throw new Problem({ code: 'RESUME_DIFFERS', what, todo, file: open.study.path });
}

/** What is left: trials without an end get a further attempt, those that ended stay. */
export function remaining({ receipt }: Unfinished, prepared: Prepared): Work {
  const { trials, probes, concurrency } = allOf(prepared);
  const attempts = (id: string) => receipt.attempts.filter(({ trial }) => trial === id);
  const isLeft = (id: string) => (attempts(id).at(-1)?.closed ?? null) === null;
  const next = (id: string) => attempts(id).length + 1;
  const ends = receipt.attempts.filter(({ status }) => status === 'failed');
  return {
    trials: trials
      .filter(({ planned }) => isLeft(planned.id))
      .map((part) => ({ ...part, attempt: next(part.planned.id) })),
    probes: probes
      .filter(({ name }) => isLeft(probeId(name)))
      .map((part) => ({ ...part, attempt: next(probeId(part.name)) })),
    concurrency,
    failed: ends[0]?.trial ?? null,
    stop: ends.some(({ status, failure }) => endsRun({ study: prepared.study }, status, failure)),
  };
}

/** Counts what the run has spent before; a call that nothing came back from counts at its bound. */
export function spendAgain(budget: Budget, { receipt, open }: Unfinished): void {
  for (const { totals, turns } of receipt.attempts) {
    budget.spend(totals.usage);
    const doubtful = turns.filter(({ usage }) => usage === null);
    for (const { request_bytes } of doubtful)
      budget.hold(request_bytes ?? 0, open.limits?.max_tokens ?? 0)(null);
  }
}

function ended(file: string, status: string): Problem {
  const what = `this run has ended (${status}), so there is nothing to go on with`;
  return new Problem({ code: 'RUN_ENDED', what, todo: 'record a new run', file });
}

function withoutPlan(file: string): Problem {
  const what = 'this run never had a plan of trials, so there is nothing to go on with';
  return new Problem({ code: 'RUN_WITHOUT_PLAN', what, todo: 'record a new run', file });
}
