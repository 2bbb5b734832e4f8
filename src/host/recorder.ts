/** The recorder of a run under way: appends events, keeps the receipt, and ends at once when a signal comes. */
import { setMaxListeners } from 'node:events';
import { sha256 } from '../events/bytes.js';
import { beginConversation, type Conversation, converse, settingOf } from '../events/conversation.js';
import type { Event, EventBody, EventOf } from '../events/event.js';
import type { EventLog } from '../events/log.js';
import { type Exact, exactOf, type KeepsBlobs, withBlobs } from '../events/payload.js';
import { evolveRun, type RunReceipt } from '../events/run-receipt.js';
import { blobPath } from '../events/store.js';
import type { TrialReceipt } from '../events/trial-receipt.js';
import type { RawExchange } from './mcp.js';
import { redacted, redactedBytes, type Secret } from './redaction.js';

/** Thrown wherever the run is under way when a signal has ended it. */
export class Interrupted extends Error {
  readonly signal: string;

  constructor(signal: string) {
    super(`interrupted by ${signal}`);
    this.name = 'Interrupted';
    this.signal = signal;
  }
}

export class Recorder {
  readonly log: EventLog;
  /** Aborts the model calls that are under way. */
  readonly abort = new AbortController();
  readonly #onEvent: (event: Event) => void;
  readonly #blobs: KeepsBlobs;
  readonly #secrets: Secret[];
  #receipt: RunReceipt | null = null;
  /** The conversations of the trials under way, by trial. */
  readonly #talks = new Map<string, Conversation | null>();
  readonly #kills = new Set<() => void>();
  #signal: string | null = null;
  #failed: Error | null = null;

  /**
   * Payloads too large for a line go to `blobs`. `secrets` reach neither: each event loses them before it is hashed
   * and written.
   */
  constructor(
    log: EventLog,
    blobs: KeepsBlobs,
    onEvent: (event: Event) => void = () => {},
    secrets: Secret[] = [],
  ) {
    this.log = log;
    this.#blobs = blobs;
    this.#onEvent = onEvent;
    this.#secrets = [...secrets];
    // Each trial that is under way listens.
    setMaxListeners(0, this.abort.signal);
  }

  /** Goes on with a run whose log said this so far. */
  goOn(receipt: RunReceipt): void {
    this.#receipt = receipt;
  }

  /** Names further texts that must not reach the log. */
  hide(secrets: Secret[]): void {
    this.#secrets.push(...secrets);
  }

  /** Bytes as an event holds them, without the secrets. */
  exact(bytes: Buffer): Exact {
    return exactOf(redactedBytes(bytes, this.#secrets), this.#blobs);
  }

  /** Keeps bytes as a blob whatever their size, without the secrets, and tells what was kept. */
  keep(bytes: Buffer): { bytes: number; sha256: string; blob: string } {
    const clean = redactedBytes(bytes, this.#secrets);
    const hash = sha256(clean);
    this.#blobs.putBlob(clean, hash);
    return { bytes: clean.length, sha256: hash, blob: blobPath(hash) };
  }

  /** An exchange as an event holds it. */
  raw({ request, response }: RawExchange): { request: Exact; response: Exact | null } {
    return { request: this.exact(request), response: response === null ? null : this.exact(response) };
  }

  /** Whether the run has its `run_open`. */
  get isOpen(): boolean {
    return this.#receipt !== null;
  }

  /**
   * Appends one event, durably, and folds it; with `sync: false` it is durable once the next one is. Throws `Interrupted`
   * after a signal.
   */
  append(body: EventBody, { sync = true }: { sync?: boolean } = {}): Event {
    if (this.#failed !== null) throw this.#failed;
    if (this.#signal !== null && this.isOpen) throw new Interrupted(this.#signal);
    const event = this.#write(body, sync);
    if (this.#signal === null) return event;
    // The signal came before the run was open: it opens all the same, so that its log says so.
    this.#write({ type: 'run_interrupted', signal: this.#signal, trial: null });
    throw new Interrupted(this.#signal);
  }

  #write(body: EventBody, sync = true): Event {
    const clean = redacted(body, this.#secrets);
    // What was redacted no longer has the hashes that would name its blobs: it stays in the line.
    const event = clean === body ? this.#log(body, sync) : this.log.append(clean, { sync });
    this.#receipt = evolveRun(this.#receipt, event);
    this.#follow(event);
    this.#onEvent(event);
    return event;
  }

  #follow(event: Event): void {
    const trial = 'trial' in event ? event.trial : null;
    if (trial === null || event.type === 'run_interrupted') return;
    const talk = this.#talks.get(trial);
    if (event.type === 'trial_open') this.#begin(event);
    else if (event.type === 'close') this.#talks.delete(trial);
    else if (talk) this.#talks.set(trial, converse(talk, event));
  }

  /** Appends, and gives the event with its payloads, wherever they are kept. */
  #log(body: EventBody, sync: boolean): Event {
    if (body.type !== 'tool_call') return this.log.append(body, { sync });
    const event = this.log.append(withBlobs(body, this.#blobs));
    if (event.type !== 'tool_call' || event.in_blobs === undefined) return event;
    const { content, model_facing_text } = body;
    return { ...event, content, model_facing_text };
  }

  /**
   * The same from a callback that may not throw: an error of the log is thrown by the next `append`. What comes in from
   * outside may come by the thousand, and nothing waits for it: the next event makes it durable.
   */
  note(bodyOf: () => EventBody): void {
    if (this.#signal !== null || this.#receipt?.status !== 'interrupted') return;
    try {
      this.append(bodyOf(), { sync: false });
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failed ??= error instanceof Error ? error : new Error(String(error));
  }

  /** The receipt so far. */
  get receipt(): RunReceipt {
    if (this.#receipt === null) throw new Error('the run has no run_open yet');
    return this.#receipt;
  }

  get signal(): string | null {
    return this.#signal;
  }

  /** The conversation of a trial under way. */
  talk(trial: string): Conversation {
    const talk = this.#talks.get(trial);
    if (!talk) throw new Error(`no conversation of ${trial} is under way`);
    return talk;
  }

  /** The receipt of the last attempt at a trial. */
  trial(id: string): TrialReceipt {
    const trial = this.receipt.attempts.findLast((attempt) => attempt.trial === id);
    if (trial === undefined) throw new Error(`${id} has not begun`);
    return trial;
  }

  /** Names what has to be killed at once when a signal comes. Gives a function that takes it back. */
  guard(kill: () => void): () => void {
    this.#kills.add(kill);
    return () => this.#kills.delete(kill);
  }

  /**
   * Ends the run: a durable `run_interrupted`, no event after it, the servers' groups killed, model calls aborted.
   * Never throws: where the event cannot be written, the next `append` says so.
   */
  interrupt(signal: string): void {
    if (this.#signal !== null) return;
    try {
      if (this.#receipt?.status === 'interrupted')
        this.#write({ type: 'run_interrupted', signal, ...this.#underWay() });
    } catch (error) {
      this.#fail(error);
    }
    this.#signal = signal;
    this.endWork();
  }

  /** Kills the servers that were named, and aborts the model calls that are under way. */
  endWork(): void {
    for (const kill of this.#kills) kill();
    this.abort.abort();
  }

  #underWay(): Pick<EventOf<'run_interrupted'>, 'trial' | 'trials'> {
    const trials = [...this.#talks.keys()];
    return { trial: trials[0] ?? null, ...(trials.length > 1 ? { trials } : {}) };
  }

  #begin(open: EventOf<'trial_open'>): void {
    const setting = settingOf(this.receipt.open);
    this.#talks.set(open.trial, setting === null ? null : beginConversation(setting, open));
  }
}
