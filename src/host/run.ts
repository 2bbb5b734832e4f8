/** What the parts of a run share. */
import type { Study } from '../study/load.js';
import type { ProtocolChoice } from '../study/protocols.js';
import type { Budget } from './budget.js';
import type { ClaudeContext } from './claude-code/context.js';
import type { ModelClient } from './messages.js';
import type { Recorder } from './recorder.js';

/** Limits of a session with a server. */
export interface ServerLimits {
  tool_timeout_ms: number;
  connect_timeout_ms: number;
  max_line_bytes: number;
}

/** Limits of a trial. */
export interface RunLimits extends ServerLimits {
  max_tokens: number;
  max_turns: number;
  model_timeout_ms: number;
  retries: number;
  /** Of one launch of a host that is a program of its own. */
  trial_timeout_ms: number;
  /** Further launches after one that gave nothing. */
  launch_retries: number;
}

/** What a session with a server needs of a run. */
export interface ServerContext {
  study: Study;
  recorder: Recorder;
  limits: ServerLimits;
  /** Where headers of servers and variables to hand on are looked up. */
  env: NodeJS.ProcessEnv;
  /** In place of the protocols of the study; null for those. */
  protocol: ProtocolChoice | null;
  seen: SeenServers;
}

/** What every trial of a run shares. */
export interface RunContext extends ServerContext {
  client: ModelClient;
  budget: Budget;
  /** Who counts the tokens: a provider, or the scripted model's tokenizer. */
  usage_source: 'provider' | 'estimate';
  limits: RunLimits;
  /** Where Claude Code is the host, else null. */
  claude: ClaudeContext | null;
}

/** What a run has learnt of its servers so far, so that later trials meet them alike, and a change is noticed. */
export interface SeenServers {
  /** The era that the first trial agreed on, by the name of the server. */
  eras: Map<string, 'legacy' | 'modern'>;
  /** Who listed which tools first, by the name of the condition. */
  catalogs: Map<string, { trial: string; tools: unknown[] }>;
}

/** Nothing is known yet. */
export function nothingSeen(): SeenServers {
  return { eras: new Map(), catalogs: new Map() };
}
