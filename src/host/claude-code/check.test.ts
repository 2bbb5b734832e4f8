/** What is refused before Claude Code is started. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ceilingOf } from '../ceiling.js';
import { prepare } from '../prepare.js';
import { NOTES, writeClaudeStudy } from './claude.test.support.js';

function refusal(
  test: TestContext,
  code: string,
  message: RegExp,
  change: Record<string, unknown>,
  choice: { model?: string; proxy?: boolean; host?: 'scripted' } = {},
): void {
  const study = writeClaudeStudy(test, change);
  assert.throws(() => prepare({ study, ...choice }, {}), { name: 'Problem', code, message });
}

const notes = { command: NOTES };

describe('a study for Claude Code', () => {
  it('needs no system text, no key for the scripted model, and may have conditions without a server', (test) => {
    const conditions = { bare: {}, with: { server: 'notes' } };
    const { host, model, script, claude } = prepare({ study: writeClaudeStudy(test, { conditions }) }, {});
    assert.deepEqual([host, model, script === null], ['claude-code', 'scripted', false]);
    assert.deepEqual(claude, { command: undefined, proxy: false });
  });

  it('is not made billable by a variable', (test) => {
    const env = { MEASURE_MODEL: 'claude-sonnet-4-5', ANTHROPIC_API_KEY: 'sk-1' };
    assert.equal(prepare({ study: writeClaudeStudy(test) }, env).model, 'scripted');
  });

  it('asks for a credential of a model that is billed, whichever of them', (test) => {
    const study = writeClaudeStudy(test);
    const choice = { study, model: 'claude-sonnet-4-5' };
    assert.equal(prepare(choice, { CLAUDE_CODE_OAUTH_TOKEN: 'token' }).script, null);
    refusal(test, 'API_KEY_REQUIRED', /CLAUDE_CODE_OAUTH_TOKEN is set/, {}, { model: 'm' });
  });

  it('cannot have a server behind a URL, which no tap can stand in front of', (test) => {
    const servers = { notes: { url: 'http://127.0.0.1:9/mcp' } };
    refusal(test, 'SERVER_UNSUPPORTED', /only servers on stdio are recorded/, { servers });
  });

  it('cannot leave fields out of results', (test) => {
    const conditions = { one: { server: 'notes', controls: ['select'] } };
    refusal(test, 'CONTROL_UNSUPPORTED', /hands results on as they come/, { conditions, select: ['x'] });
  });

  it('cannot ask what would be taken for a command', (test) => {
    const phrasings = { bare: '{question}', slash: '/{question}' };
    refusal(test, 'PROMPT_IS_COMMAND', /"key" in the phrasing "slash"/, { phrasings });
  });

  it('cannot ask what would send a file along; an address is none', (test) => {
    const phrasings = { mail: 'For me@example.org: {question}', file: '{question} See @/etc/hosts' };
    refusal(test, 'PROMPT_ATTACHES_FILE', /"key" in the phrasing "file"/, { phrasings });
  });

  it('can take as many calls as the command makes by itself, at a cost that is not bounded', (test) => {
    const study = writeClaudeStudy(test, {}, { max_turns: 5, launch_retries: 1 });
    const choice = { study, tasks: ['key'], model: 'claude-opus-4-1' };
    assert.deepEqual(ceilingOf(prepare(choice, { ANTHROPIC_API_KEY: 'sk-1' })), {
      ...{ trials: 1, probes: 0, attempts: 6, calls: 30, output_tokens: null },
      ...{ input_tokens: 6_000_000, usd: null },
    });
  });

  it('has a proxy only where Claude Code is the host', (test) => {
    const choice = { host: 'scripted' as const, proxy: true };
    refusal(test, 'PROXY_UNSUPPORTED', /leave --proxy out/, { system: 'S', servers: { notes } }, choice);
  });
});
