/** Servers that do badly under the real Claude Code, and what becomes of the trial. */
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { after, describe, it } from 'node:test';
import { only } from '../study.test.support.js';
import { marked } from '../wire/group.js';
import { standIn } from '../wire/stand-in.test.support.js';
import { recordClaude, WITHOUT, workFolders, writeClaudeStudy } from './claude.test.support.js';
import { markerOf } from './home.js';

/** A server that never starts to speak MCP. */
const BROKEN = [process.execPath, '-e', 'console.error("no notes here"); process.exit(3)'];

after(() => assert.deepEqual(workFolders(), []));

describe('a trial under Claude Code', { skip: WITHOUT, concurrency: 2 }, () => {
  it('whose server fails to connect is no answer, whatever the model says', async (test) => {
    const study = writeClaudeStudy(test, { servers: { notes: { command: BROKEN } } });
    const { receipt } = await recordClaude(test, study, { tasks: ['key'] });
    const [trial] = receipt.attempts;
    assert.deepEqual([trial?.status, trial?.failure], ['failed', 'SERVER_NOT_CONNECTED']);
    assert.deepEqual(trial?.launches[0]?.servers, [{ name: 'notes', status: 'failed' }]);
  });

  it('that does not end in time is ended, with the call that was never answered in the log', async (test) => {
    const hanging = standIn(`
      if (message.method === 'tools/list')
        reply(message.id, { tools: [{ name: 'find', inputSchema: { type: 'object' } }] });
      else if (message.method !== 'tools/call')
        send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no such method' } });`);
    const limits = { trial_timeout_ms: 6000, tool_timeout_ms: 60_000 };
    const study = writeClaudeStudy(test, { servers: { notes: { command: hanging } } }, limits);
    const { receipt, log } = await recordClaude(test, study, { tasks: ['key'] });
    const [trial] = receipt.attempts;
    assert.deepEqual([trial?.failure, trial?.closed?.how], ['HOST_TIMEOUT', 'sigterm']);
    assert.deepEqual(
      trial?.calls.map(({ tool, turn, error_code }) => [tool, turn, error_code]),
      [
        ['ToolSearch', 1, null],
        ['find', 2, 'NO_REPLY'],
      ],
    );
    assert.deepEqual(marked(markerOf(dirname(log))), []);
  });

  it('in a home that is kept meets a server as the repetition before left it', async (test) => {
    const silent = standIn(`
      if (message.method === 'tools/list') reply(message.id, { tools: [] });
      else if (message.method !== 'server/discover') reply(message.id, {});`);
    const conditions = { kept: { server: 'notes', home: 'kept' } };
    const study = writeClaudeStudy(test, { conditions, servers: { notes: { command: silent } } });
    const { events } = await recordClaude(test, study, { tasks: ['key'], repetitions: 2 });
    assert.deepEqual(
      only(events, 'handshake').map(({ attempts }) => attempts.map(({ method }) => method)),
      [['server/discover', 'initialize'], ['initialize']],
    );
    const homes = only(events, 'launch').map(({ settings }) => settings.HOME);
    assert.equal(homes[0], homes[1]);
  });
});
