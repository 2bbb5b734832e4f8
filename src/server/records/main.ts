/** The records server as a program: arguments in, MCP on stdio until the client closes it. */
import { parseArgs } from 'node:util';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { Problem } from '../../events/problem.js';
import { type Control, parseControls } from '../../study/controls.js';
import { createServer } from './server.js';
import { openSource, type SourceFiles } from './source.js';
import { RecordsTools } from './tools.js';

/**
 * Serves `--snapshot FILE --fields FILE --controls none|all|LIST` on stdin and stdout, optionally only if the files
 * have the hashes `--expect-snapshot-sha256 H` and `--expect-fields-sha256 H`. Ends when the client closes stdin.
 * For bad arguments or files it writes one line to stderr, nothing to stdout, and sets exit code 2.
 */
export async function main(argv: string[]): Promise<void> {
  try {
    const { files, controls } = readArguments(argv);
    const tools = new RecordsTools(openSource(files), controls, Date.now);
    await serve(tools, controls);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    complain(error);
    process.exitCode = error.exit;
  }
}

/** Resolves when the connection has ended: the transport closes itself with stdin, or when stdout is gone. */
function serve(tools: RecordsTools, controls: readonly Control[]): Promise<void> {
  return new Promise((resolve) => {
    const transport = new StdioServerTransport();
    const close = transport.close.bind(transport);
    transport.close = () => close().finally(resolve);
    serveStdio(() => createServer(tools, controls), { transport, onerror: complain });
  });
}

function readArguments(argv: string[]): { files: SourceFiles; controls: Control[] } {
  const { snapshot, fields, controls, ...expected } = parseOptions(argv);
  if (snapshot === undefined || fields === undefined || controls === undefined) {
    throw misused('--snapshot, --fields and --controls are all needed');
  }
  const expectSnapshot = expected['expect-snapshot-sha256'];
  const expectFields = expected['expect-fields-sha256'];
  return { files: { snapshot, fields, expectSnapshot, expectFields }, controls: parseControls(controls) };
}

function parseOptions(args: string[]) {
  const options = {
    snapshot: { type: 'string' },
    fields: { type: 'string' },
    controls: { type: 'string' },
    'expect-snapshot-sha256': { type: 'string' },
    'expect-fields-sha256': { type: 'string' },
  } as const;
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw misused(error instanceof Error ? error.message : String(error));
  }
}

function misused(what: string): Problem {
  const todo = 'give --snapshot FILE --fields FILE --controls none|all|LIST';
  return new Problem({ code: 'INVALID_ARGUMENTS', what, todo });
}

/** One line on stderr: stdout belongs to the protocol. */
function complain({ message }: Error): void {
  process.stderr.write(`${message.replace(/\s*\n\s*/g, ' ')}\n`);
}
