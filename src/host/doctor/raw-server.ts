/** A server driven by hand: bytes in, every line of stdout kept, and each request's fate as a host would see it. */
import type { CommandSpec } from '../mcp.js';
import { type CloseFacts, type CloseWaits, type ExitFacts, ServerProcess } from '../wire/child.js';
import { serverEnvironment } from '../wire/environment.js';
import { type FramedLine, LineSplitter } from '../wire/framing.js';
import { Gate } from '../wire/gate.js';
import type { JsonObject } from '../wire/json.js';
import { elapsedSince } from '../wire/time.js';
import type { Request } from './requests.js';
import { type LineReading, readStdoutLine, type StdoutLine } from './stdout-line.js';

/** A line of stdout, and where in the conversation it came. */
export interface HeardLine extends StdoutLine {
  /** Replies that had come before it. */
  replies_before: number;
}

/**
 * What became of a request. `glued`: its reply came, but with other text on its line, so that no host can read it.
 * `exited`: the server ended, or closed its stdout, instead. `silent`: nothing came in time. `flooded`: so much else came on
 * stdout that the server was ended.
 */
export type Fate = 'answered' | 'refused' | 'glued' | 'exited' | 'silent' | 'flooded';

/** One request that was made. */
export interface Step {
  method: string;
  /** The tool that was called. */
  tool: string | null;
  outcome: Fate;
  /** Milliseconds from the request to its fate. */
  elapsed_ms: number;
  /** The JSON-RPC message that answered it, glued or not. */
  reply: JsonObject | null;
  /** What stood around the reply on its line. */
  glued: { before: string; after: string } | null;
  /** How long a ping took that was sent after this request, and was answered though this was not; null where none was. */
  ping_ms: number | null;
  /** Milliseconds after which an answer came that was no longer waited for; null where none did. */
  late_ms: number | null;
}

/** How it ended, and what it had written. */
export interface RawEnd {
  close: CloseFacts;
  /** How it exited by itself, before it was asked to end. */
  crashed: ExitFacts | null;
  /** Whether the doctor ended it, because of what it wrote to stdout. */
  flooded: boolean;
  left_behind: number[];
  /** Methods of requests whose reply came only after the end of stdin. */
  late_replies: string[];
  stdout_bytes: number;
  /** What stood after the last newline. */
  tail: string;
  stderr_bytes: number;
  stderr_tail: string;
}

/** A request under way: its gate opens when its fate is known. */
export interface Waiting {
  asked: Request;
  started: number;
  gate: Gate;
  fate: Pick<Step, 'outcome' | 'reply' | 'glued'>;
  /** Milliseconds from the request to its fate. */
  settled_ms: number | null;
}

/** More lines than this that are no messages end a launch: what they are is known by then. */
const FLOOD_LINES = 10_000;
/** And so do more messages than this that nobody asked for. */
const FLOOD_MESSAGES = 100_000;
/** What is left of a message once it was handled: nobody looks at it again. */
const HANDLED: LineReading = { kind: 'message', message: {} };

const SILENT: Waiting['fate'] = { outcome: 'silent', reply: null, glued: null };

/** One process. Nothing is sent that its methods are not asked to send, but answers to requests of the server. */
export class RawServer {
  readonly lines: HeardLine[] = [];
  readonly #child: ServerProcess;
  readonly #splitter = new LineSplitter();
  readonly #waiting = new Map<string, Waiting>();
  readonly #leftBehind: number[] = [];
  readonly #late: string[] = [];
  #ending = false;
  #over = false;
  #flooded = false;
  #noise = 0;
  #unasked = 0;
  #ids = 0;
  #replies = 0;
  #stdoutBytes = 0;
  #stderrBytes = 0;
  #tail = '';

  constructor(spec: CommandSpec, waits: CloseWaits) {
    const listener = {
      data: (chunk: Buffer) => this.#hear(chunk),
      over: () => this.#finish(),
      stdinFailed: () => undefined,
      leftBehind: (pids: number[]) => this.#leftBehind.push(...pids),
    };
    this.#child = new ServerProcess({ ...spec, env: serverEnvironment(spec.env) }, listener, waits);
  }

  /** Starts the process. Rejects with the error of the system. */
  async start(): Promise<void> {
    await this.#child.start();
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderrBytes += chunk.length;
    });
  }

  /** Sends a request and waits for its fate. A reply that comes later is not waited for. */
  async ask(asked: Request, timeoutMs: number): Promise<Step> {
    const waiting = this.begin(asked);
    await waiting.gate.within(timeoutMs);
    return this.stepOf(waiting);
  }

  /** What became of a request so far. */
  stepOf({ asked, started, fate, settled_ms }: Waiting): Step {
    const tool = typeof asked.params?.name === 'string' ? asked.params.name : null;
    const elapsed_ms = settled_ms ?? elapsedSince(started);
    return { method: asked.method, tool, elapsed_ms, ping_ms: null, late_ms: null, ...fate };
  }

  /** Sends a request. */
  begin(asked: Request): Waiting {
    const id = this.#ids++;
    const started = performance.now();
    const waiting: Waiting = { asked, started, gate: new Gate(), fate: SILENT, settled_ms: null };
    this.#waiting.set(String(id), waiting);
    if (this.#flooded) this.#settleAll('flooded');
    else if (this.#over) this.#settleAll('exited');
    else this.#send({ jsonrpc: '2.0', id, ...asked });
    return waiting;
  }

  /** Sends a notification. */
  notify(method: string): void {
    this.#send({ jsonrpc: '2.0', method });
  }

  /** SIGKILL to the group, at once. */
  killNow(): void {
    this.#child.killNow();
  }

  /** Ends the server: stdin end, SIGTERM, SIGKILL. Never rejects. */
  async end(): Promise<RawEnd> {
    this.#ending = true;
    const close = await this.#child.close();
    this.#finish();
    const { exit_code, signal } = close;
    return {
      close,
      crashed: close.how === 'exited' ? { exit_code, signal } : null,
      flooded: this.#flooded,
      left_behind: this.#leftBehind,
      late_replies: this.#late,
      stdout_bytes: this.#stdoutBytes,
      tail: this.#tail,
      stderr_bytes: this.#stderrBytes,
      stderr_tail: this.#child.stderrTail(),
    };
  }

  #send(message: JsonObject): void {
    this.#child.write(Buffer.from(`${JSON.stringify(message)}\n`)).catch(() => undefined); // its end is told by `over`
  }

  #hear(chunk: Buffer): void {
    this.#stdoutBytes += chunk.length;
    for (const line of this.#splitter.push(chunk)) if (!this.#flooded) this.#take(line);
  }

  #take(framed: FramedLine): void {
    const line =
      framed.kind === 'line'
        ? readStdoutLine(framed.bytes)
        : { ...readStdoutLine(framed.head), bytes: framed.bytes_length };
    const { reading } = line;
    const isMessage = reading.kind === 'message';
    this.lines.push({ ...line, reading: isMessage ? HANDLED : reading, replies_before: this.#replies });
    if (isMessage) this.#receive(reading.message);
    else this.#noise += 1;
    if (this.#noise >= FLOOD_LINES || this.#unasked >= FLOOD_MESSAGES) this.#flood();
    if (reading.kind !== 'glued') return;
    const { message, before, after } = reading;
    this.#settle(idOf(message), { outcome: 'glued', reply: message, glued: { before, after } });
  }

  #flood(): void {
    this.#flooded = true;
    this.#settleAll('flooded');
    this.#child.killNow();
  }

  #receive(message: JsonObject): void {
    if (!this.#waiting.has(idOf(message)) || 'method' in message) this.#unasked += 1;
    if (typeof message.method !== 'string') {
      this.#replies += 1;
      const outcome = 'error' in message ? 'refused' : 'answered';
      this.#settle(idOf(message), { outcome, reply: message, glued: null });
    } else if ('id' in message) {
      const error = { code: -32601, message: 'not offered' };
      const reply = message.method === 'ping' ? { result: {} } : { error };
      this.#send({ jsonrpc: '2.0', id: message.id, ...reply });
    }
  }

  #settle(id: string, fate: Waiting['fate']): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    if (this.#ending && fate.outcome === 'answered') this.#late.push(waiting.asked.method);
    waiting.fate = fate;
    waiting.settled_ms = elapsedSince(waiting.started);
    waiting.gate.open();
  }

  #settleAll(outcome: 'exited' | 'flooded'): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, { outcome, reply: null, glued: null });
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    const rest = this.#splitter.end();
    if (rest !== undefined) this.#tail = (rest.kind === 'line' ? rest.bytes : rest.head).toString('utf8');
    this.#settleAll('exited');
  }
}

function idOf({ id }: JsonObject): string {
  return String(id);
}
