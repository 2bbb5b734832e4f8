/** The first and the second launch, compared: what works the first time and fails from then on is the worst of all. */
import { type Cause, causeOf, gluedWords } from './cause.js';
import { type FindingKind, finding, type Outcome, passed } from './finding.js';
import type { Launch } from './launch.js';
import type { Step } from './raw-server.js';
import { NO_SUCH_TOOL } from './requests.js';
import { ms } from './words.js';

const NOT_STARTED: FindingKind = {
  code: 'not-started',
  group: 'launch',
  severity: 'fatal',
  why: 'the program could not be started at all, so no host can use it',
  fix: 'give the command as a host would run it, with a path that exists from this folder',
};
const NEVER_CONNECTS: FindingKind = {
  code: 'never-connects',
  group: 'launch',
  severity: 'fatal',
  why: 'neither the first launch nor a later one ends in a usable session; hosts give up after about 30 s',
  fix: 'make the server answer initialize',
};
const FIRST_LAUNCH_ONLY: FindingKind = {
  code: 'first-launch-only',
  group: 'launch',
  severity: 'fatal',
  why: 'it works when first tried and times out on every launch after: a host probes once, and then opens with initialize',
  fix: 'make the server answer the first request that it is sent, whatever it is',
};
const FIRST_LAUNCH_FAILS: FindingKind = {
  code: 'first-launch-fails',
  group: 'launch',
  severity: 'fatal',
  why: 'hosts that probe with server/discover before initialize do not get through to this server',
  fix: 'answer requests that are not known with error -32601 and go on',
};
const EXITS_ON_PROBE: FindingKind = {
  code: 'exits-on-probe',
  group: 'launch',
  severity: 'warning',
  why: 'a host that probes with server/discover sees the server die, and only some start it again',
  fix: 'answer requests that are not known with error -32601 and go on',
};
const PROBE_UNANSWERED: FindingKind = {
  code: 'probe-unanswered',
  group: 'launch',
  severity: 'note',
  why: 'a host waits some seconds for this answer on a first launch before it goes on with initialize',
  fix: 'answer requests that are not known with error -32601, at once',
};
const PROBE_LATE: FindingKind = {
  code: 'probe-late',
  group: 'launch',
  severity: 'note',
  why: 'hosts probe for two to three seconds; one that has given up takes the server for an old one, and each launch is slow',
  fix: 'connect the transport first, and load what is heavy on the first call that needs it',
};
const REPLY_LOST: FindingKind = {
  code: 'reply-lost',
  group: 'launch',
  severity: 'fatal',
  why: 'the session connects, and then a reply does not arrive: the host waits until its time-out',
  fix: 'answer every request with one whole line',
};
const CRASHED: FindingKind = {
  code: 'crashed',
  group: 'launch',
  severity: 'fatal',
  why: 'the process ended in the middle of a session that nobody had closed',
  fix: 'catch what a request throws and answer it with an error; read the last lines of stderr',
};
const UNKNOWN_TOOL_SILENT: FindingKind = {
  code: 'unknown-tool-silent',
  group: 'results',
  severity: 'warning',
  why: 'a model that misspells a tool leaves its host waiting until the time-out',
  fix: 'answer a call of an unknown tool with error -32602, or with isError: true',
};

/** Every kind of finding that this file makes. */
export const LAUNCH_KINDS = [
  ...[NOT_STARTED, NEVER_CONNECTS, FIRST_LAUNCH_ONLY, FIRST_LAUNCH_FAILS, REPLY_LOST, CRASHED],
  ...[EXITS_ON_PROBE, PROBE_UNANSWERED, PROBE_LATE, UNKNOWN_TOOL_SILENT],
];

/** What the two launches show. `second` is null where the program could not be started. */
export function checkLaunches(first: Launch, second: Launch | null): Outcome[] {
  if (first.start_error !== null || second === null) {
    const what = `it could not be started: ${first.start_error}`;
    return [finding(NOT_STARTED, what, { error: first.start_error })];
  }
  const handshakes = compareHandshakes(first, second);
  return [
    ...handshakes,
    ...(second.era === null ? [] : probeFindings(first)),
    ...lostReplies(second.era === null ? first : second),
  ];
}

function compareHandshakes(first: Launch, second: Launch): Outcome[] {
  const evidence = { first: timesOf(first), second: timesOf(second) };
  if (first.era !== null && second.era !== null) {
    const words = `first launch connected in ${ms(connectMs(first))}, second in ${ms(connectMs(second))}`;
    return [passed('launch', words, evidence)];
  }
  const failed = second.era === null ? second : first;
  const cause = causeOf(lastHandshake(failed), failed);
  const facts = { ...cause.evidence, ...evidence };
  if (first.era !== null) return [finding(FIRST_LAUNCH_ONLY, onlyFirst(first, cause), facts, cause.fix)];
  if (second.era !== null)
    return [finding(FIRST_LAUNCH_FAILS, `first launch: ${cause.what}; the second worked`, facts)];
  return [finding(NEVER_CONNECTS, cause.what, facts, cause.fix)];
}

/** Why the first launch worked all the same: mostly because what was lost then was the probe. */
function onlyFirst(first: Launch, cause: Cause): string {
  const [probe] = first.steps;
  const failed = `second launch: ${cause.what}`;
  if (probe?.outcome === 'silent')
    return `${failed}; in the first, ${probe.method} was lost instead, and no host needs its answer`;
  if (probe?.outcome !== 'glued') return `${failed}; the first connected in ${ms(connectMs(first))}`;
  const same = probe.glued?.before === cause.evidence.before;
  const words = same ? 'it stood before the reply to server/discover' : gluedWords(probe);
  return `${failed}; in the first, ${words}, which no host needs`;
}

function probeFindings({ era, respawned, steps: [probe] }: Launch): Outcome[] {
  if (era === null || probe?.method !== 'server/discover') return [];
  const { elapsed_ms, outcome, late_ms } = probe;
  if (respawned)
    return [finding(EXITS_ON_PROBE, `exited ${ms(elapsed_ms)} after server/discover`, { elapsed_ms })];
  if (outcome !== 'silent') return [];
  if (late_ms !== null)
    return [
      finding(PROBE_LATE, `server/discover was answered after ${ms(late_ms)}`, { elapsed_ms, late_ms }),
    ];
  return [finding(PROBE_UNANSWERED, `no answer to server/discover in ${ms(elapsed_ms)}`, { elapsed_ms })];
}

function lostReplies(launch: Launch): Outcome[] {
  if (launch.era === null) return [];
  const after = launch.steps.slice(launch.steps.indexOf(lastHandshake(launch)) + 1);
  const lost = after.find(({ outcome }) => outcome !== 'answered' && outcome !== 'refused');
  if (lost === undefined) return [];
  const cause = causeOf(lost, launch);
  if (lost.tool === NO_SUCH_TOOL && lost.outcome === 'silent')
    return [
      finding(UNKNOWN_TOOL_SILENT, `a call of a tool that does not exist: ${cause.what}`, cause.evidence),
    ];
  const evidence = { ...cause.evidence, tool: lost.tool };
  return [finding(lost.outcome === 'exited' ? CRASHED : REPLY_LOST, cause.what, evidence, cause.fix)];
}

/** The step that made, or should have made, the handshake. */
function lastHandshake({ steps }: Launch): Step {
  const step = steps.findLast(({ method }) => method === 'initialize' || method === 'server/discover');
  if (step === undefined) throw new Error('a launch without a handshake');
  return step;
}

/** Milliseconds from the start to the end of the handshake. */
function connectMs(launch: Launch): number {
  const upTo = launch.steps.slice(0, launch.steps.indexOf(lastHandshake(launch)) + 1);
  return upTo.reduce((sum, { elapsed_ms }) => sum + elapsed_ms, 0);
}

function timesOf(launch: Launch) {
  const steps = launch.steps.map(({ method, tool, outcome, elapsed_ms }) => ({
    method,
    tool,
    outcome,
    elapsed_ms,
  }));
  return { opening: launch.opening, era: launch.era, respawned: launch.respawned, steps };
}
