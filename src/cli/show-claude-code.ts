/** The tables of a run of Claude Code for people. */
import type { ClaudeComparison } from '../analysis/claude-code/compare.js';
import type { Launches, LaunchGroup } from '../analysis/claude-code/launches.js';
import type { Overhead } from '../analysis/claude-code/overhead.js';
import type { SearchCount, ToolCount, WrongAnswers } from '../analysis/claude-code/tools.js';
import type { Use } from '../analysis/claude-code/use.js';
import type { Rate, Spread } from '../analysis/rate.js';
import { visible } from '../events/visible.js';
import { type Column, counted, integer, renderTable } from './table.js';

/** The tables, a line or more each, with a heading over each; a table without rows is left out. */
export function showClaudeCode(claude: ClaudeComparison, estimated: boolean): string[] {
  const { versions, use, tools, searches, wrong, overhead, launches } = claude;
  const paired = overhead.filter(({ difference }) => difference !== null);
  return [
    `Claude Code ${versions.join(', ') || '–'}`,
    ...section('trials, with 95 % intervals:', useColumns(use), use.map(useRow)),
    ...use.flatMap(notesOn),
    ...section('tool calls by name:', TOOLS, tools.map(toolRow)),
    ...section('ToolSearch queries by kind:', SEARCHES, searches.map(searchRow)),
    ...section('what wrong answers did, in trials:', WRONG, wrong.map(wrongRow)),
    ...section(
      'input tokens of one turn, against none:',
      overheadColumns(estimated),
      paired.map(overheadRow),
    ),
    ...section('launches, connected to the server:', LAUNCHES, launches.flatMap(launchRows)),
    ...launches.flatMap(silentLines),
    ...section('trials whose server was not connected:', lostColumns(estimated), launches.flatMap(lostRows)),
    ...launches.flatMap(toldLines),
  ];
}

function section(heading: string, columns: Column[], rows: string[][]): string[] {
  return rows.length === 0 ? [] : ['', heading, renderTable(columns, rows)];
}

const left = (name: string): Column => ({ name });
const right = (name: string): Column => ({ name, align: 'right' });

const TOOLS = [
  ...[left('condition'), left('tool'), left('of')],
  ...[right('calls'), right('errors'), right('denied'), right('trials')],
];
const SEARCHES = [left('condition'), left('kind'), right('calls'), right('trials'), left('queries')];
const WRONG = [
  ...[left('condition'), right('wrong'), right('called the server'), right("only the host's tools")],
  ...[right('nothing'), right('had a call denied'), left('calls')],
];
const LAUNCHES = [
  ...[left('condition'), left('launch'), left('connected')],
  ...[left("ms by the host's log"), left('ms by the wire')],
];

/** The phrasings that are told apart: none where there is but one. */
function phrasingsOf({ called_by_phrasing }: Use): Use['called_by_phrasing'] {
  return called_by_phrasing.length < 2 ? [] : called_by_phrasing;
}

function useColumns([first]: Use[]): Column[] {
  const by = first === undefined ? [] : phrasingsOf(first);
  return [
    'condition',
    'called the server',
    'right answer',
    ...by.map((each) => `called, ${each.phrasing}`),
  ].map(left);
}

function useRow(use: Use): string[] {
  return [use.condition, ...[use.called, use.right, ...phrasingsOf(use)].map(rateWords)];
}

function notesOn({ condition, right_without_call: unasked, left_out }: Use): string[] {
  const note = (trials: string[], noun: string, what: string) =>
    trials.length === 0 ? [] : [`${condition}: ${counted(trials.length, noun)} ${what}`];
  return [
    ...note(unasked, 'right answer', 'without a call of the server'),
    ...note(left_out, 'trial', 'left out: nothing is known of the answer'),
  ];
}

function toolRow({ condition, tool, origin, calls, errors, denied, trials }: ToolCount): string[] {
  const whose = origin === 'server' ? 'the server' : 'Claude Code';
  return [condition, tool, whose, ...[calls, errors, denied, trials.length].map(integer)];
}

function searchRow({ condition, kind, calls, trials, queries }: SearchCount): string[] {
  const rest = queries.length - 3;
  const shown = `${queries.slice(0, 3).join(' | ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  return [condition, kind === 'select' ? 'select:' : 'words', integer(calls), integer(trials.length), shown];
}

function wrongRow({ condition, called, host_tools, nothing, denied, tools }: WrongAnswers): string[] {
  const wrong = called.length + host_tools.length + nothing.length;
  const counts = [called, host_tools, nothing, denied].map((trials) => integer(trials.length));
  const calls = tools.map(
    ({ tool, calls: made, denied: refused }) =>
      `${tool} ${made}${refused === 0 ? '' : ` (${refused} denied)`}`,
  );
  return [condition, integer(wrong), ...counts, calls.join(', ') || '–'];
}

function overheadColumns(estimated: boolean): Column[] {
  const mark = estimated ? '~' : '';
  return [
    ...[left('condition'), left('tool search'), left('against'), left(`${mark}without`)],
    ...[left(`${mark}with`), left(`${mark}difference`), right('pairs')],
  ];
}

function overheadRow({ condition, tool_search, base, base_tokens, tokens, difference }: Overhead): string[] {
  const sign = (difference?.median ?? 0) > 0 ? '+' : '';
  return [
    ...[condition, tool_search ? 'on' : 'off', base, spreadWords(base_tokens), spreadWords(tokens)],
    ...[`${sign}${spreadWords(difference)}`, integer(difference?.n ?? 0)],
  ];
}

function launchRows({ condition, first, later, all }: Launches): string[][] {
  const row = (name: string, { launches, connect_ms, wire_ms }: LaunchGroup) =>
    launches.of === 0
      ? []
      : [[condition, name, rateWords(launches), spreadWords(connect_ms), spreadWords(wire_ms)]];
  const both = first.launches.of > 0 && later.launches.of > 0;
  return [...row('first', first), ...row('later', later), ...(both ? row('all', all) : [])];
}

function lostColumns(estimated: boolean): Column[] {
  const mark = estimated ? '~' : '';
  return [
    ...[left('condition'), right('trials'), right('answered'), left('turns'), right('calls')],
    ...[right('denied'), left(`${mark}input tokens`), left(`${mark}output tokens`)],
  ];
}

function lostRows({ condition, unconnected: lost }: Launches): string[][] {
  if (lost === null) return [];
  return [
    [
      ...[condition, integer(lost.trials.length), integer(lost.answered), spreadWords(lost.turns)],
      ...[integer(lost.calls), integer(lost.denied)],
      ...[spreadWords(lost.input_tokens), spreadWords(lost.output_tokens)],
    ],
  ];
}

function silentLines({ condition, unknown }: Launches): string[] {
  if (unknown.length === 0) return [];
  return [
    `${condition}: ${counted(unknown.length, 'launch', 'launches')} left out: nothing is known of the connection`,
  ];
}

/** What models were told of a server that was not there, in the words of the host. */
function toldLines({ condition, unconnected }: Launches): string[] {
  return (unconnected?.told ?? []).map(({ text, trials }) => {
    const said = text === null ? 'nothing' : `“${cut(visible(text))}”`;
    return `${condition}: told in ${counted(trials.length, 'trial')}: ${said}`;
  });
}

function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/** `43 / 48 (78–95 %)`: the interval is Wilson's. */
function rateWords({ count, of, interval }: Rate): string {
  if (interval === null) return '–';
  const [low, high] = interval.map((bound) => (bound * 100).toFixed(0));
  return `${count} / ${of} (${low}–${high} %)`;
}

/** The median, and least and greatest where they differ. */
function spreadWords(spread: Spread | null): string {
  if (spread === null) return '–';
  const { median, min, max } = spread;
  return min === max ? integer(median) : `${integer(median)} (${integer(min)}–${integer(max)})`;
}
