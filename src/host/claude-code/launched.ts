/** One launch of Claude Code for a trial: durable before it is started, and all that came of it in the log after. */
import { basename } from 'node:path';
import type { BodyOf, EventBody } from '../../events/event.js';
import { NO_USAGE, usageOf } from '../../events/usage.js';
import { ANTHROPIC } from '../messages.js';
import { findProgram, type Program } from '../wire/program.js';
import type { ClaudeRun } from './context.js';
import { filesOf, type Left, READ_LIMIT, readLeft } from './evidence.js';
import { hostFault } from './fault.js';
import { emptyWork, type Place } from './home.js';
import { joined } from './joined.js';
import { type Launched, launch } from './launch.js';
import { type RecordingProxy, startProxy } from './proxy.js';
import { type LaunchPlan, launchBody, type Setting, settingOf } from './setting.js';
import { type Story, storyOf } from './story.js';
import { readTapped, sessionsIn } from './tapped.js';

/** How a launch ended, and what that means for the trial. */
export type LaunchOutcome = Pick<Story, 'end' | 'verdict'>;

/** Launches once, and records it. Throws `Interrupted` and errors of the log. */
export async function launchOnce(run: ClaudeRun, plan: LaunchPlan): Promise<LaunchOutcome> {
  emptyWork(plan.place);
  const proxy = await proxyFor(run, plan);
  try {
    const setting = settingOf(run, plan, proxy?.url ?? run.claude.baseURL);
    run.recorder.append(launchBody(run, plan, setting));
    const before = seenIn(plan.place);
    const program = await programOf(setting);
    const launched = await start(run, plan, setting, proxy);
    if (proxy?.failed.aborted === true) throw proxy.failed.reason;
    return record(run, plan, { setting, program, launched, ...since(plan.place, setting, before) });
  } finally {
    await proxy?.close();
  }
}

async function proxyFor(run: ClaudeRun, { calls }: LaunchPlan): Promise<RecordingProxy | null> {
  if (calls === null) return null;
  calls.beginLaunch();
  return startProxy(run.claude.baseURL ?? ANTHROPIC, calls);
}

function start(
  run: ClaudeRun,
  { place }: LaunchPlan,
  { argv, environment: { env }, stdout, stderr }: Setting,
  proxy: RecordingProxy | null,
): Promise<Launched> {
  const ends = run.recorder.abort.signal;
  return launch({
    ...{ argv, env, cwd: place.cwd, stdout, stderr, timeoutMs: run.limits.trial_timeout_ms },
    marker: `TMPDIR=${place.tmp}`,
    signal: proxy === null ? ends : AbortSignal.any([ends, proxy.failed]),
  });
}

/** The file of the server's program, found as the system will find it. */
async function programOf({ server, environment: { env } }: Setting): Promise<Program | null> {
  if (server === null) return null;
  const { argv, cwd } = server.command;
  return findProgram({ argv, cwd, env: { PATH: env.PATH ?? '', ...server.env } });
}

interface Seen {
  files: Set<string>;
  sessions: string[];
}

/** What a home held before a launch: one that is kept has the traces of earlier ones. */
function seenIn({ home, tap }: Place): Seen {
  return { files: filesOf(home), sessions: sessionsIn(tap) };
}

/** What a launch added to that. */
function since({ home, tap }: Place, { stdout, stderr }: Setting, before: Seen) {
  const sessions = sessionsIn(tap).filter((session) => !before.sessions.includes(session));
  return { left: readLeft({ home, stdout, stderr }, before.files), sessions };
}

interface Traces {
  setting: Setting;
  /** Of the server, as it was before the launch. */
  program: Program | null;
  launched: Launched;
  left: Left;
  /** Of the tap. */
  sessions: string[];
}

function record(run: ClaudeRun, plan: LaunchPlan, traces: Traces): LaunchOutcome {
  const { recorder } = run;
  const story = tell(run, plan, traces);
  const trial = plan.part.planned.id;
  const { calls } = plan;
  const bodies =
    calls === null
      ? story.bodies
      : joined(story.bodies, calls.answered, { trial, session: story.end.session_id });
  for (const body of [...bodies, ...oddities(trial, traces)]) recorder.append(body);
  if (calls === null) spend(run, bodies);
  recorder.append({ ...story.end, evidence: evidenceOf(run, traces.left) });
  return story;
}

/** What happened in a launch; of one that was never started there is nothing to tell. */
function tell(run: ClaudeRun, { part, number, place }: LaunchPlan, traces: Traces): Story {
  const { setting, program, launched, left, sessions } = traces;
  const trial = part.planned.id;
  if (launched.error !== null) return notStarted(trial, number, launched);
  const exact = (bytes: Buffer) => run.recorder.exact(bytes);
  const tapped = readTapped(place.tap, sessions, { trial, program, exact });
  return storyOf(
    { ...left, exit: launched.exit, tapped },
    {
      ...{ trial, launch: number, server: setting.server?.called ?? null },
      ...{ toolSearch: part.condition.tool_search, usageSource: run.usage_source },
      version: run.claude.cli.version,
    },
  );
}

function notStarted(trial: string, number: number, { exit, error }: Launched): Story {
  const message = `Claude Code could not be started: ${error?.message ?? ''}`;
  return {
    bodies: [],
    end: {
      ...{ type: 'launch_end', trial, launch: number, outcome: 'start_failed', ...exit },
      ...{ session_id: null, version: null, model: null, connect_ms: null, num_turns: null, cost_usd: null },
      ...{ servers: [], tools: null, stderr_tail: null, usage: null, model_usage: null },
      ...{ permission_denials: [], result: null },
    },
    verdict: { status: 'failed', failure: 'HOST_START_FAILED', message, retry: true },
  };
}

function oddities(trial: string, { launched, left }: Traces): BodyOf<'fault'>[] {
  const pids = launched.left.join(', ');
  return [
    ...left.cut.map((file) =>
      hostFault(
        trial,
        'EVIDENCE_CUT',
        `${basename(file)} is longer than ${READ_LIMIT} bytes: the rest is left out`,
      ),
    ),
    ...(pids === '' ? [] : [hostFault(trial, 'LEFT_BEHIND', `Claude Code left processes behind: ${pids}`)]),
  ];
}

/** Without a proxy it is known only now what the calls took. */
function spend({ budget }: ClaudeRun, bodies: EventBody[]): void {
  for (const body of bodies) if (body.type === 'model_turn') budget.spend(usageOf(body.usage) ?? NO_USAGE);
}

function evidenceOf({ recorder }: ClaudeRun, left: Left): BodyOf<'launch_end'>['evidence'] {
  const kept = (name: BodyOf<'launch_end'>['evidence'][number]['name'], file: string, bytes: Buffer) => ({
    ...{ name, file: basename(file), ...recorder.keep(bytes) },
  });
  return [
    kept('stream', 'stdout', left.stream),
    ...left.transcripts.map(({ file, bytes }) => kept('transcript', file, bytes)),
    ...left.mcpLogs.map(({ file, bytes }) => kept('mcp_log', file, bytes)),
    kept('stderr', 'stderr', left.stderr),
  ];
}
