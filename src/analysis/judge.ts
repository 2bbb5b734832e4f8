/** The judgement of one receipt under one key. Pure: no disk, no model. */
import { z } from 'zod';
import type { FailureCode } from '../events/failures.js';
import type { CallReceipt, TrialReceipt } from '../events/trial-receipt.js';
import type { Control } from '../study/controls.js';
import type { Key } from '../study/key.js';
import { checkToolPath } from './tool-path.js';
import type { Verdict } from './verdicts.js';

export type Check = 'pass' | 'fail' | 'not_required' | 'not_reached';

export interface Judgement {
  verdict: Verdict;
  execution: Check;
  answer: Check;
  evidence: Check;
  caveats: Check;
  tool_path: Check;
  reasons: string[];
}

/** Failures that say something about model, tools or answer; any other leaves the question undecided. */
const TELLING: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'STOP_max_tokens',
  'STOP_refusal',
  'STOP_pause_turn',
  'STOP_stop_sequence',
  'STOP_model_context_window_exceeded',
  'STOP_UNKNOWN',
  'EMPTY_TOOL_USE',
  'NON_JSON_ANSWER',
  'TURN_LIMIT',
  'TOOL_FAILURE',
]);

const answerSchema = z.object({
  answer: z.unknown().optional(),
  evidenceIds: z.unknown().optional(),
  caveats: z.unknown().optional(),
});

/**
 * Judges a trial. The answer must equal the expected string; evidence and caveats must be lists, even where no caveat is
 * required, with every evidence id and required caveat in them, exactly. More of them do no harm.
 */
export function judge(trial: TrialReceipt, key: Key, controls: readonly Control[]): Judgement {
  if (trial.incomplete) return notReached('undecided', 'log: events of this trial are missing or damaged');
  if (trial.status !== 'completed') return unfinished(trial);
  const answer: z.infer<typeof answerSchema> = answerSchema.safeParse(trial.answer).data ?? {};
  const path = checkToolPath(trial.calls, key, controls);
  const evidence = wanting(answer.evidenceIds, key.evidenceIds, 'evidence', 'cited');
  const caveats = wanting(answer.caveats, key.requiredCaveats, 'caveats', 'stated');
  const right = answer.answer === key.expectedAnswer;
  const reasons = [
    ...(right ? [] : [`answer: expected ${quote(key.expectedAnswer)}, got ${quote(answer.answer)}`]),
    ...[...evidence, ...caveats],
    ...(path.verdict === 'fail' ? [`tool path: it requires ${path.words}`] : []),
  ];
  return {
    verdict: reasons.length === 0 ? 'pass' : 'fail',
    execution: 'pass',
    answer: right ? 'pass' : 'fail',
    evidence: evidence.length === 0 ? 'pass' : 'fail',
    caveats: caveats.length === 0 ? 'pass' : 'fail',
    tool_path: path.verdict,
    reasons,
  };
}

/** A call to which no answer came, in time or at all: that says nothing about model or tool. Older logs have no code. */
function lost({ error, error_code }: CallReceipt): boolean {
  const code = error_code ?? error?.split(': ')[0] ?? '';
  return ['CALL_TIMEOUT', 'SERVER_EXITED', 'NO_REPLY'].includes(code);
}

function unfinished(trial: TrialReceipt): Judgement {
  const telling = trial.failure !== null && TELLING.has(trial.failure) && !trial.calls.some(lost);
  const why =
    trial.failure === null ? '' : ` ${trial.failure}${trial.message === null ? '' : `: ${trial.message}`}`;
  const doubt = trial.status === 'in_doubt' ? ': the last model call may have been billed' : '';
  return notReached(telling ? 'fail' : 'undecided', `failure: ${trial.status}${why}${doubt}`);
}

function notReached(verdict: Verdict, reason: string): Judgement {
  const rest = {
    answer: 'not_reached',
    evidence: 'not_reached',
    caveats: 'not_reached',
    tool_path: 'not_reached',
  } as const;
  return { verdict, execution: 'fail', ...rest, reasons: [reason] };
}

/** What a list lacks of the strings that it must have, in words; a list must be there even where it may be empty. */
function wanting(given: unknown, wanted: string[], name: string, done: string): string[] {
  const lost = Array.isArray(given) ? wanted.filter((text) => !given.includes(text)) : wanted;
  return [
    ...(Array.isArray(given) ? [] : [`${name}: there is no list of them`]),
    ...lost.map((text) => `${name}: ${quote(text)} is not ${done}`),
  ];
}

function quote(value: unknown): string {
  const json = JSON.stringify(value) ?? 'nothing';
  return json.length > 200 ? `${json.slice(0, 199)}…` : json;
}
