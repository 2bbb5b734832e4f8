/** Sessions in both eras of the protocol, as far as the server speaks them. */
import type { ServerSpec } from '../mcp.js';
import type { ByHand } from './by-hand.js';
import { checkEras, type Face } from './check-catalog.js';
import { type FindingKind, finding, type Outcome, passed } from './finding.js';
import type { Fate, Step } from './raw-server.js';
import { NO_SUCH_TOOL } from './requests.js';
import { holdSessions, type Sessions, type SessionsOptions } from './sessions.js';
import { excerpt } from './words.js';

const MODERN_ONLY: FindingKind = {
  code: 'modern-only',
  group: 'launch',
  severity: 'note',
  why: 'hosts that do not know server/discover, which are most, have no way in',
  fix: 'answer initialize as well: the official server package does both on one transport',
};

/** Every kind of finding that this file makes. */
export const ERA_KINDS = [MODERN_ONLY];

/** The sessions of each era; null where none was tried, because the launches by hand had shown that it is in vain. */
export interface BothEras {
  legacy: Sessions | null;
  modern: Sessions | null;
}

/** How to hold sessions in both eras. */
export type ErasOptions = Omit<SessionsOptions, 'era' | 'calls'>;

/** Holds the sessions. `byHand` is null for a server behind a URL. */
export async function holdBothEras(
  spec: ServerSpec,
  byHand: ByHand | null,
  options: ErasOptions,
): Promise<BothEras> {
  const [first, second] =
    byHand === null ? [undefined, undefined] : [byHand.first.era, byHand.second?.era ?? null];
  if (first === null && second === null) return { legacy: null, modern: null };
  // What fails on each launch but the first can still be looked at: as a host does that has not seen it before.
  if (second === null)
    return {
      legacy: await holdSessions(spec, { ...options, era: 'auto', launches: 1, calls: 'all' }),
      modern: null,
    };
  // A call that lost its answer by hand would keep each session waiting for it.
  const lost = byHand?.second?.steps.some(isLostCall) ?? false;
  const planned = lost ? { ...options, launches: 1 } : options;
  const legacy = await holdSessions(spec, { ...planned, era: 'legacy', calls: lost ? 'none' : 'all' });
  if (byHand !== null && first !== 'modern') return { legacy, modern: null };
  const called = legacy.result !== null || legacy.call_error !== null;
  const calls = lost ? 'none' : called ? 'safe' : 'all';
  return { legacy, modern: await holdSessions(spec, { ...planned, era: 'modern', calls }) };
}

function isLostCall({ tool, outcome }: Step): boolean {
  return tool !== null && tool !== NO_SUCH_TOOL && outcome !== 'answered' && outcome !== 'refused';
}

/** The sessions in which the server is looked at: the older era where it works, since every host knows it. */
export function mainSessions({ legacy, modern }: BothEras): Sessions | null {
  return legacy !== null && legacy.samples.length > 0 ? legacy : modern?.samples.length ? modern : legacy;
}

/** What the eras have in common, and which of them there are. `probe` is the first request of the launches by hand. */
export function checkBothEras({ legacy, modern }: BothEras, probe: Step | null): Outcome[] {
  const words = [eraWords('initialize', legacy, null), eraWords('server/discover', modern, probe)];
  const evidence = { legacy: legacy?.failure ?? null, modern: modern?.failure ?? null };
  const spoken = [legacy, modern].filter((sessions) => sessions?.handshake);
  if (spoken.length === 0) return [];
  const line =
    legacy?.failure && modern?.handshake
      ? finding(MODERN_ONLY, words.join('; '), evidence)
      : passed('launch', words.join('; '), evidence);
  const [old, recent] = [faceOf(legacy), faceOf(modern)];
  return old === null || recent === null ? [line] : [line, ...checkEras(old, recent)];
}

const FATES: Record<Fate, string> = {
  answered: 'offers no version that hosts know',
  refused: 'is refused, as by any older server',
  silent: 'is not answered',
  glued: 'is answered unreadably',
  exited: 'ends the server',
  flooded: 'is not answered',
};

function eraWords(method: string, sessions: Sessions | null, probe: Step | null): string {
  if (sessions === null) return `${method} ${FATES[probe?.outcome ?? 'silent']}`;
  const { handshake, failure } = sessions;
  if (handshake !== null) return `${method} agrees on ${handshake.protocol_version}`;
  return `${method} fails: ${excerpt(failure ?? 'no answer')}`;
}

function faceOf(sessions: Sessions | null): Face | null {
  if (!sessions?.handshake || !sessions.listing) return null;
  const names = sessions.listing.tools.map((tool) => JSON.stringify(nameIn(tool)));
  return { instructions: sessions.handshake.instructions, names };
}

function nameIn(tool: unknown): unknown {
  return typeof tool === 'object' && tool !== null && 'name' in tool ? tool.name : null;
}
