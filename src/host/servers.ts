/** Which server serves a condition: the study's command or URL with its placeholders filled in. */
import { fileURLToPath } from 'node:url';
import { Problem } from '../events/problem.js';
import type { Condition, Study } from '../study/load.js';
import { CREDENTIALS } from './credentials.js';
import type { ServerSpec } from './mcp.js';
import { SECRET_NAMES, type Secret, secretsOf } from './redaction.js';
import { isServerUrl } from './wire/url.js';

/** What a server's command means by `measure`: this very program. */
export const PROGRAM = fileURLToPath(new URL('../../bin/run.js', import.meta.url));

/** No server is handed these. */
const KEPT_BACK = [...CREDENTIALS, 'ANTHROPIC_CUSTOM_HEADERS'];

/** Stands for a trial where a server is only checked. */
const ANY_TRIAL = 'trial';

type Server = Study['definition']['servers'][string];

/**
 * The server of a condition, as it is started or reached for a trial. Throws `SERVER_PLACEHOLDER` for a {name} that
 * means nothing, `SERVER_URL` for an address that is none, `SERVER_HEADER_UNSET` where the variable of a header is
 * unset, `SERVER_REQUIRED` where there is none, and `SERVER_CREDENTIAL` where the study would hand on a credential of the model's endpoint.
 */
export function serverSpec(
  study: Study,
  condition: Condition,
  env: NodeJS.ProcessEnv,
  trial: string = ANY_TRIAL,
): ServerSpec {
  const name = serverNameOf(condition, study);
  const server = study.definition.servers[name];
  if (server === undefined) throw new Error(`no server ${name}`);
  const values = placeholders(study, condition, trial);
  refuseCredentials(server, name, study.file);
  if (server.url !== undefined) {
    const url = fill(server.url, values, study.file);
    if (!isServerUrl(url)) throw badUrl(url, name, study.file);
    return { url, headers: headersOf(server, name, study.file, env) };
  }
  const [program = '', ...rest] = (server.command ?? []).map((part) => fill(part, values, study.file));
  const argv: [string, ...string[]] =
    program === 'measure' ? [process.execPath, PROGRAM, ...rest] : [program, ...rest];
  const handedOn = server.env_from.flatMap((variable) => {
    const value = env[variable];
    return value === undefined ? [] : [[variable, value] as const];
  });
  return { argv, env: { ...Object.fromEntries(handedOn), ...server.env }, cwd: study.directory };
}

/** The name of a condition's server. Throws `SERVER_REQUIRED` where it has none, which Claude Code alone can do. */
export function serverNameOf({ name, server }: Condition, { file }: Pick<Study, 'file'>): string {
  if (server !== null) return server;
  const what = `condition "${name}" has no server`;
  const todo = 'name one in the study, or choose other conditions with --condition, or --host claude-code';
  throw new Problem({ code: 'SERVER_REQUIRED', what, todo, file });
}

/** What servers are handed that must not reach a log: headers, and variables whose names say that they are secret. */
export function serverSecrets(study: Study, env: NodeJS.ProcessEnv): Secret[] {
  const servers = Object.values(study.definition.servers);
  const headers = servers.flatMap(({ headers_from }) => Object.values(headers_from));
  const variables = servers.flatMap(({ env_from }) => env_from).filter((name) => SECRET_NAMES.test(name));
  return [...new Set([...headers, ...variables])].flatMap((name) => secretsOf(name, env[name] ?? ''));
}

function headersOf(
  server: Server,
  name: string,
  file: string,
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  const headers = Object.entries(server.headers_from).map(([header, variable]) => {
    const value = env[variable]?.trim();
    if (value) return [header, value] as const;
    const what = `the header ${header} of the server "${name}" is to come from ${variable}, which is not set`;
    throw new Problem({
      code: 'SERVER_HEADER_UNSET',
      what,
      todo: `set ${variable} to its whole value`,
      file,
    });
  });
  return Object.fromEntries(headers);
}

function refuseCredentials({ env_from, headers_from }: Server, name: string, file: string): void {
  const handed = [...env_from, ...Object.values(headers_from)];
  const credential = handed.find((variable) => KEPT_BACK.includes(variable));
  if (credential === undefined) return;
  const what = `the server "${name}" asks for ${credential}, which no server is handed`;
  const todo = 'give the server a credential of its own under another name';
  throw new Problem({ code: 'SERVER_CREDENTIAL', what, todo, file });
}

function badUrl(url: string, name: string, file: string): Problem {
  const what = `the address of the server "${name}" is none of http or https: ${JSON.stringify(url)}`;
  return new Problem({ code: 'SERVER_URL', what, todo: 'write it as http://HOST:PORT/PATH', file });
}

function placeholders(study: Study, condition: Condition, trial: string): Map<string, string> {
  const values = new Map([
    ['study_dir', study.directory],
    ['condition', condition.name],
    ['trial', trial],
    ['controls', condition.controls.length === 0 ? 'none' : condition.controls.join(',')],
  ]);
  for (const input of study.inputs) {
    values.set(input.name, input.path);
    values.set(`${input.name}_sha256`, input.sha256);
  }
  return values;
}

/** Replaces each {name} of lower-case letters, digits and underscores. */
function fill(part: string, values: Map<string, string>, file: string): string {
  return part.replace(/\{([a-z][a-z0-9_]*)\}/g, (_whole, name: string) => {
    const value = values.get(name);
    if (value !== undefined) return value;
    const what = `a server's command has {${name}}, which means nothing here`;
    const todo = `use one of: ${[...values.keys()].join(', ')}`;
    throw new Problem({ code: 'SERVER_PLACEHOLDER', what, todo, file });
  });
}
