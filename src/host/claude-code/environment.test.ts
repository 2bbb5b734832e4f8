/** What Claude Code is told by variables, and what it is not. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claudeEnvironment } from './environment.js';

const place = {
  ...{ folder: '/run/x', home: '/run/x/home', tap: '/run/x/tap' },
  ...{ work: '/tmp/work-1', cwd: '/tmp/work-1/folder', tmp: '/tmp/work-1/tmp' },
};
const choice = {
  ...{ place, baseURL: null, scripted: false, toolSearch: true, connectTimeoutMs: 30_000 },
  ...{ toolTimeoutMs: 10_000, settings: {}, handedOn: [] },
};
const USER = {
  ...{ PATH: '/bin', HOME: '/home/me', ANTHROPIC_API_KEY: 'sk-1', ANTHROPIC_BASE_URL: 'http://elsewhere' },
  ...{ CLAUDE_CONFIG_DIR: '/home/me/.claude', ENABLE_TOOL_SEARCH: 'auto', NOTES_TOKEN: 't', EDITOR: 'vi' },
};

describe('the environment of Claude Code', () => {
  it('names every variable; of the user it has the path and the credentials', () => {
    const { env, settings, env_names } = claudeEnvironment(choice, USER);
    assert.deepEqual(settings, {
      ...{ CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1', CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1' },
      ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', CLAUDE_CODE_MAX_RETRIES: '2' },
      ...{ DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1', DISABLE_ERROR_REPORTING: '1' },
      ...{ LANG: 'C.UTF-8', TERM: 'dumb', HOME: '/run/x/home', TMPDIR: '/tmp/work-1/tmp' },
      ...{ ENABLE_TOOL_SEARCH: 'true', MCP_TIMEOUT: '30000', MCP_TOOL_TIMEOUT: '10000' },
    });
    assert.deepEqual(env, { ...settings, PATH: '/bin', ANTHROPIC_API_KEY: 'sk-1' });
    assert.deepEqual(env_names, Object.keys(env).sort());
  });

  it('has no credential where the model is the scripted one', () => {
    const told = { ...choice, scripted: true, baseURL: 'http://127.0.0.1:1' };
    const { env } = claudeEnvironment(told, { ...USER, HTTPS_PROXY: 'http://proxy' });
    assert.deepEqual(
      [env.ANTHROPIC_API_KEY, env.ANTHROPIC_BASE_URL, env.HTTPS_PROXY],
      ['scripted', 'http://127.0.0.1:1', undefined],
    );
  });

  it('has what the condition says, but for what the host decides', () => {
    const given = { MAX_THINKING_TOKENS: '0', TERM: 'xterm', HOME: '/home/me', ENABLE_TOOL_SEARCH: 'auto' };
    const { settings } = claudeEnvironment({ ...choice, toolSearch: false, settings: given }, USER);
    assert.deepEqual(
      [settings.MAX_THINKING_TOKENS, settings.TERM, settings.HOME, settings.ENABLE_TOOL_SEARCH],
      ['0', 'xterm', '/run/x/home', 'false'],
    );
  });

  it('hands on what a server asks for, by name: its value is no setting', () => {
    const { env, settings } = claudeEnvironment({ ...choice, handedOn: ['NOTES_TOKEN', 'UNSET'] }, USER);
    assert.deepEqual([env.NOTES_TOKEN, 'UNSET' in env, 'NOTES_TOKEN' in settings], ['t', false, false]);
  });
});
