/** The arguments of the notes server. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Problem } from '../../events/problem.js';
import { onDisk } from '../../events/system-error.js';
import { NAMINGS, type Naming, namesOf } from './naming.js';
import type { ServerOptions } from './server.js';

/** The form of a command line, for errors. */
const USAGE =
  'measure serve notes DIR [--naming clear|vague] [--instructions TEXT|FILE] [--always-load TOOL|all]';

/**
 * Reads `DIR [--naming clear|vague] [--instructions TEXT|FILE] [--always-load TOOL]…`. Throws `INVALID_ARGUMENTS`, and
 * `INSTRUCTIONS_MISSING` for the name of a file that is not there.
 */
export function readOptions(argv: string[]): ServerOptions & { folder: string } {
  const { values, positionals } = parseOptions(argv);
  const [folder, ...more] = positionals;
  if (folder === undefined || folder === '' || more.length > 0)
    throw misused('one folder of notes is needed');
  const naming = namingOf(values.naming);
  const alwaysLoad = toolsOf(values['always-load'] ?? [], naming);
  return { folder, naming, instructions: instructionsOf(values.instructions), alwaysLoad };
}

function parseOptions(args: string[]) {
  const options = {
    naming: { type: 'string', default: 'clear' },
    instructions: { type: 'string' },
    'always-load': { type: 'string', multiple: true },
  } as const;
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw misused(error instanceof Error ? error.message : String(error));
  }
}

function namingOf(value: string): Naming {
  const naming = NAMINGS.find((each) => each === value);
  if (naming === undefined) throw misused(`"${value}" is not a naming`);
  return naming;
}

/** The names of tools under this naming; `all` for each of them. */
function toolsOf(values: readonly string[], naming: Naming): string[] {
  const { search, read } = namesOf(naming, 0);
  const offered = [search.name, read.name];
  const unknown = values.find((value) => value !== 'all' && !offered.includes(value));
  if (unknown !== undefined)
    throw misused(`--always-load ${unknown}: the tools are ${offered.join(' and ')} here`);
  return values.includes('all') ? offered : [...values];
}

/** The text of an existing file, else the words themselves; undefined where there are none. */
function instructionsOf(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = isFile(value) ? readText(value) : value;
  if (text === value && looksLikeFile(value)) {
    const what = 'there is no such file, and these are hardly instructions';
    const todo = 'check the name, or give a text of several words';
    throw new Problem({ code: 'INSTRUCTIONS_MISSING', what, todo, file: value });
  }
  return text.trim() === '' ? undefined : text.trim();
}

function isFile(value: string): boolean {
  return !value.includes('\0') && existsSync(value) && statSync(value).isFile();
}

function readText(file: string): string {
  const facts = { code: 'INSTRUCTIONS_UNREADABLE', what: 'the instructions cannot be read', file };
  return onDisk(facts, () => readFileSync(file, 'utf8'));
}

function looksLikeFile(value: string): boolean {
  return /^\S+$/.test(value) && /[/\\]|\.(?:txt|md|markdown)$/i.test(value);
}

function misused(what: string): Problem {
  return new Problem({ code: 'INVALID_ARGUMENTS', what, todo: USAGE });
}
