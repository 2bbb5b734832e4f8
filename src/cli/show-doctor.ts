/** An examination for people: one screen of at most 80 columns, the worst first. */
import cellWidth from 'string-width';
import { visible } from '../events/visible.js';
import { type CatalogCost, type Cost, PARTS, type ToolCost } from '../host/doctor/catalog-cost.js';
import type { Examination, TimesRow } from '../host/doctor/examine.js';
import type { Finding, Group, Severity } from '../host/doctor/finding.js';
import { ms } from '../host/doctor/words.js';
import { counted, integer, renderTable } from './table.js';

const WIDTH = 80;
const MARKS: Record<Severity, string> = { fatal: 'FATAL', warning: 'WARN', note: 'note' };
const GROUPS: Group[] = ['launch', 'stdout', 'catalog', 'findability', 'results', 'end'];

/** Everything about one server, ready to print. Text of the server is made safe for a terminal. */
export function showExamination(examination: Examination): string {
  const { findings, times, catalog } = examination;
  return [
    ...title(examination),
    ...findings.flatMap((finding) => ['', ...findingLines(finding)]),
    '',
    ...checkLines(examination),
    ...(times.length === 0 ? [] : ['', ...timeLines(times)]),
    ...(catalog === null || catalog.rows.length === 0 ? [] : ['', ...catalogLines(catalog)]),
    '',
    verdict(examination),
  ].join('\n');
}

/** Several servers in short: one line each. */
export function showSummary(examinations: Examination[]): string {
  const rows = examinations.map(({ name, command, counts }) => [
    ...[name, String(counts.fatal), String(counts.warning), String(counts.note)],
    cut(visible(command), 40),
  ]);
  const right = (name: string) => ({ name, align: 'right' as const });
  return renderTable(
    [{ name: 'server' }, right('fatal'), right('warnings'), right('notes'), { name: 'command' }],
    rows,
  );
}

function title({ command, name, server }: Examination): string[] {
  const own =
    server === null ? '' : `${server.server_name ?? '(no name)'} ${server.server_version ?? ''}`.trim();
  const called = own === '' ? name : own === name || own.startsWith(`${name} `) ? own : `${name} (${own})`;
  return wrap(`${called === '' ? '' : `${called}: `}${cut(visible(command), 200)}`, '', '  ');
}

function findingLines({ severity, code, what, why, fix }: Finding): string[] {
  return [
    ...wrap(`${code}: ${what}`, MARKS[severity].padEnd(6), '      '),
    ...wrap(why, '  why ', '      '),
    ...wrap(fix, '  fix ', '      '),
  ];
}

/** What is well, and what was not looked at: one paragraph a group. */
function checkLines({ passed, skipped }: Examination): string[] {
  return GROUPS.flatMap((group) => [...paragraph('ok', group, passed), ...paragraph('–', group, skipped)]);
}

function paragraph(mark: string, group: Group, outcomes: { group: Group; what: string }[]): string[] {
  const words = outcomes.filter((each) => each.group === group).map(({ what }) => what);
  return words.length === 0
    ? []
    : wrap(words.join('; '), `${mark.padEnd(6)}${group.padEnd(12)}`, ' '.repeat(18));
}

function timeLines(times: TimesRow[]): string[] {
  const right = (name: string) => ({ name, align: 'right' as const });
  const rows = times.map(({ step, era, n, median, min, max }) => [
    ...[cut(visible(step), 30), era, String(n), ms(median), `${ms(min)} – ${ms(max)}`],
  ]);
  const columns = [{ name: 'time' }, { name: 'era' }, right('n'), right('median'), right('min – max')];
  return renderTable(columns, rows).split('\n');
}

const HEADS: Record<(typeof PARTS)[number], string> = {
  name: 'name',
  description: 'descr.',
  input_schema: 'input',
  output_schema: 'output',
  rest: 'rest',
};

function catalogLines(catalog: CatalogCost): string[] {
  const { rows, tools, around, whole, names, instructions } = catalog;
  const nothing = PARTS.map(() => '');
  const table = [
    ...rows.map((row) => costRow(row.tool, row)),
    costRow('sum of the tools', tools),
    ['  ~tokens of it', ...PARTS.map((part) => integer(tools[part].tokens)), '', integer(tools.whole.tokens)],
    ['around them', ...nothing, ...figures(around)],
    [`tools/list${catalog.pages === 1 ? '' : `, ${catalog.pages} pages`}`, ...nothing, ...figures(whole)],
    ['names alone', ...nothing, ...figures(names)],
    ['instructions', ...nothing, ...figures(instructions)],
    ['paid upfront', ...nothing, ...figures(catalog.upfront)],
    ['paid if deferred', ...nothing, ...figures(catalog.deferred)],
  ];
  return [
    ...columnsOf(['catalog, bytes', ...PARTS.map((part) => HEADS[part]), 'whole', '~tokens'], table),
    ...legend(catalog),
  ];
}

function costRow(name: string, costs: Omit<ToolCost, 'tool'>): string[] {
  return [name, ...PARTS.map((part) => integer(costs[part].bytes)), ...figures(costs.whole)];
}

function figures({ bytes, tokens }: Cost): string[] {
  return [integer(bytes), integer(tokens)];
}

function legend({ always_loaded }: CatalogCost): string[] {
  const loaded = always_loaded.length === 0 ? '' : ` Marked alwaysLoad: ${always_loaded.join(', ')}.`;
  return wrap(
    `~ is a local estimate. Upfront: name, description and input schema as a model is offered them, and the instructions; ` +
      `deferred: mcp__server__tool names and the instructions.${loaded}`,
    '',
    '',
  );
}

/** A table whose first column gives way, so that no line is wider than the screen. */
function columnsOf(names: string[], rows: string[][]): string[] {
  const widths = names.map((name, at) =>
    Math.max(...[name, ...rows.map((row) => row[at] ?? '')].map((cell) => cell.length)),
  );
  const figuresWidth = widths.slice(1).reduce((sum, width) => sum + width + 2, 0);
  const room = Math.max(12, Math.min(widths[0] ?? 0, WIDTH - figuresWidth));
  return [names, ...rows].map(([first = '', ...cells]) => {
    const shown = cut(visible(first), room);
    const padding = ' '.repeat(Math.max(0, room - cellWidth(shown)));
    return `${shown}${padding}${cells.map((cell, at) => `  ${cell.padStart(widths[at + 1] ?? 0)}`).join('')}`.trimEnd();
  });
}

function verdict({ counts, findings }: Examination): string {
  const { fatal, warning, note } = counts;
  if (findings.length === 0) return 'nothing found';
  return `${integer(fatal)} fatal, ${counted(warning, 'warning')}, ${counted(note, 'note')}; docs/doctor.md explains each`;
}

/** Text in lines of at most 80 columns; `first` stands before the first, `next` before each other. */
function wrap(text: string, first: string, next: string): string[] {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of visible(text).split(' ')) {
    if (!empty && cellWidth(line) + 1 + cellWidth(word) > WIDTH) {
      lines.push(line.trimEnd());
      [line, empty] = [next, true];
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line.trimEnd()];
}

function cut(text: string, width: number): string {
  if (cellWidth(text) <= width) return text;
  const kept = Array.from(text);
  while (cellWidth(kept.join('')) > width - 1) kept.pop();
  return `${kept.join('')}…`;
}
