/** A host's configuration file: which servers it names, with their variables filled in as Claude Code does. */
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { Problem } from '../../events/problem.js';
import { parseInput, readInput } from '../../study/document.js';
import type { ServerSpec } from '../mcp.js';
import { SECRET_NAMES, type Secret, secretsOf } from '../redaction.js';
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
  /** The command as it was written, before variables were filled in; null where that is the same. */
  written: string | null;
  /** What must not be shown: values of variables whose names say so. */
  secrets: Secret[];
}

const texts = z.record(z.string(), z.string()).default({});
const entrySchema = z.looseObject({
  command: z.string().optional(),
  args: z.array(z.string()).default([]),
  env: texts,
  cwd: z.string().optional(),
  url: z.string().optional(),
  headers: texts,
  disabled: z.boolean().default(false),
});
const entries = z.record(z.string(), entrySchema);
/** VS Code calls them `servers`. */
const fileSchema = z
  .looseObject({ mcpServers: entries.optional(), servers: entries.optional() })
  .refine(({ mcpServers, servers }) => (mcpServers ?? servers) !== undefined, {
    path: ['mcpServers'],
    message: 'is missing',
  });

type Entry = z.infer<typeof entrySchema>;
type Variables = Record<string, string | undefined>;

/**
 * The servers of a configuration file: those that are not disabled, or the one called `only`. Commands run in the folder of the file unless
 * they name another. Throws `INVALID_CONFIG` where the file is none, and `UNKNOWN_SERVER` for a name that is not in it.
 */
export function patientsOf(file: string, only: string | null, variables: Variables): Patient[] {
  const { value } = parseInput(readInput(file), file, fileSchema, 'INVALID_CONFIG');
  const servers = value.mcpServers ?? value.servers ?? {};
  const names = Object.keys(servers);
  const wanted = names.filter((name) => (only === null ? servers[name]?.disabled === false : name === only));
  if (wanted.length === 0) {
    const none = names.length === 0 ? 'no server stands under mcpServers' : 'every server is disabled';
    const what = only === null ? none : `no server is called ${only}`;
    const todo = names.length === 0 ? 'name one there' : `use one of: ${names.join(', ')}`;
    throw new Problem({ code: 'UNKNOWN_SERVER', what, todo, file });
  }
  return wanted.map((name) => patientOf(name, servers[name], file, variables));
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
  const written = entry?.command === undefined ? null : [entry.command, ...entry.args].join(' ');
  return { name, spec, outcomes, written, secrets: secretsOfConfig(spec, variables) };
}

/** Variables of ours that the file may name, and those that it sets itself. */
function secretsOfConfig(spec: ServerSpec, variables: Variables): Secret[] {
  const named = Object.entries({ ...variables, ...('env' in spec ? spec.env : {}) });
  return named
    .filter(([name, value]) => SECRET_NAMES.test(name) && value?.startsWith('${') === false)
    .flatMap(([name, value]) => secretsOf(name, value ?? ''));
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
