/** Sessions through the real client, one after another: how long each step takes, and what the server shows of itself. */
import { sha256 } from '../../events/bytes.js';
import {
  type CatalogPage,
  type EraChoice,
  type Fault,
  type Handshake,
  type McpSession,
  openSession,
  ServerFailure,
  type ServerSpec,
} from '../mcp.js';
import { isObject, type JsonObject } from '../wire/json.js';
import type { Listing } from './check-catalog.js';
import type { CallResult } from './check-result.js';
import { type CallChoice, chooseCall } from './first-call.js';

/** How to hold sessions. Times in milliseconds. */
export interface SessionsOptions {
  era: EraChoice;
  launches: number;
  timeoutMs: number;
  probeMs: number;
  wish: { tool: string; arguments: JsonObject } | null;
  /** `safe`: no call that may not be made again, since it was made before. `none`: calls were seen to fail. */
  calls: 'all' | 'safe' | 'none';
  signal: AbortSignal;
  onStep(what: string): void;
}

/** What one session took, in milliseconds; null where the step was not made. */
export interface Sample {
  connect_ms: number;
  list_ms: number | null;
  call_ms: number | null;
}

/** What several sessions of one era showed. The handshake, the listing and the result are those of the first. */
export interface Sessions {
  era: EraChoice;
  samples: Sample[];
  handshake: Handshake | null;
  listing: Listing | null;
  /** The answers to `tools/list`. */
  replies: Buffer[];
  /** SHA-256 of each session's tools. */
  digests: string[];
  choice: CallChoice | null;
  result: CallResult | null;
  call_error: string | null;
  faults: Fault[];
  /** Why no session, or no further one, could be opened. */
  failure: string | null;
}

/** Sampling ends after this, with what there is. */
const BUDGET_MS = 12_000;
/** The end is measured elsewhere: here it only has to come. */
const WAITS = { stdin_end_ms: 300, sigterm_ms: 300 };

/** Holds sessions until there are enough, time is up, or one fails. */
export async function holdSessions(spec: ServerSpec, options: SessionsOptions): Promise<Sessions> {
  const seen: Sessions = {
    era: options.era,
    ...{ samples: [], handshake: null, listing: null, replies: [], digests: [], choice: null },
    ...{ result: null, call_error: null, faults: [], failure: null },
  };
  const started = performance.now();
  while (seen.samples.length < options.launches && seen.failure === null) {
    options.signal.throwIfAborted();
    if (seen.samples.length > 0 && performance.now() - started > BUDGET_MS) break;
    options.onStep(`${options.era}: session ${seen.samples.length + 1} of ${options.launches}`);
    await holdOne(spec, options, seen);
    if (seen.listing?.failure) break;
  }
  options.signal.throwIfAborted();
  return seen;
}

async function holdOne(spec: ServerSpec, options: SessionsOptions, seen: Sessions): Promise<void> {
  let session: McpSession;
  try {
    session = await openSession(spec, {
      ...{ connectTimeoutMs: options.timeoutMs, probeTimeoutMs: options.probeMs, era: options.era },
      ...{ signal: options.signal, waits: WAITS, onFault: (fault) => seen.faults.push(fault) },
    });
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error;
    seen.failure = error.facts.what;
    return;
  }
  const kill = () => session.killNow();
  options.signal.addEventListener('abort', kill);
  try {
    await useSession(session, options, seen);
  } finally {
    options.signal.removeEventListener('abort', kill);
    await session.close();
  }
}

async function useSession(session: McpSession, options: SessionsOptions, seen: Sessions): Promise<void> {
  seen.handshake ??= session.handshake;
  const sample: Sample = { connect_ms: session.handshake.elapsed_ms, list_ms: null, call_ms: null };
  seen.samples.push(sample);
  if (session.handshake.server_capabilities.tools === undefined) return;
  const { listing, list_ms, replies } = await list(session);
  sample.list_ms = list_ms;
  seen.digests.push(sha256(JSON.stringify(listing.tools)));
  const isFirst = seen.listing === null;
  if (isFirst) Object.assign(seen, { listing, replies, choice: chooseCall(listing.tools, options.wish) });
  const call = seen.choice?.call ?? null;
  if (call === null || options.calls === 'none') return;
  if (!call.repeatable && !(isFirst && options.calls === 'all')) return;
  try {
    const { result, wire, schema, elapsed_ms } = await session.call(
      call.tool,
      call.arguments,
      options.timeoutMs,
    );
    sample.call_ms = elapsed_ms;
    seen.result ??= { tool: call.tool, result, wire_bytes: wire.response_bytes, schema };
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error;
    seen.call_error ??= error.facts.what;
  }
}

async function list(session: McpSession): Promise<{ listing: Listing; list_ms: number; replies: Buffer[] }> {
  const pages: CatalogPage[] = [];
  let failure: string | null = null;
  try {
    for await (const page of session.pages()) pages.push(page);
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error;
    failure = error.facts.what;
  }
  const replies = pages.flatMap(({ raw }) => (raw.response === null ? [] : [raw.response]));
  const listing = {
    ...{ tools: pages.flatMap(({ tools }) => tools), pages: pages.length, failure },
    endless: failure?.startsWith('tools/list does not end') ?? false,
    bad_cursor: replies.map(badCursor).find((cursor) => cursor !== null) ?? null,
  };
  return { listing, list_ms: pages.reduce((sum, { elapsed_ms }) => sum + elapsed_ms, 0), replies };
}

/** The cursor of a reply as JSON, where it is there and no string. */
function badCursor(reply: Buffer): string | null {
  const message: unknown = JSON.parse(reply.toString('utf8').replace(/^\ufeff/, ''));
  const result = isObject(message) && isObject(message.result) ? message.result : {};
  if (result.nextCursor === undefined || typeof result.nextCursor === 'string') return null;
  return JSON.stringify(result.nextCursor);
}
