/** What a recording is about to do, and what came of it, for people. */
import type { RunReceipt } from '../events/run-receipt.js';
import type { TrialReceipt } from '../events/trial-receipt.js';
import { visible } from '../events/visible.js';
import type { Ceiling } from '../host/ceiling.js';
import type { Prepared } from '../host/prepare.js';
import type { PlanFacts, Recording } from '../host/record.js';
import { hintFor } from './hints.js';
import { counted, integer } from './table.js';

/** The plan, and the most that it can spend. */
export function showPlan(prepared: Prepared, ceiling: Ceiling): string {
  const { study, conditions, tasks, repetitions, budget, seed } = prepared;
  const factors = [
    counted(tasks.length, 'task'),
    counted(conditions.length, 'condition'),
    counted(prepared.phrasings.length, 'phrasing'),
    counted(repetitions, 'repetition'),
  ];
  const all = tasks.length * conditions.length * prepared.phrasings.length * repetitions;
  const drawn = ceiling.trials < all ? ` drawn from ${all}` : '';
  const sideBySide = prepared.concurrency === 1 ? '' : `; ${prepared.concurrency} side by side`;
  const lines = [
    `study ${study.definition.name}: ${counted(ceiling.trials, 'trial')}${drawn} (${factors.join(' × ')}) and ${counted(ceiling.probes, 'probe')}; order from seed ${seed}${sideBySide}`,
    modelLine(prepared),
    limitsLine(prepared),
    ...(isBillable(prepared) ? [ceilingLine(prepared, ceiling)] : []),
    ...(budget.tokens === null
      ? []
      : [`budget: ${integer(budget.tokens)} tokens; stops before the call that could pass it`]),
    ...(budget.usd === null ? [] : [`budget: $${budget.usd}; stops before the call that could pass it`]),
  ];
  return lines.join('\n');
}

function modelLine(prepared: Prepared): string {
  const { host, model, baseURL } = prepared;
  const asked = host === 'claude-code' ? ', asked by Claude Code' : '';
  return isBillable(prepared)
    ? `model: ${model}${asked}; billable calls to ${baseURL ?? "Anthropic's API"}`
    : `model: the embedded scripted model${asked}; no key, no network, nothing is billed; its token counts are estimates`;
}

function isBillable({ script }: Prepared): boolean {
  return script === null;
}

/** What one call or launch may take, by the host. */
function limitsLine({ host, limits }: Prepared): string {
  const launches = `${limits.trial_timeout_ms / 1000} s a launch, ${limits.launch_retries} further launches where one gives nothing`;
  const calls = `${integer(limits.max_tokens)} output tokens and ${limits.model_timeout_ms / 1000} s a call, ${limits.retries} retries`;
  return `limits: ${limits.max_turns} turns a trial, ${host === 'claude-code' ? launches : calls}`;
}

/** What is left of a run that is gone on with, and the most that it can spend. */
export function showRest(prepared: Prepared, { ceiling, left }: PlanFacts): string {
  const { study, trials, probes } = prepared;
  const total = trials.length + probes.length;
  return [
    `study ${study.definition.name}: going on with ${left} of ${counted(total, 'trial')}, probes counted`,
    modelLine(prepared),
    ...(isBillable(prepared) ? [ceilingLine(prepared, ceiling)] : []),
  ].join('\n');
}

function ceilingLine(prepared: Prepared, ceiling: Ceiling): string {
  const calls = `at most ${integer(ceiling.calls)} model calls (${ceiling.trials} trials × ${prepared.limits.max_turns} turns × ${ceiling.attempts} attempts)`;
  const output =
    ceiling.output_tokens === null
      ? 'output tokens bounded by Claude Code alone'
      : `${integer(ceiling.output_tokens)} output tokens`;
  const input =
    ceiling.input_tokens === null
      ? 'input tokens bounded by the model alone'
      : `${integer(ceiling.input_tokens)} input tokens`;
  const unknown = ceiling.output_tokens === null ? 'what they cost is not bounded' : 'list price not known';
  const cost = ceiling.usd === null ? unknown : `at most $${ceiling.usd.toFixed(2)} at list price`;
  return `ceiling: ${calls}, ${output}, ${input}: ${cost}`;
}

/** How a recording ended, and what to do next. */
export function showRecording({ run, log, receipt, signal }: Recording): string {
  const trials = receipt.attempts.filter((trial) => trial.purpose === 'trial');
  const having = (status: string) => trials.filter((trial) => trial.status === status).length;
  const failed = receipt.attempts.filter((trial) => trial.status === 'failed');
  const doubt = trials.filter((trial) => trial.status === 'in_doubt');
  return [
    `run ${run}: ${signal === null ? receipt.status : `interrupted by ${signal}`}`,
    `trials: ${having('completed')} completed, ${having('failed')} failed, ${having('skipped')} skipped of ${receipt.open.plan?.trials.length ?? 0}`,
    ...failed.map((trial) => failedLine(trial, receipt.open.host)),
    ...doubt.map((trial) => `  ${trial.trial}: in doubt: its last model call may have been billed`),
    ...faultLines(receipt),
    `log: ${log}`,
    ...(signal === null && failed.length === 0
      ? [`next: measure grade ${run}`]
      : [`next: measure ${signal === null ? 'replay' : 'record --resume'} ${run}`]),
  ].join('\n');
}

/** How often each kind of fault was seen, the first of each in words; without those that failed a trial. */
function faultLines({ attempts, faults }: RunReceipt): string[] {
  const told: (string | null)[] = attempts.map((trial) => trial.failure);
  const all = [...faults, ...attempts.flatMap((trial) => trial.faults)].filter(
    ({ code }) => !told.includes(code),
  );
  const codes = [...new Set(all.map(({ code }) => code))];
  return codes.map((code) => {
    const these = all.filter((fault) => fault.code === code);
    return `  ${counted(these.length, 'fault')} ${code}: ${visible(these[0]?.message ?? '')}`;
  });
}

/** `trial: CODE: what happened: what to do`. */
function failedLine({ trial, failure, message }: TrialReceipt, host: string | null): string {
  const said = message?.startsWith(`${failure}: `) ? message : `${failure}: ${message ?? ''}`;
  return `  ${trial}: ${visible(said)}${failure === null ? '' : `: ${hintFor(failure, host, message)}`}`;
}
