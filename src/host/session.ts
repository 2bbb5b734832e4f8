/** One server process for one trial: handshake, use, close, each of them recorded. */
import { sha256 } from '../events/bytes.js';
import { elapsedMs, systemClock } from '../events/clock.js';
import type { BodyOf } from '../events/event.js';
import type { FailureCode } from '../events/failures.js';
import type { Condition } from '../study/load.js';
import { failureOf } from './failure.js';
import { assertInputs } from './inputs.js';
import {
  type EraChoice,
  type Fault,
  faultOf,
  type McpSession,
  openSession,
  type PassingMessage,
  ServerFailure,
} from './mcp.js';
import { Interrupted, type Recorder } from './recorder.js';
import type { ServerContext } from './run.js';
import { measureVersion } from './runtime.js';
import { serverNameOf, serverSpec } from './servers.js';

/** Runs `use` against a fresh server of the condition, and records the `close` of the trial, however it ended. */
export async function withServer(
  run: ServerContext,
  trial: string,
  condition: Condition,
  use: (session: McpSession) => Promise<void>,
): Promise<void> {
  const started = systemClock.monotonic();
  let session: McpSession | null = null;
  let failure: { code: FailureCode; message: string } | null = null;
  let refused: ServerFailure | null = null;
  const release = run.recorder.guard(() => session?.killNow());
  try {
    session = await openServer(run, trial, condition);
    await use(session);
    assertInputs(run.study);
  } catch (error) {
    if (error instanceof Interrupted) session?.killNow();
    failure = failureOf(error);
    if (error instanceof ServerFailure) refused = error;
  }
  const end = await endServer(session, refused);
  release();
  failure ??= end.failure;
  run.recorder.append({
    ...{
      type: 'close',
      trial,
      status: failure === null ? 'completed' : 'failed',
      failure: failure?.code ?? null,
    },
    ...{ how: end.how, exit_code: end.exit_code, signal: end.signal, elapsed_ms: elapsedMs(started) },
    ...{
      message: failure?.message ?? null,
      stderr_tail: session?.stderrTail() || refused?.stderr_tail || null,
    },
  });
}

async function openServer(run: ServerContext, trial: string, condition: Condition): Promise<McpSession> {
  assertInputs(run.study);
  const session = await openSession(serverSpec(run.study, condition, run.env, trial), {
    connectTimeoutMs: run.limits.connect_timeout_ms,
    lineCapBytes: run.limits.max_line_bytes,
    era: eraFor(run, condition),
    client: { name: 'measure', version: measureVersion() },
    signal: run.recorder.abort.signal,
    onFault: (fault) => run.recorder.note(() => faultBody(run.recorder, trial, fault)),
    onPassing: (message) => {
      run.recorder.note(() => messageBody(run.recorder, trial, message));
      if (message.method === 'notifications/tools/list_changed')
        run.recorder.note(() => faultBody(run.recorder, trial, catalogChanged()));
    },
  });
  run.seen.eras.set(serverNameOf(condition, run.study), session.handshake.era);
  try {
    const { program, raw, ...facts } = session.handshake;
    run.recorder.append({
      ...{ type: 'handshake', trial, ...facts, raw: run.recorder.raw(raw) },
      ...{ program_path: program?.path ?? null, program_sha256: program?.sha256 ?? null },
    });
  } catch (error) {
    session.killNow();
    throw error;
  }
  return session;
}

/** What the study or --protocol says; where that is auto, what the first trial of the run agreed on. */
function eraFor(run: ServerContext, condition: Condition): EraChoice {
  const name = serverNameOf(condition, run.study);
  const chosen = run.protocol ?? run.study.definition.servers[name]?.protocol ?? 'auto';
  if (chosen === 'auto') return run.seen.eras.get(name) ?? 'auto';
  return chosen === 'legacy' ? 'legacy' : 'modern';
}

function catalogChanged(): Fault {
  const message = 'the server says that its tools changed; the model goes on with those that it was offered';
  return faultOf('CATALOG_CHANGED', 'warning', message, Buffer.alloc(0));
}

/** A fault of the wire as an event. */
export function faultBody(recorder: Recorder, trial: string, fault: Fault): BodyOf<'fault'> {
  const { code, severity, message, bytes_length, sha256, text, base64, line, http_status = null } = fault;
  return {
    ...{ type: 'fault', trial, code, severity, turn: null, attempt: null, http_status },
    ...{ bytes: bytes_length, sha256, message, text, base64: base64 ?? null },
    ...(line === undefined ? {} : { raw: recorder.exact(line) }),
  };
}

/** A passing message as an event. */
export function messageBody(
  recorder: Recorder,
  trial: string,
  { direction, kind, method, line }: PassingMessage,
): BodyOf<'message'> {
  const facts = { bytes: line.length, sha256: sha256(line), raw: recorder.exact(line) };
  return { type: 'message', trial, direction, kind, method, ...facts };
}

interface End {
  how: BodyOf<'close'>['how'];
  exit_code: number | null;
  signal: string | null;
  failure: { code: FailureCode; message: string } | null;
}

const NOT_STARTED = { how: 'not_started', exit_code: null, signal: null } as const;

async function endServer(session: McpSession | null, refused: ServerFailure | null): Promise<End> {
  const { how, exit_code, signal } = refused?.close ?? NOT_STARTED;
  if (session === null) return { how, exit_code, signal, failure: null };
  try {
    return { ...(await session.close()), failure: null };
  } catch (error) {
    session.killNow();
    const message = error instanceof Error ? error.message : String(error);
    return { how: 'sigkill', exit_code: null, signal: null, failure: { code: 'CLOSE_ERROR', message } };
  }
}
