/** The MCP face of the records server: which tools it offers, their schemas, and how an answer becomes a result. */
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Control } from '../../study/controls.js';
import type { Answer, RecordsTools } from './tools.js';

const ID = z.object({ id: z.string().min(1) });
const NOTHING = z.object({});
const FIND_ALL = z.object({
  matchField: z.string(),
  matchValue: z.string(),
  fields: z.array(z.string()).max(20),
});
const FIND = FIND_ALL.extend({ cursor: z.string().optional() });
const COUNT_ALL = z.object({ field: z.string(), value: z.string() });
const COUNT = COUNT_ALL.extend({ cursor: z.string().optional() });

/** A server that offers what the controls leave: see the table in `tools.ts`. Not yet connected to anything. */
export function createServer(tools: RecordsTools, controls: readonly Control[]): McpServer {
  const server = new McpServer(
    { name: 'measured-records', version: '1.0.0' },
    { capabilities: { tools: {} } },
  );
  const paged = controls.includes('paginate');
  const exact =
    'Get one record by its exact id, with every field that may be shown and the revision of the source.';
  server.registerTool('exact_record', { description: exact, inputSchema: ID }, (call) =>
    resultOf(tools.exact(call)),
  );
  if (controls.includes('filter')) {
    const description = `Search records by the exact value of one field. Name the fields to show. ${paged ? MORE : WHOLE}`;
    const inputSchema = paged ? FIND : FIND_ALL;
    server.registerTool('find_records', { description, inputSchema }, (call) => resultOf(tools.find(call)));
  } else {
    const description = 'Get all records of the snapshot, with every field that may be shown.';
    server.registerTool('list_records', { description, inputSchema: NOTHING }, () => resultOf(tools.list()));
  }
  if (controls.includes('count')) {
    const description = `Count the records with an exact value of one field, and list their ids. ${paged ? MORE : WHOLE}`;
    const inputSchema = paged ? COUNT : COUNT_ALL;
    server.registerTool('count_by_field', { description, inputSchema }, (call) =>
      resultOf(tools.count(call)),
    );
  }
  return server;
}

const MORE = 'Five matches come at a time, by id: pass nextCursor as cursor until it is null.';
const WHOLE = 'All matches come at once, by id.';

/** A refusal is an error result whose text is its code; anything else stands in the text and as structured content. */
function resultOf(answer: Answer): CallToolResult {
  if (typeof answer === 'string') return { isError: true, content: [{ type: 'text', text: answer }] };
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
}
