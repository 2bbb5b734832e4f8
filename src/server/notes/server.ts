/** The MCP face of the notes server: two tools over a folder of notes, under whatever names. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { measureVersion } from '../version.js';
import type { Named, Naming } from './naming.js';
import { namesOf } from './naming.js';
import type { Notes } from './notes.js';
import { Refusal } from './refusal.js';

export interface ServerOptions {
  naming: Naming;
  /** What hosts show their model of the server before any tool is loaded. */
  instructions: string | undefined;
  /** Names of tools that hosts are asked to load at once. */
  alwaysLoad: readonly string[];
}

const SEARCH = {
  query: z.string().describe('Words to look for.'),
  limit: z.number().int().min(1).max(10).default(3).describe('The most results to return.'),
};
const READ = { path: z.string().describe('A path as the search returns it.') };

/** A server over these notes, not yet connected to anything. The number of notes in a description is that of now. */
export function createServer(notes: Notes, options: ServerOptions): McpServer {
  const names = namesOf(options.naming, notes.count);
  const server = new McpServer(
    { name: names.server, version: measureVersion() },
    options.instructions === undefined ? {} : { instructions: options.instructions },
  );
  const facts = (named: Named) => factsOf(named, options.alwaysLoad);
  server.registerTool(
    names.search.name,
    { ...facts(names.search), inputSchema: SEARCH },
    ({ query, limit }) => resultOf(async () => JSON.stringify(await notes.search(query, limit), null, 2)),
  );
  server.registerTool(names.read.name, { ...facts(names.read), inputSchema: READ }, ({ path }) =>
    resultOf(() => notes.read(path)),
  );
  return server;
}

function factsOf({ name, description }: Named, alwaysLoad: readonly string[]) {
  const annotations = { readOnlyHint: true, openWorldHint: false };
  const facts = { description, annotations };
  return alwaysLoad.includes(name) ? { ...facts, _meta: { 'anthropic/alwaysLoad': true } } : facts;
}

/** A refusal is an error result whose text says why. */
async function resultOf(answer: () => Promise<string>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: await answer() }] };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { isError: true, content: [{ type: 'text', text: error.message }] };
  }
}
