/** The judgement of one receipt under one key. Pure: no disk, no model. */
import { z } from 'zod';
import type { FailureCode } from '../events/failures.js';
import type { CallReceipt, TrialReceipt } from '../events/trial-receipt.js';
import { formInWords, formsOf, type Matched, matchOf } from '../study/accept/match.js';
import { phraseIn } from '../study/accept/phrases.js';
import type { AnswerKind } from '../study/asked.js';
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
  /** The accepted form that made the answer right, as JSON, and the part of the answer that has it; absent without forms. */
  matched?: { form: string; text: string } | null;
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

/** What a key is applied under: facts of the run, not of the key. */
export interface Terms {
  controls: readonly Control[];
  answer: AnswerKind;
}

/**
 * Judges a trial. An answer in JSON must equal the expected string or have an accepted form; evidence and caveats must be
 * lists, even where no caveat is required, with every evidence id and required caveat in them, exactly. More of them do no
 * harm. An answer as text must have one of the accepted forms in it, and evidence and caveats as words of their own.
 */
export function judge(trial: TrialReceipt, key: Key, { controls, answer }: Terms): Judgement {
  if (trial.incomplete) return notReached('undecided', 'log: events of this trial are missing or damaged');
  if (trial.status !== 'completed') return unfinished(trial);
  const path = checkToolPath(trial.calls, key, controls);
  const read = answer === 'text' ? judgeText(trial, key) : judgeJson(trial, key);
  const reasons = [
    ...[...read.wrong, ...read.evidence, ...read.caveats],
    ...(path.verdict === 'fail' ? [`tool path: it requires ${path.words}`] : []),
  ];
  const list = (lost: string[], wanted: string[]): Check =>
    answer === 'text' && wanted.length === 0 ? 'not_required' : passIf(lost.length === 0);
  return {
    verdict: reasons.length === 0 ? 'pass' : 'fail',
    execution: 'pass',
    answer: passIf(read.wrong.length === 0),
    evidence: list(read.evidence, key.evidenceIds),
    caveats: list(read.caveats, key.requiredCaveats),
    tool_path: path.verdict,
    reasons,
    ...(read.matched === undefined ? {} : { matched: read.matched }),
  };
}

function passIf(holds: boolean): Check {
  return holds ? 'pass' : 'fail';
}

/** What an answer lacks, in words; and the form that made it right, where the key has forms. */
interface Reading {
  wrong: string[];
  evidence: string[];
  caveats: string[];
  matched?: Judgement['matched'];
}

function judgeJson(trial: TrialReceipt, key: Key): Reading {
  const answer: z.infer<typeof answerSchema> = answerSchema.safeParse(trial.answer).data ?? {};
  const forms = formsOf(key, 'json');
  const found = typeof answer.answer === 'string' ? matchOf(answer.answer, forms) : null;
  const right = answer.answer === key.expectedAnswer || found !== null;
  const orForm = forms.length === 0 ? '' : ' or an accepted form';
  return {
    wrong: right
      ? []
      : [`answer: expected ${quote(key.expectedAnswer)}${orForm}, got ${quote(answer.answer)}`],
    evidence: wanting(answer.evidenceIds, key.evidenceIds, 'evidence', 'cited'),
    caveats: wanting(answer.caveats, key.requiredCaveats, 'caveats', 'stated'),
    ...(forms.length === 0 ? {} : { matched: matchedOf(found) }),
  };
}

function judgeText({ answer_text }: TrialReceipt, key: Key): Reading {
  const text = answer_text ?? '';
  const forms = formsOf(key, 'text');
  const found = matchOf(text, forms);
  const expected = `expected ${quote(key.expectedAnswer)}, in ${forms.length === 1 ? 'its form' : `one of ${forms.length} forms`}`;
  const got = text.trim() === '' ? 'there is no answer' : `got ${quote(text)}`;
  return {
    wrong: found === null ? [`answer: ${expected}, ${got}`] : [],
    evidence: unsaid(text, key.evidenceIds, 'evidence', 'cited'),
    caveats: unsaid(text, key.requiredCaveats, 'caveats', 'stated'),
    matched: matchedOf(found),
  };
}

function matchedOf(found: Matched | null): { form: string; text: string } | null {
  return found === null ? null : { form: formInWords(found.form), text: found.text.slice(0, 200) };
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

/** What a text lacks of the words that it must have. */
function unsaid(text: string, wanted: string[], name: string, done: string): string[] {
  const lost = wanted.filter((words) => phraseIn(text, words) === null);
  return lost.map((words) => `${name}: ${quote(words)} is not ${done}`);
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
