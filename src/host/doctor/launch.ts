/** A launch as a host makes it: the process, the handshake in the host's order, a few requests, and the end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandSpec } from '../mcp.js';
import { messageOf } from '../wire/ask.js';
import type { CloseWaits } from '../wire/child.js';
import { isObject } from '../wire/json.js';
import { elapsedSince } from '../wire/time.js';
import type { ToolCall } from './first-call.js';
import { type HeardLine, type RawEnd, RawServer, type Step, type Waiting } from './raw-server.js';
import { discover, initialize, NO_SUCH_TOOL, offersModern, request } from './requests.js';

/** How to launch. Times in milliseconds. */
export interface LaunchOptions {
  /** What is sent first: hosts probe with `server/discover` on a first launch, and open with what they remember later. */
  opening: 'discover' | 'initialize';
  /** For each request but the probe. */
  timeoutMs: number;
  /** How long the probe is waited for. */
  probeMs: number;
  /** How much longer `initialize` is waited for once a later ping was answered. */
  graceMs: number;
  waits: CloseWaits;
  /** Which tool to call, if any; null where nothing is called, no unknown tool either. */
  call: ((tools: unknown[]) => ToolCall | null) | null;
  signal: AbortSignal;
}

/** What happened. */
export interface Launch {
  opening: LaunchOptions['opening'];
  /** What was agreed on; null where there was no handshake. */
  era: 'legacy' | 'modern' | null;
  /** Whether the server exited on the probe and was started again. */
  respawned: boolean;
  steps: Step[];
  lines: HeardLine[];
  /** Null where the program could not be started. */
  end: RawEnd | null;
  start_error: string | null;
}

/** Output that follows the last reply is given this long to come. */
const LINGER_MS = 50;
/** How long a request is silent before a ping is sent after it, and another after that. */
const PING_MS = 1000;

/** Launches a server once, or twice where it exits on the probe. Bounded by its time-outs; rejects only where it is aborted. */
export async function launch(spec: CommandSpec, options: LaunchOptions): Promise<Launch> {
  const first = await life(spec, options);
  const last = first.steps.at(-1);
  if (last?.method !== 'server/discover' || last.outcome !== 'exited') return first;
  const again = await life(spec, { ...options, opening: 'initialize' });
  const steps = [...first.steps, ...again.steps];
  return { ...again, opening: 'discover', respawned: true, steps, lines: [...first.lines, ...again.lines] };
}

async function life(spec: CommandSpec, options: LaunchOptions): Promise<Launch> {
  const { opening, signal } = options;
  signal.throwIfAborted();
  const server = new RawServer(spec, options.waits);
  const kill = () => server.killNow();
  signal.addEventListener('abort', kill);
  const steps: Step[] = [];
  const launched = { opening, respawned: false, steps, lines: server.lines };
  try {
    const start_error = await server.start().then(() => null, messageOf);
    if (start_error !== null) return { ...launched, era: null, end: null, start_error };
    const era = await shake(server, options, steps);
    if (era !== null) await use(server, options, era, steps);
    await sleep(LINGER_MS);
    return { ...launched, era, end: await server.end(), start_error: null };
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

async function shake(server: RawServer, options: LaunchOptions, steps: Step[]): Promise<Launch['era']> {
  if (options.opening === 'initialize') return greet(server, options, steps);
  const probe = server.begin(discover());
  await probe.gate.within(options.probeMs);
  const step = server.stepOf(probe);
  steps.push(step);
  if (step.outcome === 'answered' && offersModern(step.reply)) return 'modern';
  if (step.outcome === 'exited') return null;
  // A host has not read the reply, and does not know that it came.
  if (step.outcome === 'glued') await sleep(Math.max(0, options.probeMs - step.elapsed_ms));
  const era = await greet(server, options, steps);
  const late = step.outcome === 'silent' && probe.gate.isOpen && probe.fate.outcome !== 'exited';
  if (late) steps[0] = { ...step, late_ms: probe.settled_ms };
  return era;
}

async function greet(server: RawServer, options: LaunchOptions, steps: Step[]): Promise<Launch['era']> {
  const hello = server.begin(initialize());
  const ping_ms = await answeredPing(server, hello, options);
  const step = server.stepOf(hello);
  steps.push({ ...step, ping_ms: step.outcome === 'silent' ? ping_ms : null });
  return step.outcome === 'answered' ? 'legacy' : null;
}

/**
 * Waits for a request. While it is silent, pings tell whether it was lost on its way or the server is not up: once one of
 * them is answered, the request gets `graceMs` more. Gives how long that ping took, null where none was answered.
 */
async function answeredPing(
  server: RawServer,
  asked: Waiting,
  { timeoutMs, graceMs }: LaunchOptions,
): Promise<number | null> {
  const left = () => Math.max(1, timeoutMs - elapsedSince(asked.started));
  let pinged: Waiting | undefined;
  while (left() > 1 && !(await settledOf([asked, pinged], Math.min(PING_MS, left())))) {
    pinged = server.begin({ method: 'ping' });
  }
  if (asked.gate.isOpen || pinged?.fate.outcome !== 'answered') return null;
  await asked.gate.within(Math.min(graceMs, left()));
  return pinged.settled_ms;
}

/** Whether one of these requests has its fate within so many milliseconds. */
function settledOf(waiting: (Waiting | undefined)[], ms: number): Promise<boolean> {
  return Promise.race(waiting.flatMap((each) => (each === undefined ? [] : [each.gate.within(ms)])));
}

async function use(
  server: RawServer,
  options: LaunchOptions,
  era: 'legacy' | 'modern',
  steps: Step[],
): Promise<void> {
  if (era === 'legacy') server.notify('notifications/initialized');
  const listing = await server.ask(request(era, 'tools/list'), options.timeoutMs);
  steps.push(listing);
  if (options.call === null || listing.outcome !== 'answered') return;
  const chosen = options.call(toolsOf(listing));
  const called = (name: string, args: ToolCall['arguments'], timeoutMs: number) =>
    server.ask(request(era, 'tools/call', { name, arguments: args }), timeoutMs);
  if (chosen !== null) steps.push(await called(chosen.tool, chosen.arguments, options.timeoutMs));
  steps.push(await called(NO_SUCH_TOOL, {}, Math.min(options.timeoutMs, options.probeMs)));
}

/** The tools of an answered `tools/list`. */
function toolsOf({ reply }: Step): unknown[] {
  const result = isObject(reply?.result) ? reply.result : {};
  return Array.isArray(result.tools) ? result.tools : [];
}
