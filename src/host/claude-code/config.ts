/** What Claude Code is started with: the MCP configuration, with our tap in front of the server, and the arguments. */
import type { CommandSpec } from '../mcp.js';
import { PROGRAM } from '../servers.js';
import type { ClaudeCli } from './cli.js';
import type { Place } from './home.js';

/** A server as the host is told of it. */
export interface OfferedServer {
  /** The name that the host knows it by, of characters that names of tools may have. */
  called: string;
  command: CommandSpec;
  /** Variables of the study, literally; those that are handed on by name are not among them. */
  env: Record<string, string>;
  /** Names of variables that are handed on. */
  handedOn: string[];
}

/** The MCP configuration of a launch. No value of a variable that is handed on by name stands in it. */
export interface McpConfig {
  mcpServers: Record<string, { type: 'stdio'; command: string; args: string[]; env: Record<string, string> }>;
}

/**
 * The server behind our tap, which hands it only what every server of a study gets. In a home that is kept, all of it
 * is the same at each launch: the command remembers servers by their arguments, variables and folder.
 */
export function mcpConfig(server: OfferedServer | null, { tap }: Place): McpConfig {
  if (server === null) return { mcpServers: {} };
  const { called, command, env, handedOn } = server;
  const names = [...Object.keys(env), ...handedOn];
  const args = [
    ...[PROGRAM, 'tap', '--spool', tap, '--name', called, '--env', names.join(','), '--cwd', command.cwd],
    ...['--', ...command.argv],
  ];
  return { mcpServers: { [called]: { type: 'stdio', command: process.execPath, args, env } } };
}

/** What the arguments say. */
export interface ArgumentChoice {
  cli: ClaudeCli;
  model: string;
  maxTurns: number;
  /** File of the MCP configuration. */
  config: string;
  /** Name of the server and tools of it that may be called, null for all; null where there is no server. */
  server: { called: string; tools: string[] | null } | null;
  disallowedTools: string[];
  /** Text that is added to the host's own system text, null for none. */
  system: string | null;
  prompt: string;
}

/** The command line of a launch. */
export function claudeArguments(choice: ArgumentChoice): [string, ...string[]] {
  const { cli, model, maxTurns, config, disallowedTools, system, prompt } = choice;
  return [
    ...([cli.path, '-p', '--output-format', 'stream-json', '--verbose'] as const),
    ...['--max-turns', String(maxTurns), '--model', model],
    ...['--mcp-config', config, '--strict-mcp-config', '--setting-sources', ''],
    ...flag('--allowedTools', allowedTools(choice.server)),
    ...flag('--disallowedTools', disallowedTools),
    ...(system === null ? [] : ['--append-system-prompt', system]),
    // What follows is a question, whatever it begins with.
    ...['--', prompt],
  ];
}

function allowedTools(server: ArgumentChoice['server']): string[] {
  if (server === null) return [];
  const all = `mcp__${server.called}`;
  return server.tools === null ? [all] : server.tools.map((tool) => `${all}__${tool}`);
}

function flag(name: string, values: string[]): string[] {
  return values.length === 0 ? [] : [name, ...values];
}
