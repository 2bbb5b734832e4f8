/** One recording: from a study to a log, or to the rest of one. */
import { dirname } from 'node:path';
import type { Event, EventOf } from '../events/event.js';
import { lockRun } from '../events/lock.js';
import { EventLog } from '../events/log.js';
import { Problem } from '../events/problem.js';
import { repairTail } from '../events/repair.js';
import { finalTrials, type RunReceipt, totalsOf } from '../events/run-receipt.js';
import { newRunId, Store } from '../events/store.js';
import { studyNameOf } from '../study/load.js';
import { Budget } from './budget.js';
import { type Ceiling, ceilingOf } from './ceiling.js';
import type { ClaudeCli } from './claude-code/cli.js';
import { claudeOf, openClaude, underClaude } from './claude-code/host.js';
import { secretsIn } from './credentials.js';
import { openModelClient } from './messages.js';
import { SCRIPTED_MODEL } from './model.js';
import { failedOpenOf, runOpenOf } from './opening.js';
import { type Prepared, prepare, type RecordChoice } from './prepare.js';
import { Interrupted, Recorder } from './recorder.js';
import { assertSame, choiceOf, remaining, spendAgain, unfinished } from './resume.js';
import { nothingSeen } from './run.js';
import { measureVersion } from './runtime.js';
import { startScripted } from './scripted/start.js';
import { serverSecrets } from './servers.js';
import { onSignals } from './signals.js';
import { allOf, idsOf, runAll, type Work } from './trials.js';

/** Who is told of a recording, and where it looks for the key. */
export interface Told {
  /** Where the key and the endpoint are looked for; the process's own environment where absent. */
  env?: NodeJS.ProcessEnv;
  /** Told what is about to be done, before the first trial. */
  onPlan?(prepared: Prepared, plan: PlanFacts): void;
  /** Told where the receipt of a failed start lies, before the failure is thrown. */
  onFailedStart?(log: string): void;
  /** Told each event once it is durable. */
  onEvent?(event: Event): void;
}

export interface RecordOptions extends RecordChoice, Told {
  store: string;
}

/** What may be chosen anew for a run that is gone on with. */
export interface ResumeOptions
  extends Pick<RecordChoice, 'concurrency' | 'budgetTokens' | 'budgetUsd' | 'claude' | 'proxy'>,
    Told {
  store: string;
  /** An id, a prefix of one, or `latest`. */
  run: string;
}

export interface PlanFacts {
  ceiling: Ceiling;
  log: string;
  /** Trials and probes that are to be run now. */
  left: number;
  /** Where an interrupted run is gone on with. */
  resumes: boolean;
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
  return locked(store, run, () => {
    const log = EventLog.create(store.eventsFile(run), run);
    return withRecorder(options, store, log, (recorder) => prepareAndRun(options, store, recorder));
  });
}

/**
 * Goes on with a run that was interrupted: trials that ended stay, and one that was under way is run again. Throws what
 * `unfinished` and `assertSame` throw, with the log as it was.
 */
export async function resume(options: ResumeOptions): Promise<Recording> {
  const store = new Store(options.store);
  const run = store.resolveRun(options.run);
  return locked(store, run, async () => {
    const found = unfinished(store, run);
    const env = options.env ?? process.env;
    const prepared = prepare(choiceOf(found, options), env);
    const cli = await claudeOf(prepared, env);
    assertSame(found, prepared, cli);
    const repaired = repairTail(store.eventsFile(run));
    const log = EventLog.continue(store.eventsFile(run), run);
    return withRecorder(options, store, log, async (recorder) => {
      recorder.goOn(found.receipt);
      if (repaired !== null) recorder.append(repaired);
      const work = remaining(found, prepared);
      tell(options, prepared, { log: log.file, work, resumes: true });
      const budget = new Budget(prepared.budget, prepared.price);
      spendAgain(budget, found);
      await recordRun({ prepared, cli, env, recorder, budget, work }, () =>
        recorder.append({ type: 'run_resumed', measure: measureVersion(), remaining: idsOf(work) }),
      );
    });
  });
}

/** Does something with a run while no other process can write to it. */
async function locked<T>(store: Store, run: string, action: () => Promise<T>): Promise<T> {
  const unlock = await lockRun(store.runDirectory(run));
  try {
    return await action();
  } finally {
    unlock();
  }
}

/** Hears signals while a log is written to, and closes it. */
async function withRecorder(
  { env = process.env, onEvent }: Told,
  store: Store,
  log: EventLog,
  use: (recorder: Recorder) => Promise<void>,
): Promise<Recording> {
  const recorder = new Recorder(log, store, onEvent, secretsIn(env));
  const restore = onSignals((signal) => recorder.interrupt(signal));
  try {
    await use(recorder);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  } finally {
    restore();
    log.close();
  }
  return { run: log.run, log: log.file, receipt: recorder.receipt, signal: recorder.signal };
}

async function prepareAndRun(options: RecordOptions, store: Store, recorder: Recorder): Promise<void> {
  const env = options.env ?? process.env;
  try {
    const prepared = prepare(options, env);
    const cli = await claudeOf(prepared, env);
    const work = allOf(prepared);
    tell(options, prepared, { log: recorder.log.file, work, resumes: false });
    const budget = new Budget(prepared.budget, prepared.price);
    await recordRun({ prepared, cli, env, recorder, budget, work }, (measured) =>
      recorder.append(runOpenOf(prepared, store, { ...measured, cli })),
    );
  } catch (error) {
    if (!recorder.isOpen) {
      recordStartupFailure(options, recorder, error);
      options.onFailedStart?.(recorder.log.file);
    }
    throw error;
  }
}

function tell(
  { onPlan }: Told,
  prepared: Prepared,
  { log, work, resumes }: { log: string; work: Work; resumes: boolean },
): void {
  onPlan?.(prepared, { ceiling: ceilingOf(prepared, work), log, left: idsOf(work).length, resumes });
}

/** A whole log for a run that could not begin: it replays, and says why. */
function recordStartupFailure(options: RecordOptions, recorder: Recorder, error: unknown): void {
  recorder.append(failedOpenOf(options));
  const startup_code = error instanceof Problem ? error.code : null;
  const message = error instanceof Error ? error.message : String(error);
  closeRun(recorder, 0, { failure: 'STARTUP_FAILED', startup_code, message });
}

/** A run that may begin, or be gone on with. */
interface Ready {
  prepared: Prepared;
  /** The command of Claude Code, where that is the host. */
  cli: ClaudeCli | null;
  env: NodeJS.ProcessEnv;
  recorder: Recorder;
  budget: Budget;
  work: Work;
}

/** Who counts the tokens of a run, and where its model is. */
interface Measured {
  tokenizer: string | null;
  endpoint: string | null;
}

/** Runs what is to be run, after `begin` has written the event that opens it. */
async function recordRun(
  { prepared, cli, env, recorder, budget, work }: Ready,
  begin: (measured: Measured) => void,
): Promise<void> {
  recorder.hide(serverSecrets(prepared.study, env));
  const endpoint = prepared.script === null ? null : await startScripted(prepared);
  try {
    const client = openModelClient({
      baseURL: endpoint?.url ?? prepared.baseURL ?? undefined,
      apiKey: prepared.apiKey ?? SCRIPTED_MODEL,
      timeoutMs: prepared.limits.model_timeout_ms,
    });
    begin({ tokenizer: endpoint?.tokenizer ?? null, endpoint: endpoint === null ? client.origin : null });
    const usage_source = endpoint === null ? 'provider' : 'estimate';
    const runFolder = dirname(recorder.log.file);
    const claude = openClaude(prepared, cli, { scripted: endpoint?.url ?? null, runFolder });
    const failed = await underClaude(claude, () =>
      runAll(
        {
          ...{ study: prepared.study, recorder, client, budget, usage_source, limits: prepared.limits },
          ...{ env, protocol: prepared.protocol, seen: nothingSeen(), claude },
        },
        work,
      ),
    );
    closeRun(recorder, prepared.trials.length, {
      failure: failed === null ? null : failureCode(recorder, failed),
      startup_code: null,
      message: failed === null ? null : `${failed} failed`,
    });
  } finally {
    await endpoint?.close();
  }
}

function failureCode(recorder: Recorder, trial: string) {
  return recorder.receipt.attempts.findLast((attempt) => attempt.trial === trial)?.failure ?? null;
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

/** Whether every trial of a run ended with an answer and every probe passed. */
export function isComplete(receipt: RunReceipt): boolean {
  return (
    receipt.status === 'completed' && finalTrials(receipt).every((trial) => trial.status === 'completed')
  );
}
