/** What a rerun found, for people: calls, totals, catalogs, evidence, rules. */
import { visible } from '../events/visible.js';
import type { CallComparison, Outcome, Pair } from '../host/rerun/compare-calls.js';
import type { Aspect, CatalogComparison } from '../host/rerun/compare-catalogs.js';
import type { LeftOut } from '../host/rerun/recording.js';
import type { Unfinished } from '../host/rerun/report.js';
import type { FinishedRerun } from '../host/rerun/rerun.js';
import { type Column, counted, integer, renderTable } from './table.js';

const right = (name: string): Column => ({ name, align: 'right' });

export function showRerun(result: FinishedRerun): string {
  const { calls, catalogs, evidence, left_out, unfinished, rules } = result;
  const blocks = [
    [`run ${result.recorded_run}, rerun as ${result.run}`],
    calls.length === 0 ? ['no calls were compared'] : [callTable(calls), ...calls.flatMap(differenceLine)],
    calls.length === 0 ? [] : totalLines(result),
    catalogs.flatMap((catalog) => catalogLines(catalog, catalogs.length)),
    evidence.map(({ trial, kept, lost, unseen }) => evidenceLine(trial, kept, lost, unseen)),
    left_out.map(leftOutLine),
    unfinishedLines(unfinished),
    rules.map(
      ({ rule, verdict, found }) => `rule ${rule}: ${verdict === 'broken' ? 'BROKEN' : verdict} (${found})`,
    ),
    ['~ tokens are estimates by a local tokenizer, not provider figures.', `log: ${result.log}`],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

const OUTCOMES: Record<Outcome, string> = {
  same: 'same',
  changed: 'changed',
  fails_now: 'FAILS NOW',
  works_now: 'works now',
};

function callTable(calls: CallComparison[]): string {
  const columns = [
    ...[right('#'), { name: 'trial' }, { name: 'tool' }, { name: 'result' }, { name: 'output schema' }],
    ...['wire bytes', 'content', 'structured', '~tokens'].map(right),
  ];
  const rows = calls.map((call, at) => [
    ...[integer(at + 1), call.trial, call.tool, OUTCOMES[call.outcome], either(call.schema_verdict)],
    ...[call.wire_bytes, call.content_bytes, call.structured_bytes, call.tokens].map(amounts),
  ]);
  return renderTable(columns, rows);
}

function differenceLine({ tool, arguments: given, difference }: CallComparison, at: number): string[] {
  if (difference === null) return [];
  return [
    `  #${at + 1} ${visible(tool)} ${visible(shortened(JSON.stringify(given ?? {})))}: ${visible(difference)}`,
  ];
}

function totalLines({ totals }: FinishedRerun): string[] {
  const kinds = [
    `${totals.same} same`,
    `${totals.changed} changed`,
    `${totals.fails_now} fail now`,
    `${totals.works_now} work now`,
    ...(totals.invalid_output === 0 ? [] : [`${totals.invalid_output} against their output schema`]),
  ];
  const apart = totals.calls - totals.counted;
  const sums = [
    `wire bytes ${grown(totals.wire_bytes)}`,
    `content ${grown(totals.content_bytes)}`,
    `structured ${grown(totals.structured_bytes)}`,
    `~tokens ${grown(totals.tokens)}`,
  ];
  const which = apart === 0 ? 'all' : `${totals.counted} (left out: ${apart} that failed before or now)`;
  return [`${counted(totals.calls, 'call')}: ${kinds.join(', ')}`, `total of ${which}: ${sums.join('; ')}`];
}

const ASPECTS: Record<Aspect, string> = {
  description: 'description',
  input_schema: 'input schema',
  output_schema: 'output schema',
  other: 'other fields',
};

function catalogLines(catalog: CatalogComparison, catalogs: number): string[] {
  const { trials, server, gone, added, changed, bytes, tokens } = catalog;
  const [first = ''] = trials;
  const where = trials.length === 1 ? first : `${first} and ${trials.length - 1} more`;
  return [
    `catalog${catalogs === 1 ? '' : ` of ${where}`}: bytes ${grown(bytes)}; ~tokens ${grown(tokens)}`,
    `  server ${visible(either(server))}`,
    ...(catalog.instructions_changed ? ['  instructions changed'] : []),
    ...(gone.length === 0 ? [] : [`  GONE: ${visible(gone.join(', '))}`]),
    ...(added.length === 0 ? [] : [`  new: ${visible(added.join(', '))}`]),
    ...changed.map(
      ({ tool, aspect, difference }) =>
        `  ${visible(tool)}: ${ASPECTS[aspect]} changed: ${visible(difference)}`,
    ),
    ...(catalog.reordered ? ['  the tools stand in another order'] : []),
  ];
}

function evidenceLine(trial: string, kept: string[], lost: string[], unseen: string[]): string {
  const parts = [
    ...(kept.length === 0 ? [] : [`${kept.length} still there`]),
    ...(lost.length === 0 ? [] : [`LOST: ${lost.join(', ')}`]),
    ...(unseen.length === 0 ? [] : [`in no recorded result: ${unseen.join(', ')}`]),
  ];
  return visible(`evidence of ${trial}: ${parts.join('; ')}`);
}

function leftOutLine({ trial, call, reason }: LeftOut): string {
  const which = call === null ? '' : `, ${call.tool} (seq ${call.event})`;
  return visible(`left out: ${trial}${which}: ${reason}`);
}

/** Trials that were not begun are one line. */
function unfinishedLines(unfinished: Unfinished[]): string[] {
  const begun = unfinished.filter((trial) => trial.begun);
  const rest = unfinished.length - begun.length;
  return [...begun.map(unfinishedLine), ...(rest === 0 ? [] : [`NOT BEGUN: ${counted(rest, 'more trial')}`])];
}

function unfinishedLine({ trial, failure, message, calls }: Unfinished): string {
  const said = message?.startsWith(`${failure}: `) ? message : `${failure}: ${message ?? ''}`;
  const why = failure === null ? 'interrupted' : said;
  return visible(`NOT FINISHED: ${trial}: ${why}; ${counted(calls, 'call')} not made`);
}

function amounts({ before, after }: Pair): string {
  return before === after ? integer(after) : `${integer(before)} → ${integer(after)}`;
}

/** `1,200 → 1,260 (+60, +5.0%)`. */
function grown(pair: Pair): string {
  const more = pair.after - pair.before;
  const sign = more > 0 ? '+' : '';
  if (more === 0) return integer(pair.after);
  const share = pair.before === 0 ? '' : `, ${sign}${((100 * more) / pair.before).toFixed(1)}%`;
  return `${amounts(pair)} (${sign}${integer(more)}${share})`;
}

function either({ before, after }: Pair<string>): string {
  return before === after ? after : `${before} → ${after}`;
}

function shortened(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
