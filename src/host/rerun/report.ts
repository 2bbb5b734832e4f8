/** What came of a rerun, computed from the events of both logs. */
import { jsonOf } from '../../events/answer.js';
import type { Event, EventOf } from '../../events/event.js';
import { type Blobs, hydrated } from '../../events/payload.js';
import { type Answer, answerOf } from './answer.js';
import { type CallComparison, compareCall, type Pair } from './compare-calls.js';
import { type CatalogComparison, compareCatalog, merged } from './compare-catalogs.js';
import { compareEvidence } from './evidence.js';
import { type LeftOut, listingOf, type Part } from './recording.js';
import { type Compared, INVALID, judgeRules, type Rule, type RuleVerdict } from './rules.js';

/** Sums over the calls that count: those that brought a result, before and now, or an error of the tool both times. */
export interface Totals {
  calls: number;
  same: number;
  changed: number;
  fails_now: number;
  works_now: number;
  /** Calls whose new result is not what its tool's output schema says. */
  invalid_output: number;
  /** Calls in the sums below. */
  counted: number;
  wire_bytes: Pair;
  content_bytes: Pair;
  structured_bytes: Pair;
  /** Estimated. */
  tokens: Pair;
}

/** A trial that could not be run to its end. */
export interface Unfinished {
  trial: string;
  /** False where the server could not be started before, or a signal had ended the rerun. */
  begun: boolean;
  /** Null where a signal ended it. */
  failure: string | null;
  message: string | null;
  /** Calls that were not sent. */
  calls: number;
}

export interface RerunReport extends Compared {
  totals: Totals;
  left_out: LeftOut[];
  unfinished: Unfinished[];
  rules: RuleVerdict[];
}

/** What two logs give for each trial: the recorded part, and the events of its rerun, empty where it was not run. */
export interface Rerun {
  part: Part;
  events: Event[];
}

/** The whole report. `estimate` gives the tokens of a text. Pure but for payloads that are read from `blobs`. */
export function reportOf(
  reruns: Rerun[],
  left_out: LeftOut[],
  rules: Rule[],
  blobs: Pick<Blobs, 'getBlob'>,
  estimate: (text: string) => number,
): RerunReport {
  const sides = reruns.map((rerun) => ({ rerun, ...answersOf(rerun, blobs) }));
  const calls = sides.flatMap(({ rerun, before, after }) => comparedCalls(rerun, before, after, estimate));
  const unfinished = reruns.flatMap(unfinishedOf);
  const ended = (trial: string) => !unfinished.some((other) => other.trial === trial);
  const compared: Compared & { totals: Totals } = {
    calls,
    catalogs: merged(reruns.flatMap((rerun) => comparedCatalog(rerun, estimate))),
    evidence: sides.flatMap(({ rerun: { part }, before, after }) => {
      if (part.evidence === null || !ended(part.open.trial)) return [];
      return [compareEvidence(part.open.trial, part.evidence, textsOf(before), textsOf(after))];
    }),
    totals: totalsOf(calls),
    finished: unfinished.length === 0 && reruns.every(({ part }) => part.closed),
  };
  return { ...compared, left_out, unfinished, rules: judgeRules(rules, compared) };
}

/** The exit code: 1 where a rule is broken, 3 where the rerun was not finished, else 0. */
export function exitOf({ rules, finished }: Pick<RerunReport, 'rules' | 'finished'>): 0 | 1 | 3 {
  if (rules.some(({ verdict }) => verdict === 'broken')) return 1;
  return finished ? 0 : 3;
}

function answersOf(
  { part, events }: Rerun,
  blobs: Pick<Blobs, 'getBlob'>,
): { before: Answer[]; after: Answer[] } {
  const { select } = part.condition;
  const made = events.filter((event) => event.type === 'tool_call').map((event) => hydrated(event, blobs));
  const read = (call: EventOf<'tool_call'>) => answerOf(call, select, blobs);
  return {
    before: part.calls.map(read),
    after: made.flatMap((event) => (event.type === 'tool_call' ? [read(event)] : [])),
  };
}

/** The calls of a trial as far as they were made again: the n-th with the n-th. */
function comparedCalls(
  { part }: Rerun,
  before: Answer[],
  after: Answer[],
  estimate: (text: string) => number,
): CallComparison[] {
  return part.calls.flatMap((call, at) => {
    const [a, b] = [before[at], after[at]];
    if (a === undefined || b === undefined) return [];
    const { trial, tool } = call;
    return [compareCall({ trial, tool, arguments: call.arguments }, a, b, estimate)];
  });
}

function comparedCatalog({ part, events }: Rerun, estimate: (text: string) => number): CatalogComparison[] {
  const after = listingOf(events);
  if (part.listing === null || after === null) return [];
  return [compareCatalog(part.open.trial, part.condition.tools, part.listing, after, estimate)];
}

/** A trial without a close that says `completed`. */
function unfinishedOf({ part, events }: Rerun): Unfinished[] {
  const close = events.find((event) => event.type === 'close');
  if (close?.status === 'completed') return [];
  const made = events.filter((event) => event.type === 'tool_call').length;
  const { failure = null, message = null } = close ?? {};
  const begun = events.length > 0 && close?.status !== 'skipped';
  return [{ trial: part.open.trial, begun, failure, message, calls: part.calls.length - made }];
}

/** Where evidence can stand: in results, as they are and with the escapes of JSON undone. An error may name what is gone. */
function textsOf(answers: Answer[]): string[] {
  return answers
    .filter(({ failed, is_error }) => failed === null && !is_error)
    .flatMap(({ text, structured_json }) => [text, structured_json ?? ''])
    .flatMap((text) => [text, ...stringsIn(jsonOf(text))]);
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...stringsIn(inner)]);
}

function totalsOf(calls: CallComparison[]): Totals {
  const having = (outcome: string) => calls.filter((call) => call.outcome === outcome).length;
  const counted = calls.filter((call) => call.counted);
  const sum = (pick: (call: CallComparison) => Pair): Pair => ({
    before: counted.reduce((total, call) => total + pick(call).before, 0),
    after: counted.reduce((total, call) => total + pick(call).after, 0),
  });
  return {
    ...{ calls: calls.length, same: having('same'), changed: having('changed') },
    ...{ fails_now: having('fails_now'), works_now: having('works_now') },
    invalid_output: calls.filter((call) => INVALID.includes(call.schema_verdict.after)).length,
    ...{ counted: counted.length, wire_bytes: sum((call) => call.wire_bytes) },
    content_bytes: sum((call) => call.content_bytes),
    structured_bytes: sum((call) => call.structured_bytes),
    tokens: sum((call) => call.tokens),
  };
}
