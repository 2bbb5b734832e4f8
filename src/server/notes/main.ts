/** The notes server as a program: arguments in, MCP on stdio until the client closes it. */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { Problem } from '../../events/problem.js';
import { systemCode } from '../../events/system-error.js';
import { visible } from '../../events/visible.js';
import { readOptions } from './options.js';
import type { ServerOptions } from './server.js';

/**
 * Serves the folder that the arguments name, see `readOptions`, on stdin and stdout. Ends with stdin. For bad arguments
 * or a bad folder it writes one line to stderr, nothing to stdout, and sets exit code 2.
 */
export async function main(argv: string[]): Promise<void> {
  try {
    const { folder, ...options } = readOptions(argv);
    await serve(openFolder(folder), options);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    process.stderr.write(`${visible(error.message)}\n`);
    process.exitCode = error.exit;
  }
}

/** Answers as soon as the names of the notes are known, and indexes meanwhile. Resolves when stdin has ended. */
async function serve(root: string, options: ServerOptions): Promise<void> {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const { createServer } = await import('./server.js');
  const { Notes } = await import('./notes.js');
  const begun = performance.now();
  const notes = new Notes(root, complain);
  const server = createServer(notes, options);
  server.server.onerror = ({ message }) => complain(message);
  const indexed = notes.index();
  endWithStreams(() => notes.close());
  await server.connect(new StdioServerTransport());
  const count = await indexed;
  if (count !== null) complain(`${count} notes indexed in ${Math.round(performance.now() - begun)} ms`);
}

/** Nothing else keeps the process: it ends once stdin has, and at once where nobody reads stdout any more. */
function endWithStreams(close: () => void): void {
  process.stdin.once('end', close);
  process.stdin.once('close', close);
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error) => {
    if (systemCode(error) === 'EPIPE') process.exit();
    complain(`stdout cannot be written (${systemCode(error)})`);
    process.exit(3);
  });
}

/** The real path of a folder that can be listed. Throws `NOTES_FOLDER_MISSING` for anything else. */
function openFolder(folder: string): string {
  const refuse = (what: string, todo: string) =>
    new Problem({ code: 'NOTES_FOLDER_MISSING', what, todo, file: folder });
  try {
    const root = realpathSync(folder);
    if (!statSync(root).isDirectory())
      throw refuse('this is not a folder', 'name the folder that holds the notes');
    readdirSync(root);
    return root;
  } catch (error) {
    if (error instanceof Problem) throw error;
    const code = systemCode(error);
    if (code === 'ENOENT')
      throw refuse('there is no such folder', 'check the path; it is taken from the working folder');
    throw refuse(`this folder cannot be read (${code})`, 'check its permissions');
  }
}

/** One line on stderr: stdout belongs to the protocol. */
function complain(what: string): void {
  process.stderr.write(`notes: ${visible(what)}\n`);
}
