/** The log of a tapped session: opening, what passed, close. */
import { sha256 } from '../../events/bytes.js';
import type { BodyOf, EventBody } from '../../events/event.js';
import { EventLog } from '../../events/log.js';
import { exactOf, withBlobs } from '../../events/payload.js';
import { Store } from '../../events/store.js';
import { secretsIn } from '../credentials.js';
import { redacted, redactedBytes } from '../redaction.js';
import { runtimeFacts } from '../runtime.js';
import { findProgram } from '../wire/program.js';
import { environmentOf } from './environment.js';
import { Exchanges } from './exchanges.js';
import type { Session, Told } from './listener.js';

/** The one trial of a tapped session. */
const TRIAL = 'session/1';

/** Writes each event at once, and makes what it wrote durable when asked to. Errors of the log are thrown. */
export class SessionLog {
  readonly #log: EventLog;
  readonly #store: Store;
  readonly #secrets = secretsIn(process.env);
  readonly #exchanges: Exchanges;
  readonly #started_ms: number;
  readonly #totals = { calls: 0, wire_bytes: 0 };
  #inputOver = false;
  #closed = false;

  private constructor(session: Session, program: Awaited<ReturnType<typeof findProgram>>) {
    this.#store = new Store(session.store);
    this.#log = EventLog.create(this.#store.eventsFile(session.run), session.run);
    this.#started_ms = session.started_ms;
    const env_names = Object.keys(environmentOf(session.handedOn)).sort();
    const facts = { trial: TRIAL, argv: session.command, program, env_names, started_ms: session.started_ms };
    this.#exchanges = new Exchanges({ ...facts, exact: (bytes) => this.#exact(bytes) }, (body) =>
      this.#append(body),
    );
    this.#append(opening(session));
    this.#append({
      ...{ type: 'trial_open', trial: TRIAL, purpose: 'session', condition: 'tap', task: null },
      ...{ phrasing: null, repetition: 1, attempt: 1, question_sha256: null, prompt: null },
    });
  }

  /** A new log, with its opening in it. */
  static async open(session: Session): Promise<SessionLog> {
    const env = environmentOf(session.handedOn);
    return new SessionLog(session, await findProgram({ argv: session.command, env, cwd: session.cwd }));
  }

  /** Takes what the main thread tells, in order. */
  hear(told: Told): void {
    if (told.kind === 'started') this.#exchanges.pid = told.pid;
    else if (told.kind === 'chunk')
      this.#exchanges.push(told.direction, Buffer.from(told.bytes.buffer), told.at_ms);
    else if (told.kind === 'over') this.#over(told);
    else this.#close(told);
  }

  /** Makes durable what was heard so far. */
  sync(): void {
    if (!this.#closed) this.#log.sync();
  }

  #over({ direction, at_ms }: Extract<Told, { kind: 'over' }>): void {
    if (direction === 'to_server') this.#inputOver = true;
    this.#exchanges.over(direction, at_ms);
  }

  #close({ exit, error, forwarded, at_ms }: Extract<Told, { kind: 'end' }>): void {
    this.#exchanges.end(at_ms);
    const elapsed_ms = Math.round((at_ms - this.#started_ms) * 1000) / 1000;
    this.#append({
      ...{ type: 'close', trial: TRIAL, status: error === null ? 'completed' : 'failed' },
      ...{ failure: error === null ? null : 'SERVER_START_FAILED', how: this.#how(error, forwarded) },
      ...{ ...exit, elapsed_ms, message: error ?? signalWords(forwarded), stderr_tail: null },
    });
    this.#append({
      ...{ type: 'run_close', status: error === null ? 'completed' : 'failed', startup_code: null },
      ...{ count: this.#log.head.count, failure: error === null ? null : 'SERVER_START_FAILED' },
      ...{ message: error, totals: totalsOf(this.#totals) },
    });
    this.#log.sync();
    this.#log.close();
    this.#closed = true;
  }

  #how(error: string | null, forwarded: string[]): BodyOf<'close'>['how'] {
    if (error !== null) return 'not_started';
    if (forwarded.at(-1) === 'SIGTERM') return 'sigterm';
    return this.#inputOver ? 'stdin_end' : 'exited';
  }

  #append(body: EventBody): void {
    const clean = redacted(body, this.#secrets);
    const stored = clean === body && body.type === 'tool_call' ? withBlobs(body, this.#store) : clean;
    this.#log.append(stored, { sync: false });
    if (body.type !== 'tool_call') return;
    this.#totals.calls += 1;
    this.#totals.wire_bytes += body.wire?.response_bytes ?? 0;
  }

  #exact(bytes: Buffer) {
    return exactOf(redactedBytes(bytes, this.#secrets), this.#store);
  }
}

/** Signals are no fault, but they are what the host did. */
function signalWords(signals: string[]): string | null {
  return signals.length === 0 ? null : `the host signalled ${signals.join(', ')}`;
}

function opening({ name, cwd }: Session): BodyOf<'run_open'> {
  return {
    ...{
      type: 'run_open',
      study: { name: `tap-${name}`, path: cwd, sha256: null },
      host: 'tap',
      model: null,
    },
    ...{ limits: null, runtime: runtimeFacts({ tokenizer: null, endpoint: null }), protocol: null },
    ...{ tasks: [], inputs: [], plan: null, system_sha256: sha256(''), system: '' },
  };
}

function totalsOf(totals: { calls: number; wire_bytes: number }): BodyOf<'run_close'>['totals'] {
  return {
    ...{ trials: 0, completed: 0, failed: 0, skipped: 0, turns: 0, input_tokens: 0, output_tokens: 0 },
    ...{ usage_source: 'none', model_facing_bytes: 0, ...totals },
  };
}
