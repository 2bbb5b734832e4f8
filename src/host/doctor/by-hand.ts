/** The two launches by hand: the first as a host makes it that does not know the server, the second as one that does. */
import type { CommandSpec } from '../mcp.js';
import type { CloseWaits } from '../wire/child.js';
import type { JsonObject } from '../wire/json.js';
import { checkEnding } from './check-ending.js';
import { checkLaunches } from './check-launches.js';
import { checkUnknownTool } from './check-result.js';
import { checkStdout } from './check-stdout.js';
import type { Outcome } from './finding.js';
import { chooseCall } from './first-call.js';
import { type Launch, launch } from './launch.js';
import type { Step } from './raw-server.js';
import { NO_SUCH_TOOL } from './requests.js';

/** How to launch. Times in milliseconds. */
export interface ByHandOptions {
  timeoutMs: number;
  probeMs: number;
  graceMs: number;
  waits: CloseWaits;
  wish: { tool: string; arguments: JsonObject } | null;
  signal: AbortSignal;
  onStep(what: string): void;
}

/** Both launches; the second is null where the program could not be started. */
export interface ByHand {
  first: Launch;
  second: Launch | null;
}

/**
 * A host probes with `server/discover` on the first launch. What it remembers decides about the second: it opens with
 * `initialize`, unless the probe was answered. The second launch also calls a tool, one that is safe to call again.
 */
export async function launchTwice(spec: CommandSpec, options: ByHandOptions): Promise<ByHand> {
  options.onStep('first launch, server/discover first');
  const first = await launch(spec, { ...options, opening: 'discover', call: null });
  options.signal.throwIfAborted();
  if (first.start_error !== null) return { first, second: null };
  const opening = first.era === 'modern' ? 'discover' : 'initialize';
  options.onStep(`second launch, ${opening === 'discover' ? 'server/discover' : 'initialize'} first`);
  const call = (tools: unknown[]) => {
    const chosen = chooseCall(tools, options.wish).call;
    return chosen?.repeatable ? chosen : null;
  };
  const second = await launch(spec, { ...options, opening, call });
  options.signal.throwIfAborted();
  return { first, second };
}

/** What the launches show, of stdout and of the end as well. */
export function checkByHand({ first, second }: ByHand): Outcome[] {
  const launches = second === null ? [first] : [first, second];
  const last = second?.end ?? first.end;
  const unknown = second?.steps.find(({ tool }) => tool === NO_SUCH_TOOL)?.reply ?? null;
  return [
    ...checkLaunches(first, second),
    ...checkStdout(launches),
    ...(unknown === null ? [] : checkUnknownTool(unknown)),
    ...(last === null ? [] : checkEnding(last)),
  ];
}

/** The figures of both launches. */
export function byHandFacts({ first, second }: ByHand) {
  return { first: launchFacts(first), second: second === null ? null : launchFacts(second) };
}

/** A step without its reply, and without more of what stood around it than shows what it was. */
function stepFacts({ reply: _reply, glued, ...step }: Step) {
  const short = (text: string) => text.slice(0, 1000);
  return {
    ...step,
    glued: glued === null ? null : { before: short(glued.before), after: short(glued.after) },
  };
}

function launchFacts({ opening, era, respawned, steps, lines, end, start_error }: Launch) {
  const kinds = Object.fromEntries(
    (['message', 'glued', 'stray', 'blank'] as const).map((kind) => [
      kind,
      lines.filter(({ reading }) => reading.kind === kind).length,
    ]),
  );
  return {
    ...{ opening, era, respawned, start_error, lines: kinds },
    steps: steps.map(stepFacts),
    end: end === null ? null : { ...end, tail_bytes: Buffer.byteLength(end.tail), tail: undefined },
  };
}
