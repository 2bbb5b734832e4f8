/** One recorded trial, asked again of the other build: its catalog and its calls in order, all of it recorded. */
import { advertise, advertisedFacts, unusableTools } from '../../events/advertise.js';
import { elapsedMs, systemClock } from '../../events/clock.js';
import type { EventOf } from '../../events/event.js';
import { TrialFailure } from '../failure.js';
import { faultOf, type McpSession, ServerFailure } from '../mcp.js';
import { notReceived, received } from '../received.js';
import type { ServerContext } from '../run.js';
import { faultBody, withServer } from '../session.js';
import { skipped } from '../trial.js';
import { argumentsOf, type Part } from './recording.js';

/** Runs one trial and records it. Throws only `Interrupted` and errors of the log itself. */
export async function runPart(run: ServerContext, part: Part): Promise<void> {
  begin(run, part);
  const { trial } = part.open;
  const met = { ...run, protocol: run.protocol ?? part.protocol };
  await withServer(met, trial, part.condition, async (session) => {
    if (part.listing !== null) await listCatalog(run, part, session);
    for (const call of part.calls) await callAgain(run, trial, call, session);
  });
}

/** Records a trial that is not run because the server could not be started before. */
export function skipPart(run: ServerContext, part: Part): void {
  begin(run, part);
  run.recorder.append(skipped(part.open.trial));
}

function begin({ recorder }: ServerContext, { open }: Part): void {
  const { trial, condition, task, phrasing, repetition } = open;
  recorder.append({
    ...{ type: 'trial_open', trial, purpose: 'session', condition, task, phrasing, repetition },
    ...{ attempt: 1, question_sha256: null, prompt: null },
  });
}

/** Records every page, on the last what a host would advertise. Throws `CATALOG_ERROR` where the listing fails. */
async function listCatalog({ recorder }: ServerContext, part: Part, session: McpSession): Promise<void> {
  const {
    open: { trial },
    condition: { tools: allowed },
  } = part;
  const all: unknown[] = [];
  try {
    for await (const { raw, ...page } of session.pages()) {
      all.push(...page.tools);
      const advertised = page.next_cursor === null ? advertisedFacts(advertise(all, allowed)) : null;
      recorder.append({ type: 'catalog', trial, ...page, advertised, raw: recorder.raw(raw) });
    }
  } catch (error) {
    if (!(error instanceof ServerFailure) || error.code === 'SERVER_EXITED') throw error;
    throw new TrialFailure('CATALOG_ERROR', error.message);
  }
  for (const reason of unusableTools(all, [])) {
    const fault = faultOf(
      'BAD_TOOL',
      'warning',
      `${reason}; it is not offered to the model`,
      Buffer.alloc(0),
    );
    recorder.append(faultBody(recorder, trial, fault));
  }
}

/** Makes a call and records it. A refusal or silence is a result to compare; a server that is gone ends the trial. */
async function callAgain(
  { recorder, limits }: ServerContext,
  trial: string,
  recorded: EventOf<'tool_call'>,
  session: McpSession,
): Promise<void> {
  const { tool, call_id } = recorded;
  const started = systemClock.monotonic();
  const record = ({ facts, is_error }: ReturnType<typeof received>, elapsed_ms: number) =>
    recorder.append({
      ...{ type: 'tool_call', trial, turn: null, call_id, tool, is_error, elapsed_ms, ...facts },
      ...{ arguments: argumentsOf(recorded), ...NO_MODEL },
    });
  try {
    const reply = await session.call(tool, argumentsOf(recorded) ?? {}, limits.tool_timeout_ms);
    record(received(recorder, reply), reply.elapsed_ms);
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error;
    record(notReceived(recorder, error), elapsedMs(started));
    if (error.code === 'SERVER_EXITED') throw error;
  }
}

/** Nothing is sent to a model. */
const NO_MODEL = { model_facing_bytes: null, model_facing_sha256: null, model_facing_text: null };
