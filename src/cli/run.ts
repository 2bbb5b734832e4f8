/** Runs the command line: output that ends quietly in a closed pipe, and errors that a person can use. */
import { Config, Errors, flush, handle, run } from '@oclif/core';
import { watchStdout, writeOut } from './stdout.js';

/** Runs the command that `process.argv` names; `root` is the folder of package.json. */
export async function runCli(root: string): Promise<void> {
  watchStdout();
  process.once('uncaughtException', (error) => {
    process.stderr.write(`measure: unexpected: ${error.message}\n`);
    process.exit(3);
  });
  try {
    await run(process.argv.slice(2), await Config.load({ root }));
    await flush();
  } catch (error) {
    if (error instanceof Errors.CLIError && process.argv.includes('--json')) return printUsageError(error);
    await handle(error instanceof Error ? usageExit(error) : new Error(String(error)));
  }
}

/** A usage error that no command could report, because there is no such command. */
async function printUsageError({ message }: Error): Promise<void> {
  process.exitCode = 2;
  await writeOut(`${JSON.stringify({ error: { code: 'USAGE', message, exit: 2 } }, null, 2)}\n`);
}

/** Usage errors exit with 2, and so does whatever the framework did not name: 1 is a verdict. */
function usageExit(error: Error): Error {
  if (error instanceof Errors.CLIError && error.oclif.exit === 1) error.oclif.exit = 2;
  return error;
}
