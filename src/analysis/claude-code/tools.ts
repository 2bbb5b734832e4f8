/** Which tools were called, what ToolSearch was asked for, and what wrong answers did in place of a call. */
import { z } from 'zod';
import type { CallReceipt } from '../../events/trial-receipt.js';
import { reachedServer } from '../tool-use.js';
import type { Judged } from './use.js';

/** Calls of one tool in one condition. */
export interface ToolCount {
  condition: string;
  /** Name by which the model asked for it. */
  tool: string;
  origin: 'server' | 'host';
  calls: number;
  /** Of these, calls that came back as an error, denied ones too. */
  errors: number;
  /** Of these, calls that the host did not let the model make. */
  denied: number;
  trials: string[];
}

/** What ToolSearch was asked for in one condition. */
export interface SearchCount {
  condition: string;
  /** select: names of tools; words: anything else. */
  kind: 'select' | 'words';
  calls: number;
  /** Each query as it was written, once. */
  queries: string[];
  trials: string[];
}

/** What the wrong answers of one condition did. A trial is in one of the first three. */
export interface WrongAnswers {
  condition: string;
  /** Called the server, and were wrong all the same. */
  called: string[];
  /** Called tools of the host only, ToolSearch among them. */
  host_tools: string[];
  /** Called nothing at all. */
  nothing: string[];
  /** Had a call denied. */
  denied: string[];
  /** The calls of all of them. */
  tools: ToolCount[];
}

const SEARCH = 'ToolSearch';
const searchArguments = z.object({ query: z.string() });

/** Calls by tool of a condition: those of the server first, then by name. */
export function toolCounts(condition: string, trials: Judged[]): ToolCount[] {
  const calls = callsOf(condition, trials);
  const names = new Set(calls.map(({ call }) => JSON.stringify([call.origin, call.asked_as])));
  const counts = [...names].map((name): ToolCount => {
    const mine = calls.filter(({ call }) => JSON.stringify([call.origin, call.asked_as]) === name);
    const having = (isSo: (call: CallReceipt) => boolean) => mine.filter(({ call }) => isSo(call)).length;
    const { origin = 'server', asked_as: tool = '' } = mine[0]?.call ?? {};
    return {
      ...{ condition, tool, origin, calls: mine.length, errors: having(({ is_error }) => is_error) },
      ...{ denied: having(isDenied), trials: distinct(mine.map(({ trial }) => trial)) },
    };
  });
  return counts.sort((a, b) => compareText(b.origin, a.origin) || compareText(a.tool, b.tool));
}

/** ToolSearch queries by kind; no entry for a kind that was not asked for. */
export function searchCounts(condition: string, trials: Judged[]): SearchCount[] {
  const asked = callsOf(condition, trials).flatMap(({ trial, call }) => {
    const query = searchArguments.safeParse(call.arguments).data?.query;
    return call.origin === 'host' && call.tool === SEARCH && query !== undefined ? [{ trial, query }] : [];
  });
  const kindOf = (query: string) => (/^\s*select:/i.test(query) ? 'select' : 'words');
  return (['select', 'words'] as const).flatMap((kind) => {
    const mine = asked.filter(({ query }) => kindOf(query) === kind);
    if (mine.length === 0) return [];
    const queries = distinct(mine.map(({ query }) => query));
    return [
      { condition, kind, calls: mine.length, queries, trials: distinct(mine.map(({ trial }) => trial)) },
    ];
  });
}

/** What wrong answers did; null where a condition has none. */
export function wrongAnswers(condition: string, trials: Judged[]): WrongAnswers | null {
  const wrong = trials.filter(
    ({ receipt, verdict }) => receipt.condition === condition && verdict === 'fail',
  );
  if (wrong.length === 0) return null;
  const having = (isSo: (calls: CallReceipt[]) => boolean) =>
    wrong.filter(({ receipt }) => isSo(receipt.calls)).map(({ trial }) => trial);
  const reached = (calls: CallReceipt[]) => calls.some(reachedServer);
  return {
    condition,
    called: having(reached),
    host_tools: having((calls) => calls.length > 0 && !reached(calls)),
    nothing: having((calls) => calls.length === 0),
    denied: having((calls) => calls.some(isDenied)),
    tools: toolCounts(condition, wrong),
  };
}

export function isDenied({ error_code }: CallReceipt): boolean {
  return error_code === 'PERMISSION_DENIED';
}

function callsOf(condition: string, trials: Judged[]): { trial: string; call: CallReceipt }[] {
  return trials
    .filter(({ receipt }) => receipt.condition === condition)
    .flatMap(({ trial, receipt }) => receipt.calls.map((call) => ({ trial, call })));
}

function distinct(texts: string[]): string[] {
  return [...new Set(texts)];
}

/** By code units, so that every machine has the same order. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
