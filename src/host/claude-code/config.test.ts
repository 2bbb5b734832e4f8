/** What Claude Code is started with, literally. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PROGRAM } from '../servers.js';
import { claudeArguments, mcpConfig } from './config.js';

const place = {
  ...{ folder: '/run/x', home: '/run/x/home', tap: '/run/x/tap' },
  ...{ work: '/tmp/work-1', cwd: '/tmp/work-1/folder', tmp: '/tmp/work-1/tmp' },
};
const cli = { named: 'claude', path: '/opt/claude', sha256: 'a', version: '2.1.332', identity: '1' };
const choice = {
  ...{ cli, model: 'scripted', maxTurns: 12, config: '/run/x/mcp.json', server: null, disallowedTools: [] },
  ...{ system: null, prompt: 'Where?' },
};

describe('the MCP configuration', () => {
  it('has the server behind our tap, which hands it the variables of the study and nothing else', () => {
    const server = {
      ...{ called: 'notes', env: { LANG: 'C' }, handedOn: ['NOTES_TOKEN'] },
      command: {
        argv: ['node', 'server.mjs'] as [string, ...string[]],
        env: { LANG: 'C', NOTES_TOKEN: 'a secret' },
        cwd: '/study',
      },
    };
    const config = mcpConfig(server, place);
    assert.deepEqual(config, {
      mcpServers: {
        notes: {
          ...{ type: 'stdio', command: process.execPath, env: { LANG: 'C' } },
          args: [
            ...[PROGRAM, 'tap', '--spool', '/run/x/tap', '--name', 'notes', '--env', 'LANG,NOTES_TOKEN'],
            ...['--cwd', '/study', '--', 'node', 'server.mjs'],
          ],
        },
      },
    });
    assert.equal(JSON.stringify(config).includes('a secret'), false);
  });

  it('is empty for a condition without a server', () => {
    assert.deepEqual(mcpConfig(null, place), { mcpServers: {} });
  });
});

describe('the arguments', () => {
  it('load nothing of the user, and end with the question, whatever it begins with', () => {
    assert.deepEqual(claudeArguments({ ...choice, prompt: '-p?' }), [
      ...['/opt/claude', '-p', '--output-format', 'stream-json', '--verbose'],
      ...['--max-turns', '12', '--model', 'scripted'],
      ...['--mcp-config', '/run/x/mcp.json', '--strict-mcp-config', '--setting-sources', ''],
      ...['--', '-p?'],
    ]);
  });

  it('allow the tools of the server, all or some, and forbid those of the host that the study names', () => {
    const all = claudeArguments({
      ...{ ...choice, server: { called: 'notes', tools: null } },
      ...{ disallowedTools: ['WebSearch', 'Agent'], system: 'Be brief.' },
    });
    assert.deepEqual(all.slice(14), [
      ...['--allowedTools', 'mcp__notes', '--disallowedTools', 'WebSearch', 'Agent'],
      ...['--append-system-prompt', 'Be brief.', '--', 'Where?'],
    ]);
    const some = claudeArguments({ ...choice, server: { called: 'notes', tools: ['find', 'read'] } });
    assert.deepEqual(some.slice(14, 17), ['--allowedTools', 'mcp__notes__find', 'mcp__notes__read']);
  });
});
