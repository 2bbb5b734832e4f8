/** What every command shares: where the store is, how results and problems are shown, and exit codes. */
import { Command, Errors, Flags } from '@oclif/core';
import { Problem } from '../events/problem.js';
import { Store } from '../events/store.js';
import { visible } from '../events/visible.js';
import { writeOut } from './stdout.js';

/** A command whose `run` returns a typed result: with `--json` that result is all that stdout gets. */
export abstract class MeasureCommand extends Command {
  static override enableJsonFlag = true;
  static override baseFlags = {
    store: Flags.string({
      summary: 'Folder of the store.',
      env: 'MEASURE_STORE',
      default: 'runs',
      helpGroup: 'GLOBAL',
      helpValue: 'DIR',
    }),
  };

  /** Writes a result for people, whatever others put into it made safe for a terminal; nothing with `--json`. */
  protected async print(text: string): Promise<void> {
    if (!this.jsonEnabled()) await writeOut(`${visibleLines(text.trimEnd())}\n`);
  }

  /** Writes a result for programs, as it is. */
  protected async printExactly(text: string): Promise<void> {
    if (!this.jsonEnabled()) await writeOut(text);
  }

  /** Writes something about the result, never the result. */
  protected note(text: string): void {
    process.stderr.write(`${visibleLines(text)}\n`);
  }

  /** Sets the exit code: 0 ok, 1 a verdict failed, 2 bad input, 3 incomplete or unverifiable. */
  protected exitWith(code: number): void {
    process.exitCode = code;
  }

  /** The runs that arguments name, `latest` where there are none. */
  protected runsOf(store: Store, names: string[]): string[] {
    return (names.length === 0 ? ['latest'] : names).map((name) => store.resolveRun(name));
  }

  override logJson(json: unknown): void {
    void writeOut(`${JSON.stringify(json, null, 2)}\n`);
  }

  protected override async catch(error: Error): Promise<unknown> {
    if (error instanceof Errors.ExitError) throw error;
    const exit = exitOf(error);
    process.exitCode = exit;
    if (this.jsonEnabled()) this.logJson({ error: describe(error, exit) });
    else if (error instanceof Problem) this.note(error.message);
    else if (error instanceof Errors.CLIError) throw error;
    else this.note(internalError(error));
    return undefined;
  }
}

function exitOf(error: Error): number {
  if (error instanceof Problem) return error.exit;
  return error instanceof Errors.CLIError ? 2 : 3;
}

function describe(error: Error, exit: number): Record<string, unknown> {
  if (!(error instanceof Problem)) {
    return { code: error instanceof Errors.CLIError ? 'USAGE' : 'INTERNAL', message: error.message, exit };
  }
  const { code, what, todo, file = null, line = null } = error.facts;
  return { code, message: error.message, what, todo, file, line, exit };
}

function internalError(error: Error): string {
  const detail = process.env.MEASURE_DEBUG ? `\n${error.stack ?? ''}` : ' (MEASURE_DEBUG=1 shows where)';
  return `measure: unexpected: ${error.message}${detail}`;
}

function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

export { Store };
