/** One recording: from a study to a log. */
import { resolve } from 'node:path';
import { sha256 } from '../events/bytes.js';
import type { Event, EventOf } from '../events/event.js';
import { EventLog } from '../events/log.js';
import { Problem } from '../events/problem.js';
import { finalTrials, type RunReceipt, totalsOf } from '../events/run-receipt.js';
import { newRunId, Store } from '../events/store.js';
import { studyNameOf } from '../study/load.js';
import { Budget } from './budget.js';
import { secretsIn } from './credentials.js';
import { openModelClient } from './messages.js';
import {
  type Ceiling,
  ceilingOf,
  type Prepared,
  prepare,
  type RecordChoice,
  SCRIPTED_MODEL,
} from './prepare.js';
import { probeId, runProbe } from './probe.js';
import { Interrupted, Recorder } from './recorder.js';
import { nothingSeen, type RunContext } from './run.js';
import { runtimeFacts } from './runtime.js';
import { headerSecrets } from './servers.js';
import { onSignals } from './signals.js';
import { runTrial, skipTrial } from './trial.js';

export interface RecordOptions extends RecordChoice {
  store: string;
  /** Where the key and the endpoint are looked for; the process's own environment where absent. */
  env?: NodeJS.ProcessEnv;
  /** Told what is about to be done, before the first trial. */
  onPlan?(prepared: Prepared, ceiling: Ceiling, log: string): void;
  /** Told where the receipt of a failed start lies, before the failure is thrown. */
  onFailedStart?(log: string): void;
  /** Told each event once it is durable. */
  onEvent?(event: Event): void;
}

export interface Recording {
  run: string;
  log: string;
  receipt: RunReceipt;
  /** The signal that ended the run, null where none did. */
  signal: string | null;
}

/** Records a run. A failed start-up check leaves a receipt that says so, and throws; a failed trial is data. */
export async function record(options: RecordOptions): Promise<Recording> {
  const store = new Store(options.store);
  const run = newRunId(studyNameOf(options.study), new Date());
  store.createRun(run);
  const log = EventLog.create(store.eventsFile(run), run);
  const env = options.env ?? process.env;
  const recorder = new Recorder(log, store, options.onEvent, secretsIn(env));
  const restore = onSignals((signal) => recorder.interrupt(signal));
  try {
    await prepareAndRun(options, env, store, recorder);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  } finally {
    restore();
    log.close();
  }
  return { run, log: log.file, receipt: recorder.receipt, signal: recorder.signal };
}

async function prepareAndRun(
  options: RecordOptions,
  env: NodeJS.ProcessEnv,
  store: Store,
  recorder: Recorder,
): Promise<void> {
  try {
    const prepared = prepare(options, env);
    options.onPlan?.(prepared, ceilingOf(prepared), recorder.log.file);
    recorder.hide(headerSecrets(prepared.study, env));
    await recordRun(prepared, env, store, recorder);
  } catch (error) {
    if (!recorder.isOpen) {
      recordStartupFailure(options, recorder, error);
      options.onFailedStart?.(recorder.log.file);
    }
    throw error;
  }
}

/** A whole log for a run that could not begin: it replays, and says why. */
function recordStartupFailure(options: RecordOptions, recorder: Recorder, error: unknown): void {
  const path = resolve(options.study);
  recorder.append({
    ...{ type: 'run_open', study: { name: studyNameOf(path), path, sha256: null } },
    ...{ host: options.host ?? (options.model === undefined ? null : 'messages') },
    ...{ model: options.model ?? null, limits: null },
    ...{ runtime: runtimeFacts({ tokenizer: null, endpoint: null }), tasks: [], inputs: [], plan: null },
    ...{ system_sha256: null, system: null },
  });
  const startup_code = error instanceof Problem ? error.code : null;
  const message = error instanceof Error ? error.message : String(error);
  closeRun(recorder, 0, { failure: 'STARTUP_FAILED', startup_code, message });
}

async function recordRun(
  prepared: Prepared,
  env: NodeJS.ProcessEnv,
  store: Store,
  recorder: Recorder,
): Promise<void> {
  const endpoint = prepared.script === null ? null : await startScripted(prepared);
  try {
    const client = openModelClient({
      baseURL: endpoint?.url ?? prepared.baseURL ?? undefined,
      apiKey: prepared.apiKey ?? SCRIPTED_MODEL,
      timeoutMs: prepared.limits.model_timeout_ms,
    });
    recorder.append(
      runOpenOf(
        prepared,
        store,
        endpoint === null
          ? { tokenizer: null, endpoint: client.origin }
          : { tokenizer: endpoint.tokenizer, endpoint: null },
      ),
    );
    const usage_source = endpoint === null ? 'provider' : 'estimate';
    const budget = new Budget(prepared.budget, prepared.price);
    const failed = await runTrials(
      {
        ...{ study: prepared.study, recorder, client, budget, usage_source, limits: prepared.limits },
        ...{ env, protocol: prepared.protocol, seen: nothingSeen() },
      },
      prepared,
    );
    const failure = failed === null ? null : `${failed} failed`;
    closeRun(recorder, prepared.trials.length, {
      failure: failed === null ? null : failureCode(recorder, failed),
      startup_code: null,
      message: failure,
    });
  } finally {
    await endpoint?.close();
  }
}

async function startScripted(prepared: Prepared) {
  const { startScriptedModel } = await import('./scripted/endpoint.js');
  const { study, script } = prepared;
  if (script === null) throw new Error('a scripted run without a script');
  const phrasings = Object.values(study.definition.phrasings);
  const tasks = study.tasks.flatMap(({ id, key, question, entry }) =>
    phrasings.map((phrasing) => ({
      ...{ id, prompt: phrasing.replace('{question}', () => question), task: entry },
      ...(key.kind === null ? {} : { kind: key.kind }),
    })),
  );
  return startScriptedModel({ script, tasks, answer: 'json' });
}

/** Runs every trial and probe in order; gives the trial that failed first, or null. */
async function runTrials(run: RunContext, prepared: Prepared): Promise<string | null> {
  let failed: string | null = null;
  let stop = false;
  for (const planned of prepared.trials) {
    const task = prepared.tasks.find((candidate) => candidate.id === planned.task);
    const condition = prepared.conditions.find((candidate) => candidate.name === planned.condition);
    if (task === undefined || condition === undefined) throw new Error(`the plan names ${planned.id}`);
    if (stop) skipTrial(run, planned, task);
    else await runTrial(run, planned, task, condition);
    const { status, failure } = run.recorder.trial;
    if (status === 'failed') failed ??= planned.id;
    stop ||=
      status === 'failed' && (failure === 'BUDGET_STOP' || prepared.study.definition.on_failure === 'stop');
  }
  for (const name of prepared.probes) {
    const condition = prepared.conditions.find(
      (candidate) => candidate.name === run.study.definition.probes[name]?.condition,
    );
    if (condition === undefined) continue;
    await runProbe(run, name, condition, stop);
    if (run.recorder.trial.status === 'failed') failed ??= probeId(name);
  }
  return failed;
}

function failureCode(recorder: Recorder, trial: string) {
  return recorder.receipt.attempts.find((attempt) => attempt.trial === trial)?.failure ?? null;
}

function closeRun(
  recorder: Recorder,
  planned: number,
  end: Pick<EventOf<'run_close'>, 'failure' | 'startup_code' | 'message'>,
): void {
  const totals = totalsOf(recorder.receipt.attempts, planned);
  const status = end.failure === null ? 'completed' : 'failed';
  recorder.append({ type: 'run_close', status, count: recorder.log.head.count, ...end, totals });
}

/** The opening event: everything that was asked, and every frozen input, kept by its hash. */
function runOpenOf(
  prepared: Prepared,
  store: Store,
  measured: { tokenizer: string | null; endpoint: string | null },
) {
  const { study, host, model, conditions, tasks, limits, budget } = prepared;
  const { definition } = study;
  const inputs = study.inputs.map(({ name, path, bytes, sha256: hash }) => ({
    ...{ name, path, bytes: bytes.length, sha256: hash, blob: store.putBlob(bytes) },
    records: name === 'snapshot' && study.records !== null ? study.records.snapshot.rows.length : null,
    fields: name === 'fields' && study.records !== null ? study.records.fields : null,
  }));
  return {
    ...{
      type: 'run_open' as const,
      study: { name: definition.name, path: study.file, sha256: inputs[0]?.sha256 ?? null },
    },
    ...{ host, model, limits: { ...limits, budget_tokens: budget.tokens, budget_usd: budget.usd } },
    ...{ runtime: runtimeFacts(measured), protocol: prepared.protocol },
    tasks: tasks.map(({ id, key, question_sha256, key_sha256, independent_count }) => ({
      ...{ id, kind: key.kind, question_sha256, key_sha256, independent_count },
    })),
    inputs,
    plan: {
      conditions: conditions.map((condition) => ({ ...condition, controls: [...condition.controls] })),
      phrasings: Object.entries(definition.phrasings).map(([name, template]) => ({ name, template })),
      ...{ repetitions: prepared.repetitions, order: definition.order, seed: prepared.seed },
      ...{ on_failure: definition.on_failure, trials: prepared.trials, probes: prepared.probes.map(probeId) },
    },
    ...{ system_sha256: sha256(definition.system), system: definition.system },
  };
}

/** Whether every trial of a run ended with an answer and every probe passed. */
export function isComplete(receipt: RunReceipt): boolean {
  return (
    receipt.status === 'completed' && finalTrials(receipt).every((trial) => trial.status === 'completed')
  );
}
