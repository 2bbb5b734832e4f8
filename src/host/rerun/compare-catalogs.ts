/** The catalogs of two builds, side by side: what is gone, new and changed, and what all of it costs. */
import { type AdvertisedTool, advertise, advertisedFacts } from '../../events/advertise.js';
import { isObject } from '../wire/json.js';
import type { Pair } from './compare-calls.js';
import { firstDifference } from './difference.js';

/** What of a tool can change. `other`: title, annotations and whatever else it carries. */
export type Aspect = 'description' | 'input_schema' | 'output_schema' | 'other';

export interface ToolChange {
  tool: string;
  aspect: Aspect;
  /** The first difference in words. */
  difference: string;
}

/** What a server said of itself and of its tools. */
export interface Listing {
  /** Name and version, and the protocol that was agreed on. */
  server: string;
  instructions: string | null;
  /** Of every page, as received. */
  tools: unknown[];
}

export interface CatalogComparison {
  /** The trials in which these two catalogs met. */
  trials: string[];
  server: Pair<string>;
  instructions_changed: boolean;
  gone: string[];
  added: string[];
  changed: ToolChange[];
  /** Whether the tools that both have stand in another order. */
  reordered: boolean;
  /** Of all tools as a model is offered them. */
  bytes: Pair;
  /** The same in estimated tokens. */
  tokens: Pair;
}

/** Compares two listings of one trial; `allowed` are the tools that its condition advertises, null for all. Pure. */
export function compareCatalog(
  trial: string,
  allowed: string[] | null,
  before: Listing,
  after: Listing,
  estimate: (text: string) => number,
): CatalogComparison {
  const [a, b] = [byName(before.tools), byName(after.tools)];
  const [offeredBefore, offeredAfter] = [advertise(before.tools, allowed), advertise(after.tools, allowed)];
  const tokens = (tools: AdvertisedTool[]) =>
    tools.reduce((total, tool) => total + estimate(JSON.stringify(tool)), 0);
  const common = [...a.keys()].filter((name) => b.has(name));
  return {
    trials: [trial],
    server: { before: before.server, after: after.server },
    instructions_changed: before.instructions !== after.instructions,
    gone: [...a.keys()].filter((name) => !b.has(name)),
    added: [...b.keys()].filter((name) => !a.has(name)),
    changed: common.flatMap((name) => changesOf(name, a.get(name) ?? {}, b.get(name) ?? {})),
    reordered: common.join() !== [...b.keys()].filter((name) => a.has(name)).join(),
    bytes: { before: advertisedFacts(offeredBefore).bytes, after: advertisedFacts(offeredAfter).bytes },
    tokens: { before: tokens(offeredBefore), after: tokens(offeredAfter) },
  };
}

/** One comparison for all trials in which the same catalogs met. */
export function merged(comparisons: CatalogComparison[]): CatalogComparison[] {
  const found = new Map<string, CatalogComparison>();
  for (const comparison of comparisons) {
    const key = JSON.stringify({ ...comparison, trials: [] });
    const known = found.get(key);
    const trials = [...(known?.trials ?? []), ...comparison.trials];
    found.set(key, { ...comparison, trials });
  }
  return [...found.values()];
}

/** Tools by their names; the first of a name counts, and what has no name is no tool. */
function byName(tools: unknown[]): Map<string, Record<string, unknown>> {
  const named = new Map<string, Record<string, unknown>>();
  for (const tool of tools) {
    if (isObject(tool) && typeof tool.name === 'string' && !named.has(tool.name)) named.set(tool.name, tool);
  }
  return named;
}

function changesOf(
  tool: string,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): ToolChange[] {
  const [a, b] = [partsOf(before), partsOf(after)];
  return ASPECTS.flatMap((aspect) => {
    const difference = firstDifference(a[aspect], b[aspect]);
    return difference === null ? [] : [{ tool, aspect, difference }];
  });
}

const ASPECTS: readonly Aspect[] = ['description', 'input_schema', 'output_schema', 'other'];

function partsOf(tool: Record<string, unknown>): Record<Aspect, unknown> {
  const { name: _name, description, inputSchema, outputSchema, ...other } = tool;
  return { description, input_schema: inputSchema, output_schema: outputSchema, other };
}
