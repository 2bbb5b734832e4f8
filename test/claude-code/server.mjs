/**
 * A notes server on stdio with the real SDK, which does as NOTES_MODE says: answers (where it is not set), prints a stray
 * line, is silent or gone at its start, answers a call late or never, dies of it, or has more tools.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const MODE = process.env.NOTES_MODE ?? 'ok';
const NOTES = { n1: '# Budget\nThe budget is 4,200 euros.', n2: '# Team\nSix people.' };
/** More than a host waits for. */
const LONG_MS = 600_000;
/** More than it waits for in the scene that says so, less than until its end. */
const LATE_MS = 3000;

const text = (string) => ({ content: [{ type: 'text', text: string }] });
const refuse = (string) => ({ isError: true, ...text(string) });

function notes() {
  const server = new McpServer(
    { name: 'test-notes', version: '1.0.0' },
    { capabilities: { tools: {} }, instructions: 'Notes of the user. Search them before you answer.' },
  );
  const tool = (name, description, inputSchema, answer) =>
    server.registerTool(name, { description, inputSchema: z.object(inputSchema) }, async (call) => {
      if (MODE === 'dies') process.exit(7);
      if (MODE === 'late') await new Promise((resolve) => setTimeout(resolve, LATE_MS));
      if (MODE === 'hangs') await new Promise((resolve) => setTimeout(resolve, LONG_MS));
      return answer(call);
    });
  tool('search_notes', 'Search the notes.', { query: z.string() }, () =>
    text('[{"id":"n1","title":"Budget"}]'),
  );
  tool('read_note', 'Read one note.', { id: z.string() }, ({ id }) =>
    NOTES[id] ? text(NOTES[id]) : refuse(`no note ${id}`),
  );
  if (MODE !== 'more') return server;
  tool('export_notes', 'Export all notes.', {}, () => text('The budget is 4,200 euros. '.repeat(120)));
  tool('draw_note', 'Draw a note.', {}, () => ({
    content: [
      { type: 'text', text: 'A drawing:' },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
    ],
    structuredContent: { width: 1, height: 1 },
  }));
  return server;
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const serve = () => serveStdio(notes, { transport: new StdioServerTransport() });

if (MODE === 'exits') {
  process.stderr.write('notes: no such folder\n');
  process.exitCode = 3;
} else if (MODE === 'silent') {
  setTimeout(() => {}, LONG_MS);
} else {
  if (MODE === 'stray') process.stdout.write('notes: 2 notes indexed\n');
  if (MODE === 'partial') process.stdout.write('loading... ');
  serve();
}
