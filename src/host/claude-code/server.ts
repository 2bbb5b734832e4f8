/** The server of a condition as Claude Code is told of it. */
import { Problem } from '../../events/problem.js';
import type { Condition, Study } from '../../study/load.js';
import { serverSpec } from '../servers.js';
import type { OfferedServer } from './config.js';

/**
 * The server that a condition offers, null for none. Throws what `serverSpec` throws, and `SERVER_UNSUPPORTED` for a
 * server behind a URL, which no tap can stand in front of.
 */
export function offeredServer(
  study: Study,
  condition: Condition,
  env: NodeJS.ProcessEnv,
  trial?: string,
): OfferedServer | null {
  const name = condition.server;
  const server = name === null ? undefined : study.definition.servers[name];
  if (name === null || server === undefined) return null;
  const command = serverSpec(study, condition, env, trial);
  if ('url' in command) {
    const what = `the server "${name}" is behind a URL, and under Claude Code only servers on stdio are recorded`;
    throw new Problem({ code: 'SERVER_UNSUPPORTED', what, todo: 'name its command', file: study.file });
  }
  const called = (server.called ?? name).replace(/[^A-Za-z0-9_-]/g, '_');
  return { called, command, env: server.env, handedOn: server.env_from };
}
