/** The other build of a server: from what a person wrote to a server like those of a study. */
import { Problem } from '../../events/problem.js';
import type { Condition, Study } from '../../study/load.js';
import { studySchema } from '../../study/schema.js';
import { isAddress } from '../wire/url.js';
import { splitCommandLine } from './command-line.js';

/** A server as it was named. */
export interface ServerChoice {
  /** A command line or a URL. */
  server?: string | undefined;
  /** A command in words, in place of `server`; empty where that is given. */
  command: string[];
  /** Headers for a URL: `NAME=VARIABLE`. */
  headers: string[];
  /** Variables to hand on to a command. */
  env_from: string[];
}

/** Stands where a problem of the server would name the file of a study. */
const FLAG = '--server';
/** The name of the one server. */
export const SERVER = 'server';

/**
 * A study of nothing but this server. Throws `SERVER_REQUIRED` where none or two are named, `SERVER_HEADER` for a header
 * that is none or that a command is given, and `COMMAND_LINE` as `splitCommandLine` does.
 */
export function studyOfServer(choice: ServerChoice, directory: string): Study {
  const definition = studySchema.parse({
    ...{ name: SERVER, system: 'none', tasks: 'none', conditions: { any: { server: SERVER } } },
    servers: { [SERVER]: serverFields(choice) },
  });
  return { file: FLAG, directory, definition, conditions: [], tasks: [], inputs: [], records: null };
}

/** The recorded condition, met by the other build. Without one, every tool is advertised and nothing is left out. */
export function conditionOf(
  name: string,
  recorded: Pick<Condition, 'controls' | 'tools' | 'select'> | undefined,
): Condition {
  const { controls = [], tools = null, select = [] } = recorded ?? {};
  return {
    ...{ name, server: SERVER, controls, tools, select },
    ...{ tool_search: true, home: 'fresh', settings: {} },
  };
}

function serverFields({ server, command, headers, env_from }: ServerChoice) {
  const url = server !== undefined && isAddress(server.trim()) ? server.trim() : null;
  const words = server === undefined || url !== null ? command : [...splitCommandLine(server), ...command];
  if ((server !== undefined && command.length > 0) || (url === null && words.length === 0)) throw required();
  if (url !== null) return { url, headers_from: Object.fromEntries(headers.map(headerOf)) };
  if (headers.length > 0) throw badHeader('headers go with a URL, and this server is a command');
  return { command: words, env_from };
}

function headerOf(text: string): [string, string] {
  const [, name, variable] = /^([A-Za-z0-9-]+)=([A-Za-z_][A-Za-z0-9_]*)$/.exec(text) ?? [];
  if (name !== undefined && variable !== undefined) return [name, variable];
  throw badHeader(`${JSON.stringify(text)} is no header and variable`);
}

function badHeader(what: string): Problem {
  const todo = 'write it as NAME=ENV_VAR: the variable holds the whole value, which is never recorded';
  return new Problem({ code: 'SERVER_HEADER', what, todo });
}

function required(): Problem {
  const todo = "give --server 'COMMAND ARGS…', --server URL, or -- COMMAND ARGS… after the flags";
  return new Problem({ code: 'SERVER_REQUIRED', what: 'one server has to be named', todo });
}
