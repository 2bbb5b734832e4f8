/** What a command line asks to be examined. */

import { jsonOf } from '../../events/answer.js';
import { Problem } from '../../events/problem.js';
import { isObject, type JsonObject } from '../wire/json.js';
import { isAddress, serverUrl } from '../wire/url.js';
import { expand, type Patient, patientsOf } from './host-config.js';

/** The flags that say which servers, and how they are reached. */
export interface Choice {
  config?: string | undefined;
  server?: string | undefined;
  name?: string | undefined;
  env?: string[] | undefined;
  header?: string[] | undefined;
}

type Variables = Record<string, string | undefined>;

/** A command line is shown as it was typed. */
const AS_WRITTEN = { outcomes: [], written: null, secrets: [] };

/** The servers to examine: of a configuration file, a command, or a URL. Throws `USAGE` where it is not exactly one of them. */
export function patientsFrom(argv: string[], choice: Choice, variables: Variables): Patient[] {
  const [first, ...rest] = argv;
  const { config, server = null, name = null, env = [], header = [] } = choice;
  if (config !== undefined) {
    if (argv.length > 0) throw usage('both a configuration file and a server are given', 'give one of them');
    if (env.length + header.length > 0)
      throw usage('--env and --header go with a command or a URL', 'put them into the configuration file');
    return patientsOf(config, server, variables);
  }
  if (first === undefined)
    throw usage(
      'there is no server',
      'write: measure doctor -- COMMAND, measure doctor URL, or --config FILE',
    );
  if (isAddress(first) && rest.length === 0) {
    if (env.length > 0) throw usage('--env goes with a command', 'leave it out for a URL');
    serverUrl(first);
    return [{ name, spec: { url: first, headers: headersFrom(header, variables) }, ...AS_WRITTEN }];
  }
  if (header.length > 0) throw usage('--header goes with a URL', 'leave it out for a command');
  const spec = {
    argv: [first, ...rest] as [string, ...string[]],
    env: variablesFrom(env, variables),
    cwd: process.cwd(),
  };
  return [{ name, spec, ...AS_WRITTEN }];
}

/** The call that the user asks for, null where none; `servers` is the number of servers. Throws `USAGE`. */
export function wishFrom(
  { call, arguments: json }: { call?: string | undefined; arguments?: string | undefined },
  servers: number,
): { tool: string; arguments: JsonObject } | null {
  if (call === undefined) return null;
  if (servers > 1) throw usage('--call is for one server', 'pick one with --server');
  const value = json === undefined ? {} : jsonOf(json);
  if (!isObject(value)) throw usage('--arguments is no JSON object', `write it as '{"query": "…"}'`);
  return { tool: call, arguments: value };
}

function variablesFrom(settings: string[], variables: Variables): Record<string, string> {
  return Object.fromEntries(
    settings.map((setting) => {
      const [, name, value] = /^([^=]+)(?:=([\s\S]*))?$/.exec(setting) ?? [];
      if (name === undefined) throw usage(`--env ${setting} names no variable`, 'write NAME or NAME=VALUE');
      const here = value ?? variables[name];
      if (here === undefined) throw usage(`--env ${name}: it is not set here`, 'set it, or write NAME=VALUE');
      return [name, here];
    }),
  );
}

function headersFrom(headers: string[], variables: Variables): Record<string, string> {
  return Object.fromEntries(
    headers.map((header) => {
      const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(header) ?? [];
      if (name === undefined || value === undefined)
        throw usage('a --header has no name', 'write "Name: value"');
      const unset = new Set<string>();
      const filled = expand(value, variables, unset);
      if (unset.size > 0) throw usage(`--header ${name}: ${[...unset].join(', ')} is not set here`, 'set it');
      return [name, filled];
    }),
  );
}

function usage(what: string, todo: string): Problem {
  return new Problem({ code: 'USAGE', what, todo });
}
