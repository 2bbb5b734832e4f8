/** The examination of one server: launches by hand, sessions through the client, and every check on what they showed. */
import { Problem } from '../../events/problem.js';
import type { Handshake, ServerSpec } from '../mcp.js';
import { rebuilt } from '../redaction.js';
import { TOKENIZER } from '../tokens.js';
import type { CloseWaits } from '../wire/child.js';
import { isObject } from '../wire/json.js';
import { shownUrl } from '../wire/url.js';
import { type BothEras, checkBothEras, holdBothEras, mainSessions } from './both-eras.js';
import { byHandFacts, checkByHand, launchTwice } from './by-hand.js';
import { type CatalogCost, catalogCost } from './catalog-cost.js';
import { checkConstancy, checkListing, checkTools } from './check-catalog.js';
import { checkNames } from './check-names.js';
import { callFailed, checkResult, resultFacts } from './check-result.js';
import { checkSessions } from './check-sessions.js';
import { checkDescriptions, checkInstructions } from './check-texts.js';
import {
  type Finding,
  isFinding,
  type Outcome,
  type Passed,
  type Skipped,
  skipped,
  worstFirst,
} from './finding.js';
import type { Patient } from './host-config.js';
import type { Sessions, SessionsOptions } from './sessions.js';
import { type Spread, spreadOf } from './spread.js';

/** How to examine. Times in milliseconds. */
export interface DoctorOptions
  extends Pick<SessionsOptions, 'launches' | 'timeoutMs' | 'wish' | 'signal' | 'onStep'> {
  /** How long `server/discover` is waited for; 3,000 by default, as hosts do, at most half of `timeoutMs`. */
  probeMs?: number;
  /** How much longer `initialize` is waited for once a later ping was answered; 5,000 by default. */
  graceMs?: number;
  /** How long a server is given to end by itself, and after SIGTERM; two seconds each by default. */
  waits?: CloseWaits;
}

/** How long one step took over several sessions. */
export interface TimesRow extends Spread {
  era: 'legacy' | 'modern';
  step: string;
}

/** Everything that was found out about a server. */
export interface Examination {
  /** The command as it was given, or origin and path of the URL. */
  command: string;
  /** The name that hosts know it by; its own where no configuration gives one. */
  name: string;
  server: Pick<Handshake, 'server_name' | 'server_version' | 'instructions' | 'server_capabilities'> | null;
  findings: Finding[];
  passed: Passed[];
  skipped: Skipped[];
  counts: { fatal: number; warning: number; note: number };
  launches: ReturnType<typeof byHandFacts> | null;
  times: TimesRow[];
  catalog: CatalogCost | null;
  call: ReturnType<typeof resultFacts> | null;
  /** What the token estimates were made with. */
  tokenizer: string;
}

const PROBE_MS = 3000;
const GRACE_MS = 5000;
const WAITS = { stdin_end_ms: 2000, sigterm_ms: 2000 };

/**
 * Examines a server. It changes nothing there: tools that do not say that they only read are not called, unless the options
 * name one, and then once. Throws `UNKNOWN_TOOL` where they name one that is not there, and the reason of an abort.
 */
export async function examine(patient: Patient, options: DoctorOptions): Promise<Examination> {
  const examination = await look(patient, options);
  return patient.secrets.length === 0 ? examination : rebuilt(examination, patient.secrets);
}

async function look(
  { name, spec, outcomes, written }: Patient,
  options: DoctorOptions,
): Promise<Examination> {
  const probeMs = Math.min(options.probeMs ?? PROBE_MS, options.timeoutMs / 2);
  const timing = { ...options, probeMs, graceMs: options.graceMs ?? GRACE_MS, waits: options.waits ?? WAITS };
  const byHand = 'url' in spec ? null : await launchTwice(spec, timing);
  const handOutcomes = byHand === null ? withoutProcess() : checkByHand(byHand);
  const eras = await holdBothEras(spec, byHand, timing);
  const main = mainSessions(eras);
  refuseUnknownTool(main, options);
  const known = name ?? main?.handshake?.server_name ?? '';
  const all = [
    ...outcomes,
    ...handOutcomes,
    ...checkBothEras(eras, byHand?.first.steps[0] ?? null),
    ...(main === null ? [withoutSession()] : checkMain(known, main, eras, handOutcomes)),
  ];
  return {
    ...{ command: written ?? commandOf(spec), name: known, server: serverFacts(main), ...sorted(all) },
    launches: byHand === null ? null : byHandFacts(byHand),
    times: [...timesOf('legacy', eras.legacy), ...timesOf('modern', eras.modern)],
    catalog: main?.listing ? catalogCost(main.replies, main.handshake?.instructions ?? null, known) : null,
    call: main?.result ? resultFacts(main.result) : null,
    tokenizer: TOKENIZER,
  };
}

/** A server whose sessions were held: what they and the catalog show. */
function checkMain(name: string, main: Sessions, eras: BothEras, before: Outcome[]): Outcome[] {
  const noisy = before
    .filter(isFinding)
    .some(({ group, severity }) => group === 'stdout' || severity === 'fatal');
  const { handshake, listing, result, call_error, choice } = main;
  const tools = listing?.tools ?? [];
  const names = tools.flatMap((tool) => (isObject(tool) && typeof tool.name === 'string' ? [tool.name] : []));
  return [
    ...checkSessions(main, noisy),
    ...(listing === null ? [] : checkListing(listing)),
    // A listing without end repeats what it has.
    ...(listing === null || listing.endless ? [] : checkTools(tools)),
    ...checkConstancy(eras.legacy?.digests ?? [], 'initialize'),
    ...checkConstancy(eras.modern?.digests ?? [], 'server/discover'),
    ...(handshake === null || listing === null
      ? []
      : [
          ...checkNames(name, names),
          ...checkInstructions(handshake.instructions),
          ...checkDescriptions(tools),
        ]),
    ...(result === null ? [] : checkResult(result)),
    ...(result === null && call_error !== null ? [callFailed(choice?.call?.tool ?? '', call_error)] : []),
  ];
}

function withoutProcess(): Outcome[] {
  const why = 'not looked at: there is no process behind a URL';
  return [skipped('launch', `first and second launch ${why}`), skipped('stdout', why), skipped('end', why)];
}

function withoutSession(): Outcome {
  return skipped('catalog', 'catalog, names, texts and calls: not looked at, since no launch connected');
}

function refuseUnknownTool(main: Sessions | null, { wish }: DoctorOptions): void {
  if (wish === null || !main?.choice || main.choice.call !== null) return;
  const what = `the server lists no tool ${wish.tool}`;
  throw new Problem({ code: 'UNKNOWN_TOOL', what, todo: 'name one that it lists with --call' });
}

function sorted(all: Outcome[]) {
  const findings = worstFirst(all);
  const having = (severity: Finding['severity']) =>
    findings.filter((each) => each.severity === severity).length;
  return {
    findings,
    passed: all.filter((outcome) => outcome.kind === 'ok'),
    skipped: all.filter((outcome) => outcome.kind === 'skipped'),
    counts: { fatal: having('fatal'), warning: having('warning'), note: having('note') },
  };
}

function serverFacts(main: Sessions | null): Examination['server'] {
  if (!main?.handshake) return null;
  const { server_name, server_version, instructions, server_capabilities } = main.handshake;
  return { server_name, server_version, instructions, server_capabilities };
}

/** What the time to a session is called. */
const HANDSHAKES: Record<Sessions['era'], string> = {
  legacy: 'initialize',
  modern: 'server/discover',
  auto: 'both handshakes',
};

function timesOf(era: TimesRow['era'], sessions: Sessions | null): TimesRow[] {
  const samples = sessions?.samples ?? [];
  const row = (step: string, values: (number | null)[]) => {
    const spread = spreadOf(values.filter((value) => value !== null));
    return spread === null ? [] : [{ era, step, ...spread }];
  };
  return [
    ...row(
      sessions === null ? '' : HANDSHAKES[sessions.era],
      samples.map(({ connect_ms }) => connect_ms),
    ),
    ...row(
      'tools/list',
      samples.map(({ list_ms }) => list_ms),
    ),
    ...row(
      sessions?.choice?.call?.tool ?? 'call',
      samples.map(({ call_ms }) => call_ms),
    ),
  ];
}

function commandOf(spec: ServerSpec): string {
  return 'url' in spec ? shownUrl(spec.url) : spec.argv.join(' ');
}
