/** The environment of Claude Code: every variable is named here, and nothing else of the user's own is in it. */
import { CREDENTIALS } from '../credentials.js';
import type { Place } from './home.js';

/** What a launch is told by variables. */
export interface EnvironmentChoice {
  place: Place;
  /** Endpoint in place of the provider's own; null for that. */
  baseURL: string | null;
  /** Whether the model is the scripted one: then no credential is handed on, and no proxy of the network is used. */
  scripted: boolean;
  toolSearch: boolean;
  connectTimeoutMs: number;
  toolTimeoutMs: number;
  /** Of the condition, literally. */
  settings: Record<string, string>;
  /** Further variables to hand on, for the server. */
  handedOn: string[];
}

export interface Environment {
  env: Record<string, string>;
  /** Those that measure and the study set, literally. No credential is among them. */
  settings: Record<string, string>;
  /** Names of all, sorted. */
  env_names: string[];
}

/** Nothing is loaded that a user wrote, nothing is sent that is not asked for, and nothing is updated. */
const QUIET = {
  CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1',
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_MAX_RETRIES: '2',
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_ERROR_REPORTING: '1',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
};

/** Credentials, and what a network may ask for: handed on by name where the model is a provider's. */
const FOR_PROVIDER = [
  ...CREDENTIALS,
  'ANTHROPIC_CUSTOM_HEADERS',
  ...['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS'],
];

/** How often the command tries a model call again, under these settings of a condition. */
export function retriesOf(settings: Record<string, string>): number {
  const { CLAUDE_CODE_MAX_RETRIES: retries } = { ...QUIET, ...settings };
  return Number.isSafeInteger(Number(retries)) ? Number(retries) : Number(QUIET.CLAUDE_CODE_MAX_RETRIES);
}

/** The environment of one launch, out of `ours`. */
export function claudeEnvironment(choice: EnvironmentChoice, ours: NodeJS.ProcessEnv): Environment {
  const { place, baseURL, scripted, toolSearch, connectTimeoutMs, toolTimeoutMs } = choice;
  const settings = {
    ...{ ...QUIET, ...choice.settings },
    ...{ HOME: place.home, TMPDIR: place.tmp },
    ENABLE_TOOL_SEARCH: String(toolSearch),
    MCP_TIMEOUT: String(connectTimeoutMs),
    MCP_TOOL_TIMEOUT: String(toolTimeoutMs),
    ...(baseURL === null ? {} : { ANTHROPIC_BASE_URL: baseURL }),
  };
  const names = ['PATH', ...choice.handedOn, ...(scripted ? [] : FOR_PROVIDER)];
  const handedOn = names.flatMap((name) => {
    const value = ours[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  // The command refuses to begin without a key; the scripted model takes any.
  const key = scripted ? { ANTHROPIC_API_KEY: 'scripted' } : {};
  const env = { ...Object.fromEntries(handedOn), ...key, ...settings };
  return { env, settings, env_names: Object.keys(env).sort() };
}
