/** Which process serves a condition: the study's command with its placeholders filled in. */
import { fileURLToPath } from 'node:url';
import { Problem } from '../events/problem.js';
import type { Condition, Study } from '../study/load.js';

/** What a server's command means by `measure`: this very program. */
export const PROGRAM = fileURLToPath(new URL('../../bin/run.js', import.meta.url));

export interface ServerCommand {
  argv: [string, ...string[]];
  /** Beside the fixed allow-list of the transport. */
  env: Record<string, string>;
  cwd: string;
}

/** Variables that hold credentials of the model's endpoint: no server is handed them. */
const CREDENTIALS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_CUSTOM_HEADERS'];

/**
 * The command of a condition's server. Throws `SERVER_PLACEHOLDER` for a {name} that means nothing, and
 * `SERVER_CREDENTIAL` where the study would hand on a credential of the model's endpoint.
 */
export function serverCommand(study: Study, condition: Condition): ServerCommand {
  const server = study.definition.servers[condition.server];
  if (server === undefined) throw new Error(`no server ${condition.server}`);
  const values = placeholders(study, condition);
  const [program = '', ...rest] = server.command.map((part) => fill(part, values, study.file));
  const argv: [string, ...string[]] =
    program === 'measure' ? [process.execPath, PROGRAM, ...rest] : [program, ...rest];
  const credential = server.env_from.find((name) => CREDENTIALS.includes(name));
  if (credential !== undefined) {
    const what = `\`env_from\` of the server "${condition.server}" names ${credential}, which no server is handed`;
    const todo = 'give the server a credential of its own under another name';
    throw new Problem({ code: 'SERVER_CREDENTIAL', what, todo, file: study.file });
  }
  const handedOn = server.env_from.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { argv, env: { ...Object.fromEntries(handedOn), ...server.env }, cwd: study.directory };
}

function placeholders(study: Study, condition: Condition): Map<string, string> {
  const values = new Map([
    ['study_dir', study.directory],
    ['condition', condition.name],
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
    throw new Problem({
      code: 'SERVER_PLACEHOLDER',
      what,
      todo: `use one of: ${[...values.keys()].join(', ')}`,
      file,
    });
  });
}
