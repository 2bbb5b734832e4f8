/** Which tool may be called: one that says that it only reads, or one that the user named. */
import { isObject, type JsonObject } from '../wire/json.js';

/** A call to make. */
export interface ToolCall {
  tool: string;
  arguments: JsonObject;
  /** Whether it may be made more than once: the tool says that it only reads. */
  repeatable: boolean;
}

/** A call, or the reason why there is none. */
export type CallChoice = { call: ToolCall; why: null } | { call: null; why: string };

/**
 * The call to try. Without a wish of the user's it is the first tool with `readOnlyHint: true` and no required argument:
 * nothing else is safe to call on a server that nobody here knows.
 */
export function chooseCall(
  tools: unknown[],
  wish: { tool: string; arguments: JsonObject } | null,
): CallChoice {
  const known = tools.filter(isObject);
  if (wish !== null) {
    const tool = known.find(({ name }) => name === wish.tool);
    if (tool === undefined) return refuse(`no call was tried: the server lists no tool ${wish.tool}`);
    return { call: { ...wish, repeatable: onlyReads(tool) }, why: null };
  }
  const readers = known.filter(onlyReads);
  if (tools.length === 0) return refuse('no call was tried: the server lists no tool');
  if (readers.length === 0)
    return refuse('no call was tried: no tool is annotated readOnlyHint: true; name one with --call');
  const free = readers.find((tool) => typeof tool.name === 'string' && needsNothing(tool.inputSchema));
  if (typeof free?.name !== 'string')
    return refuse('no call was tried: every read-only tool needs arguments; use --call and --arguments');
  return { call: { tool: free.name, arguments: {}, repeatable: true }, why: null };
}

function refuse(why: string): CallChoice {
  return { call: null, why };
}

function onlyReads({ annotations }: JsonObject): boolean {
  return isObject(annotations) && annotations.readOnlyHint === true;
}

function needsNothing(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  return schema.required === undefined || (Array.isArray(schema.required) && schema.required.length === 0);
}
