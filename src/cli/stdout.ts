/** Standard output: a closed pipe ends quietly, anything else that cannot be written is an error. */
import { writeSync } from 'node:fs';

/** Resolves once stdout took the whole text; `watchStdout` deals with a text that it cannot take. */
export function writeOut(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
}

/**
 * Ends the process when stdout fails: quietly behind `| head`, with exit code 3 on a full disk. What stderr cannot take is
 * lost, and stops nothing: a run under way is worth more than its progress.
 */
export function watchStdout(): void {
  process.stderr.on('error', () => {});
  // Before the framework's own listener, which throws.
  process.stdout.prependListener('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit();
    writeSync(2, `stdout: ${error.code}: the result cannot be written: free some space or write elsewhere\n`);
    process.exit(3);
  });
}
