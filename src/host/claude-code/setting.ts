/** What one launch of Claude Code is started with. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../events/bytes.js';
import type { BodyOf } from '../../events/event.js';
import type { Part } from '../trial.js';
import type { Calls } from './calls.js';
import { claudeArguments, type McpConfig, mcpConfig, type OfferedServer } from './config.js';
import type { ClaudeRun } from './context.js';
import { claudeEnvironment, type Environment } from './environment.js';
import type { Place } from './home.js';
import { offeredServer } from './server.js';

/** Which launch of which trial, and where. */
export interface LaunchPlan {
  part: Part;
  prompt: string;
  /** From 1. */
  number: number;
  place: Place;
  /** What hears the model calls; null without a proxy. */
  calls: Calls | null;
}

export interface Setting {
  argv: readonly [string, ...string[]];
  environment: Environment;
  server: OfferedServer | null;
  servers: McpConfig;
  /** Files of its output. */
  stdout: string;
  stderr: string;
}

/** Decides what a launch is started with, and writes the configuration that it reads. */
export function settingOf(run: ClaudeRun, plan: LaunchPlan, baseURL: string | null): Setting {
  const { part, place, prompt } = plan;
  const { study, limits, claude } = run;
  const { condition, planned } = part;
  const server = offeredServer(study, condition, run.env, planned.id);
  const servers = mcpConfig(server, place);
  const file = (name: string) => join(place.folder, `${stemOf(plan)}.${name}`);
  writeFileSync(file('mcp.json'), JSON.stringify(servers), { mode: 0o600, flag: 'wx' });
  const argv = claudeArguments({
    ...{ cli: claude.cli, model: claude.model, maxTurns: limits.max_turns, config: file('mcp.json'), prompt },
    server: server === null ? null : { called: server.called, tools: condition.tools },
    disallowedTools: study.definition.claude_code.disallowed_tools,
    system: study.definition.system ?? null,
  });
  const environment = claudeEnvironment(
    {
      ...{ place, baseURL, scripted: claude.scripted, toolSearch: condition.tool_search },
      ...{ connectTimeoutMs: limits.connect_timeout_ms, toolTimeoutMs: limits.tool_timeout_ms },
      ...{ settings: condition.settings, handedOn: server?.handedOn ?? [] },
    },
    run.env,
  );
  return { argv, environment, server, servers, stdout: file('stdout'), stderr: file('stderr') };
}

/** The event that says so, before anything is started. */
export function launchBody(run: ClaudeRun, plan: LaunchPlan, setting: Setting): BodyOf<'launch'> {
  const { path, sha256: hash, version } = run.claude.cli;
  const { settings, env_names } = setting.environment;
  return {
    ...{ type: 'launch', trial: plan.part.planned.id, launch: plan.number },
    ...{ program_path: path, program_sha256: hash, program_version: version },
    ...{ home: plan.part.condition.home, argv: [...setting.argv], settings, env_names },
    servers: setting.servers,
  };
}

/** A name for the files of a launch that no other launch in this folder has, and that tells nothing of the trial. */
function stemOf({ part, number }: LaunchPlan): string {
  return `${sha256(part.planned.id).slice(0, 8)}-${part.attempt}-${number}`;
}
