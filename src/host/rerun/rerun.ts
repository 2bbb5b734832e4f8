/** A rerun: the recorded calls of a run, in order, against another build of the server, in a log of its own. */
import type { Event, EventOf } from '../../events/event.js';
import { EventLog } from '../../events/log.js';
import { Problem } from '../../events/problem.js';
import { chooseTrials, type RecordedRun, readRecorded } from '../../events/recorded.js';
import { totalsOf } from '../../events/run-receipt.js';
import { newRunId, Store } from '../../events/store.js';
import type { Study } from '../../study/load.js';
import type { ProtocolChoice } from '../../study/protocols.js';
import { secretsIn } from '../credentials.js';
import { Interrupted, Recorder } from '../recorder.js';
import { nothingSeen, type ServerContext } from '../run.js';
import { runtimeFacts } from '../runtime.js';
import { serverSecrets, serverSpec } from '../servers.js';
import { onSignals } from '../signals.js';
import { estimateTokens, TOKENIZER } from '../tokens.js';
import { type Part, partsOf } from './recording.js';
import { type Rerun, type RerunReport, reportOf } from './report.js';
import type { Rule } from './rules.js';
import { type ServerChoice, studyOfServer } from './server.js';
import { runPart, skipPart } from './session.js';

export interface RerunOptions extends ServerChoice {
  store: string;
  /** The recorded run: an id, a unique prefix, or `latest`. */
  run: string;
  /** Trial ids; all where empty. */
  trials: string[];
  rules: Rule[];
  /** Absent: as each trial was recorded. */
  protocol?: ProtocolChoice | undefined;
  /** For the handshake, each page and each call, in milliseconds. */
  timeoutMs: number;
  env?: NodeJS.ProcessEnv;
  /** Where a command is started; the working folder where absent. */
  directory?: string;
  /** Told each event once it is durable. */
  onEvent?(event: Event): void;
}

export interface FinishedRerun extends RerunReport {
  recorded_run: string;
  /** The rerun's own run, whose log every figure can be traced to. */
  run: string;
  log: string;
  /** The signal that ended the rerun, null where none did. */
  signal: string | null;
}

/**
 * Reruns trials. Throws a `Problem` where it cannot begin: those of `chooseTrials`, `studyOfServer` and `serverSpec`, and
 * `RECORDING_EMPTY` where there is nothing to ask again. A server that fails is data.
 */
export async function rerun(options: RerunOptions): Promise<FinishedRerun> {
  const store = new Store(options.store);
  const recorded_run = store.resolveRun(options.run);
  const recorded = readRecorded(store.eventsFile(recorded_run));
  const { parts, left_out } = partsOf(recorded, chooseTrials(recorded, options.trials), store);
  if (parts.length === 0) throw nothingToAsk(recorded);
  const study = studyOfServer(options, options.directory ?? process.cwd());
  const env = options.env ?? process.env;
  for (const { open, condition } of parts) serverSpec(study, condition, env, open.trial);
  const name = `rerun-${recorded.open?.study.name.replace(/^rerun-/, '') ?? 'run'}`;
  const made = await recordParts(options, { store, recorded, name, study, env }, parts);
  const report = reportOf(eventsOf(parts, made.events), left_out, options.rules, store, estimateTokens);
  return { recorded_run, run: made.run, log: made.log, signal: made.signal, ...report };
}

interface Prepared {
  store: Store;
  recorded: RecordedRun;
  /** Of the rerun's study. */
  name: string;
  study: Study;
  env: NodeJS.ProcessEnv;
}

/** The rerun itself: a whole log, whatever the server does. */
async function recordParts(
  options: RerunOptions,
  { store, recorded, name, study, env }: Prepared,
  parts: Part[],
): Promise<{ run: string; log: string; signal: string | null; events: Event[] }> {
  const run = newRunId(name, new Date());
  store.createRun(run);
  const log = EventLog.create(store.eventsFile(run), run);
  const events: Event[] = [];
  const keep = (event: Event) => {
    events.push(event);
    options.onEvent?.(event);
  };
  const recorder = new Recorder(log, store, keep, [...secretsIn(env), ...serverSecrets(study, env)]);
  const restore = onSignals((signal) => recorder.interrupt(signal));
  try {
    const protocol = options.protocol ?? null;
    recorder.append(runOpenOf(name, recorded.file, protocol));
    const limits = limitsOf(options);
    await runParts({ study, recorder, limits, env, protocol, seen: nothingSeen() }, parts);
    closeRun(recorder, parts.length);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  } finally {
    restore();
    log.close();
  }
  return { run, log: log.file, signal: recorder.signal, events };
}

/** Every trial in order. Where the server could not be started, or not spoken to, the rest is skipped. */
async function runParts(run: ServerContext, parts: Part[]): Promise<void> {
  let stop = false;
  for (const part of parts) {
    if (stop) skipPart(run, part);
    else await runPart(run, part);
    stop ||= run.recorder.trial(part.open.trial).server === null;
  }
}

/** As a study has it where it says nothing else. */
const LINE_BYTES = 64 * 1024 * 1024;

function limitsOf({ timeoutMs }: RerunOptions): ServerContext['limits'] {
  return { tool_timeout_ms: timeoutMs, connect_timeout_ms: timeoutMs, max_line_bytes: LINE_BYTES };
}

/** There is no model and no plan; the study is the recording. */
function runOpenOf(name: string, path: string, protocol: ProtocolChoice | null) {
  return {
    ...{
      type: 'run_open' as const,
      study: { name, path, sha256: null },
      host: 'rerun' as const,
      model: null,
    },
    ...{ limits: null, runtime: runtimeFacts({ tokenizer: TOKENIZER, endpoint: null }), protocol },
    ...{ tasks: [], inputs: [], plan: null, system_sha256: null, system: null },
  };
}

function closeRun(recorder: Recorder, planned: number): void {
  const { attempts } = recorder.receipt;
  const failed = attempts.find(({ status }) => status === 'failed');
  const end: Pick<EventOf<'run_close'>, 'status' | 'failure' | 'message'> = failed === undefined
    ? { status: 'completed', failure: null, message: null }
    : { status: 'failed', failure: failed.failure, message: `${failed.trial} failed` };
  const totals = totalsOf(attempts, planned);
  recorder.append({ type: 'run_close', count: recorder.log.head.count, ...end, startup_code: null, totals });
}

function eventsOf(parts: Part[], events: Event[]): Rerun[] {
  return parts.map((part) => ({
    part,
    events: events.filter((event) => 'trial' in event && event.trial === part.open.trial),
  }));
}

function nothingToAsk({ file }: RecordedRun): Problem {
  const what = 'no server ever answered in these trials, so there is nothing to ask again';
  const todo = 'name another run, or other trials with --trial';
  return new Problem({ code: 'RECORDING_EMPTY', what, todo, file, exit: 3 });
}
