/** The catalog of a trial: every page recorded, what no model can be offered left out and said, changes noticed. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { advertise, advertisedFacts, unusableTools } from '../events/advertise.js';
import type { Condition } from '../study/load.js';
import { TrialFailure } from './failure.js';
import { type CatalogPage, type FaultCode, faultOf, type McpSession, ServerFailure } from './mcp.js';
import type { ServerContext } from './run.js';
import { faultBody } from './session.js';

/** Lists the catalog. Throws `CATALOG_ERROR` where that fails, or a tool of the condition is not in it. */
export async function listCatalog(
  run: ServerContext,
  trial: string,
  condition: Condition,
  session: McpSession,
): Promise<void> {
  try {
    for await (const page of session.pages()) recordPage(run, trial, condition, page);
  } catch (error) {
    if (!(error instanceof ServerFailure) || error.code === 'SERVER_EXITED') throw error;
    throw new TrialFailure('CATALOG_ERROR', error.message);
  }
  compareCatalog(run, trial, condition.name);
  const offered = run.recorder.talk(trial).tools.map((tool) => tool.name);
  const missing = (condition.tools ?? []).filter((name) => !offered.includes(name));
  if (missing.length === 0) return;
  throw new TrialFailure(
    'CATALOG_ERROR',
    `the catalog lacks ${missing.join(', ')}, which the condition names`,
  );
}

/** Records a page, on the last what the host advertises of all of them, and each tool that no model can be offered. */
function recordPage(run: ServerContext, trial: string, condition: Condition, listed: CatalogPage): void {
  const { page, next_cursor, wire, elapsed_ms, tools } = listed;
  const earlier = run.recorder.talk(trial).tools;
  const seen = [...earlier, ...advertise(tools, condition.tools, earlier)];
  const advertised = next_cursor === null ? advertisedFacts(seen) : null;
  const raw = run.recorder.raw(listed.raw);
  run.recorder.append({
    type: 'catalog',
    trial,
    page,
    next_cursor,
    wire,
    elapsed_ms,
    advertised,
    tools,
    raw,
  });
  for (const reason of unusableTools(tools, earlier))
    warn(run, trial, 'BAD_TOOL', `${reason}; it is not offered to the model`);
}

/** Warns where a condition's server lists other tools than in an earlier trial. */
function compareCatalog(run: ServerContext, trial: string, condition: string): void {
  const tools = run.recorder.trial(trial).catalog;
  const first = run.seen.catalogs.get(condition);
  if (first === undefined) run.seen.catalogs.set(condition, { trial, tools });
  else if (!isDeepStrictEqual(first.tools, tools))
    warn(run, trial, 'CATALOG_DIFFERS', `${differences(first.tools, tools)} than in ${first.trial}`);
}

function differences(before: unknown[], after: unknown[]): string {
  const changed = after.filter((tool) => !before.some((other) => isDeepStrictEqual(other, tool))).map(nameOf);
  const gone = before.map(nameOf).filter((name) => !after.map(nameOf).includes(name));
  const words = [
    ...(changed.length === 0 ? [] : [`other: ${changed.join(', ')}`]),
    ...(gone.length === 0 ? [] : [`gone: ${gone.join(', ')}`]),
  ];
  return `the catalog is another (${words.join('; ') || 'the order of its tools'})`;
}

const named = z.object({ name: z.string() });

function nameOf(tool: unknown): string {
  return named.safeParse(tool).data?.name ?? 'an entry without a name';
}

function warn(run: ServerContext, trial: string, code: FaultCode, message: string): void {
  run.recorder.append(faultBody(run.recorder, trial, faultOf(code, 'warning', message, Buffer.alloc(0))));
}
