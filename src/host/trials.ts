/** The order of work of a run: its trials, so many side by side, then its probes. */
import type { PlannedTrial } from '../study/plan.js';
import type { Prepared } from './prepare.js';
import { type ProbePart, probeId, runProbe } from './probe.js';
import type { RunContext } from './run.js';
import { type Part, runTrial, skipTrial } from './trial.js';

/** What is to be run, and how far the run came before. */
export interface Work {
  trials: Part[];
  probes: ProbePart[];
  /** Trials that may be under way at once. */
  concurrency: number;
  /** The trial that failed first in what was run before, else null. */
  failed: string | null;
  /** Whether everything is skipped, because of that. */
  stop: boolean;
}

/** Everything of a prepared run, each for the first time. */
export function allOf(prepared: Prepared): Work {
  const trials = prepared.trials.map((planned) => ({ ...partOf(prepared, planned), attempt: 1 }));
  const probes = prepared.probes.flatMap((name) => probeOf(prepared, name));
  return { trials, probes, concurrency: prepared.concurrency, failed: null, stop: false };
}

/** Ids of the trials and probes that are to be run, in order. */
export function idsOf({ trials, probes }: Work): string[] {
  return [...trials.map(({ planned }) => planned.id), ...probes.map(({ name }) => probeId(name))];
}

/** Runs every trial and probe; gives the trial that failed first, or null. */
export async function runAll(run: RunContext, work: Work): Promise<string | null> {
  let { failed, stop } = work;
  const heed = (id: string) => {
    const { status, failure } = run.recorder.trial(id);
    if (status === 'failed') failed ??= id;
    stop ||= endsRun(run, status, failure);
  };
  const runPart = await hostOf(run);
  await sideBySide(run, work, async (part) => {
    if (stop) skipTrial(run, part);
    else await runPart(part);
    heed(part.planned.id);
  });
  for (const probe of work.probes) {
    await runProbe(run, probe, stop);
    if (run.recorder.trial(probeId(probe.name)).status === 'failed') failed ??= probeId(probe.name);
  }
  return failed;
}

/** What runs a trial: the loop of measure itself, or Claude Code, which is loaded only where it is needed. */
async function hostOf(run: RunContext): Promise<(part: Part) => Promise<void>> {
  const { claude } = run;
  if (claude === null) return (part) => runTrial(run, part);
  const { runClaudeTrial } = await import('./claude-code/trial.js');
  return (part) => runClaudeTrial({ ...run, claude }, part);
}

/** Whether what follows a trial that ended so is skipped. */
export function endsRun(run: Pick<RunContext, 'study'>, status: string, failure: string | null): boolean {
  if (status !== 'failed') return false;
  return (
    failure === 'BUDGET_STOP' ||
    failure === 'HOST_VERSION_CHANGED' ||
    run.study.definition.on_failure === 'stop'
  );
}

/** Where one throws, nothing new is begun, what is under way is ended, and the error is thrown when that is over. */
async function sideBySide(
  run: RunContext,
  { trials, concurrency }: Work,
  each: (part: Part) => Promise<void>,
): Promise<void> {
  const queue = [...trials];
  const take = async () => {
    for (let part = queue.shift(); part !== undefined; part = queue.shift()) await each(part);
  };
  const lanes = Array.from({ length: Math.min(concurrency, queue.length) }, () =>
    take().catch((error: unknown) => {
      queue.length = 0;
      run.recorder.endWork();
      throw error;
    }),
  );
  const broken = (await Promise.allSettled(lanes)).find((lane) => lane.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
}

function partOf(prepared: Prepared, planned: PlannedTrial): Omit<Part, 'attempt'> {
  const task = prepared.tasks.find((candidate) => candidate.id === planned.task);
  const condition = prepared.conditions.find((candidate) => candidate.name === planned.condition);
  if (task === undefined || condition === undefined) throw new Error(`the plan names ${planned.id}`);
  return { planned, task, condition };
}

function probeOf({ study, conditions }: Prepared, name: string): ProbePart[] {
  const condition = conditions.find(
    (candidate) => candidate.name === study.definition.probes[name]?.condition,
  );
  return condition === undefined ? [] : [{ name, condition, attempt: 1 }];
}
