/** The recorder's own stdio transport: every line both ways is measured, and what is odd is a fault, never lost. */
import type { Readable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { sha256 } from '../../events/bytes.js';
import { type ChildSpec, type CloseFacts, type ExitFacts, ServerProcess } from './child.js';
import { type Fault, type FaultCode, faultOf } from './fault.js';
import { FaultMeter } from './fault-meter.js';
import { Inbound, kindOf } from './inbound.js';
import { type Exchange, Ledger, type LineFacts } from './ledger.js';
import type { TransportOptions, WireTransport } from './transport.js';

/** A client transport over one child process. Used once: it does not start again after it closed. */
export class StdioTransport implements WireTransport {
  onclose?: WireTransport['onclose'];
  onerror?: WireTransport['onerror'];
  onmessage?: WireTransport['onmessage'];
  onexchange: WireTransport['onexchange'];
  heard = 0;
  readonly #meter: FaultMeter;
  readonly #onPassing: TransportOptions['onPassing'];
  readonly #onLine: TransportOptions['onLine'];
  readonly #ledger = new Ledger();
  readonly #inbound: Inbound;
  readonly #child: ServerProcess;
  #closing = false;
  #over = false;
  #lost = false;

  constructor(spec: ChildSpec, { onFault, onPassing, onLine, lineCapBytes, waits }: TransportOptions) {
    this.#meter = new FaultMeter(onFault);
    this.#onPassing = onPassing;
    this.#onLine = onLine;
    const heard = {
      measured: (facts: LineFacts) => {
        this.heard += 1;
        onLine?.({ direction: 'in', ...facts });
      },
      passing: onPassing,
      fault: (fault: Fault) => this.#meter.take(fault),
      message: (message: JSONRPCMessage) => this.onmessage?.(message),
    };
    this.#inbound = new Inbound(this.#ledger, heard, lineCapBytes);
    const happened = {
      data: (chunk: Buffer) => this.#inbound.push(chunk),
      over: () => this.#finish(),
      stdinFailed: (error: Error) =>
        this.#fault('STDIN_CLOSED', `the server closed its stdin: ${error.message}`),
      leftBehind: (pids: number[]) =>
        this.#fault('LEFT_BEHIND', `the server left processes behind: ${pids.join(', ')}`),
    };
    this.#child = new ServerProcess(spec, happened, waits);
  }

  /** Process id of the server, null before it runs. With `stderr`, this is what tells the client that we are stdio. */
  get pid(): number | null {
    return this.#child.pid;
  }

  /** The server's stderr. It is drained here already; reading it as well is harmless. */
  get stderr(): Readable | null {
    return this.#child.stderr;
  }

  /** How the server ended, undefined while it runs. */
  get exit(): ExitFacts | undefined {
    return this.#child.exit;
  }

  /** True once no further message can come, whoever ended it. */
  get over(): boolean {
    return this.#over;
  }

  /** True where the server ended it: it exited or closed its stdout before it was asked to end. */
  get lost(): boolean {
    return this.#lost;
  }

  /** The last 8 KiB of the server's stderr. */
  stderrTail(): string {
    return this.#child.stderrTail();
  }

  /** Starts the process. Rejects with the error of the system where that cannot be done. */
  start(): Promise<void> {
    return this.#child.start();
  }

  /** Writes one message as one line. Resolves when the system has it; once the session is being closed, nothing is sent. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closing) return;
    const line = Buffer.from(`${JSON.stringify(message)}\n`);
    const bytes = line.subarray(0, -1);
    const request = { bytes: bytes.length, sha256: sha256(bytes), at_ms: performance.now() };
    this.#onLine?.({ direction: 'out', ...request });
    const passing = this.onexchange === undefined;
    if ('method' in message && 'id' in message) {
      const { id, method } = message;
      const exchange: Exchange = { id, method, request, request_line: bytes, passing, reply: undefined };
      this.#ledger.open(exchange);
      this.onexchange?.(exchange);
    }
    if (passing || !('method' in message && 'id' in message))
      this.#onPassing({ direction: 'to_server', ...kindOf({ ...message }), line: bytes });
    await this.#child.write(line).catch((error: unknown) => {
      const what = `not sent: ${error instanceof Error ? error.message : String(error)}`;
      // Of a server that has exited it is not known what it still read.
      if (this.exit === undefined) this.#meter.take(faultOf('NOT_SENT', 'warning', what, bytes));
      throw error;
    });
  }

  /** Stops waiting for a reply, so that it counts as late when it still comes. */
  abandon(exchange: Exchange): void {
    this.#ledger.abandon(exchange);
  }

  /** Ends the server. Faults of its last output come before this resolves. Never rejects. */
  async close(): Promise<void> {
    await this.end();
  }

  /** As `close`, and says how it went. The same answer each time. */
  async end(): Promise<CloseFacts> {
    this.#closing = true;
    const facts = await this.#child.close();
    if (!this.#over) this.#finish();
    return facts;
  }

  /** SIGKILL to the server's whole group, at once and synchronously. */
  killNow(): void {
    this.#closing = true;
    this.#child.killNow();
  }

  #finish(): void {
    this.#over = true;
    this.#lost = !this.#closing && this.pid !== null;
    this.#inbound.end();
    if (this.#lost && this.exit === undefined)
      this.#fault('STDOUT_CLOSED', 'the server closed its stdout and lives on');
    this.#meter.end();
    this.onclose?.();
  }

  #fault(code: FaultCode, message: string): void {
    this.#meter.take(faultOf(code, 'warning', message, Buffer.alloc(0)));
  }
}
