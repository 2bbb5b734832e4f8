/** One turn of the model: within the budget, recorded before it is sent, with the study's retries. */
import { isUtf8 } from 'node:buffer';
import { setTimeout as delay } from 'node:timers/promises';
import { sha256, utf8Bytes } from '../events/bytes.js';
import { requestBody } from '../events/conversation.js';
import type { BodyOf } from '../events/event.js';
import { NO_USAGE, type Usage, usageOf } from '../events/usage.js';
import { TrialFailure } from './failure.js';
import { assertInputs } from './inputs.js';
import { faultOf } from './mcp.js';
import { ModelFailure, type ModelReply } from './messages.js';
import type { Recorder } from './recorder.js';
import type { RunContext } from './run.js';
import { faultBody } from './session.js';

/** One turn, with the study's retries; every attempt is an event. */
export async function takeTurn(run: RunContext, trial: string, turn: number): Promise<ModelReply> {
  for (let attempt = 1; ; attempt += 1) {
    assertInputs(run.study);
    const settle = await withinBudget(run, trial);
    try {
      const reply = await attemptTurn(run, trial, turn, attempt);
      settle(usageOf(reply.usage));
      return reply;
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      settle(error.may_be_billed ? null : NO_USAGE);
      recordModelFault(run, trial, turn, attempt, error);
      const wait = error.retry_after_ms ?? Math.min(500 * 2 ** (attempt - 1), 8000);
      if (!error.retryable || attempt > run.limits.retries || wait > LONGEST_WAIT_MS) throw error;
      await delay(wait, undefined, { signal: run.recorder.abort.signal });
    }
  }
}

/** A longer Retry-After than this is not waited for: the trial fails. */
const LONGEST_WAIT_MS = 120_000;

/** Throws `BUDGET_STOP` where the next call could pass the budget; else sets aside what it may take. */
async function withinBudget(run: RunContext, trial: string): Promise<(usage: Usage | null) => void> {
  if (!run.budget.isLimited) return (usage) => run.budget.spend(usage ?? NO_USAGE);
  const body = requestBody(run.recorder.talk(trial));
  const counted = await run.client.countTokens(body, run.recorder.abort.signal);
  // A token is at least a byte, so the request's bytes bound its tokens where the endpoint does not count.
  const bound = counted ?? utf8Bytes(JSON.stringify(body));
  const refusal = run.budget.refusal(bound, run.limits.max_tokens);
  if (refusal !== null) throw new TrialFailure('BUDGET_STOP', refusal);
  return run.budget.hold(bound, run.limits.max_tokens);
}

async function attemptTurn(
  run: RunContext,
  trial: string,
  turn: number,
  attempt: number,
): Promise<ModelReply> {
  const body = requestBody(run.recorder.talk(trial));
  const reply = await run.client.send(body, {
    signal: run.recorder.abort.signal,
    onRequest: (bytes) => {
      const [request_bytes, request_sha256, messages] = [bytes.length, sha256(bytes), body.messages.length];
      run.recorder.append({
        type: 'turn_request',
        trial,
        turn,
        attempt,
        messages,
        request_bytes,
        request_sha256,
      });
    },
  });
  const { lossy, ...facts } = reply;
  const { usage_source } = run;
  const raw = lossy === null ? {} : { raw: run.recorder.exact(lossy) };
  run.recorder.append({ type: 'model_turn', trial, turn, attempt, ...facts, usage_source, ...raw });
  if (lossy !== null) run.recorder.append(lossyFault(run.recorder, trial, lossy));
  return reply;
}

function lossyFault(recorder: Recorder, trial: string, body: Buffer): BodyOf<'fault'> {
  const message =
    'the message holds a number or a repeated key that JSON.parse does not keep: what is made of it (arguments, the next request) is rounded, its bytes are kept';
  return faultBody(recorder, trial, faultOf('LOSSY_JSON', 'warning', message, body));
}

/** Exact bytes of a body that is not text are kept up to this. */
const BASE64_LIMIT = 64 * 1024;

function recordModelFault(
  run: RunContext,
  trial: string,
  turn: number,
  attempt: number,
  error: ModelFailure,
): void {
  const { body, http_status } = error;
  const odd = body !== null && !isUtf8(body);
  run.recorder.append({
    ...{ type: 'fault', trial, code: error.code, severity: 'error', turn, attempt, http_status },
    ...{ bytes: body?.length ?? null, sha256: body === null ? null : sha256(body), message: error.message },
    text: body === null ? null : body.subarray(0, 16_384).toString('utf8').slice(0, 4096),
    base64: odd ? body.subarray(0, BASE64_LIMIT).toString('base64') : null,
  });
}
