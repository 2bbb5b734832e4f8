/** A host's configuration file: which servers it names, with their variables filled in as Claude Code does. */
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { Problem } from '../../events/problem.js';
import { parseInput, readInput } from '../../study/document.js';
import type { ServerSpec } from '../mcp.js';
import { type FindingKind, finding, type Outcome } from './finding.js';
import { listed } from './words.js';

const VARIABLE_UNSET: FindingKind = {
  code: 'variable-unset',
  group: 'launch',
  severity: 'warning',
  why: 'Claude Code hands such a placeholder on as it stands, so that the server gets it for a value',
  fix: `set the variable where the host runs, or give a default: \${NAME:-value}`,
};

/** Every kind of finding that this file makes. */
export const CONFIG_KINDS = [VARIABLE_UNSET];

/** A server to look at: what it is called by hosts, and how it is reached. */
export interface Patient {
  /** Its name in the configuration; null where there is none, and its own name is taken. */
  name: string | null;
  spec: ServerSpec;
  /** What is odd about its configuration. */
  outcomes: Outcome[];
}

const texts = z.record(z.string(), z.string()).default({});
const entrySchema = z.looseObject({
  command: z.string().optional(),
  args: z.array(z.string()).default([]),
  env: texts,
  cwd: z.string().optional(),
  url: z.string().optional(),
  headers: texts,
});
const fileSchema = z.looseObject({ mcpServers: z.record(z.string(), entrySchema) });

type Entry = z.infer<typeof entrySchema>;
type Variables = Record<string, string | undefined>;

/**
 * The servers of a configuration file, all of them or the one called `only`. Commands run in the folder of the file unless
 * they name another. Throws `INVALID_CONFIG` where the file is none, and `UNKNOWN_SERVER` for a name that is not in it.
 */
export function patientsOf(file: string, only: string | null, variables: Variables): Patient[] {
  const { value } = parseInput(readInput(file), file, fileSchema, 'INVALID_CONFIG');
  const names = Object.keys(value.mcpServers);
  const wanted = only === null ? names : names.filter((name) => name === only);
  if (wanted.length === 0) {
    const what = only === null ? 'no server stands under mcpServers' : `no server is called ${only}`;
    const todo = names.length === 0 ? 'name one there' : `use one of: ${names.join(', ')}`;
    throw new Problem({ code: 'UNKNOWN_SERVER', what, todo, file });
  }
  return wanted.map((name) => patientOf(name, value.mcpServers[name], file, variables));
}

function patientOf(name: string, entry: Entry | undefined, file: string, variables: Variables): Patient {
  const unset = new Set<string>();
  const fill = (text: string) => expand(text, variables, unset);
  const spec = entry && specOf(entry, dirname(resolve(file)), fill);
  if (spec === undefined) {
    const what = `the server "${name}" has neither a command nor a url`;
    throw new Problem({ code: 'INVALID_CONFIG', what, todo: 'give it one', file });
  }
  const names = [...unset];
  const outcomes =
    names.length === 0
      ? []
      : [finding(VARIABLE_UNSET, `not set here: ${listed(names)}`, { variables: names })];
  return { name, spec, outcomes };
}

function specOf(entry: Entry, folder: string, fill: (text: string) => string): ServerSpec | undefined {
  const { command, args, env, cwd, url, headers } = entry;
  const filled = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, fill(value)]));
  if (url !== undefined) return { url: fill(url), headers: filled(headers) };
  if (command === undefined) return undefined;
  return {
    argv: [fill(command), ...args.map(fill)],
    env: filled(env),
    cwd: resolve(folder, fill(cwd ?? '.')),
  };
}

/** Fills in `${NAME}` and `${NAME:-default}`. What is not set and has no default stays, and its name goes to `unset`. */
export function expand(text: string, variables: Variables, unset: Set<string>): string {
  return text.replace(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (whole, name: string, fallback?: string) => {
      const value = variables[name] ?? fallback;
      if (value === undefined) unset.add(name);
      return value ?? whole;
    },
  );
}
