/** Trials under the real Claude Code, whose model is scripted: what the log says of them. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Store } from '../../events/store.js';
import { only } from '../study.test.support.js';
import { NOTES, recordClaude, WITHOUT, workFolders, writeClaudeStudy } from './claude.test.support.js';

after(() => assert.deepEqual(workFolders(), []));

describe('a trial under Claude Code', { skip: WITHOUT, concurrency: 2 }, () => {
  it('whose tools are kept back asks for one, uses it, and answers', async (test) => {
    const { receipt, events, store } = await recordClaude(test, writeClaudeStudy(test), { tasks: ['key'] });
    const [trial] = receipt.attempts;
    assert.deepEqual(
      [trial?.status, trial?.answer_text, trial?.server?.name, trial?.faults],
      ['completed', 'It is in drawer 3.', 'stand-in', []],
    );
    assert.deepEqual(
      trial?.calls.map(({ tool, asked_as, origin, turn, model_facing_text }) => ({
        ...{ tool, asked_as, origin, turn, model_facing_text },
      })),
      [
        {
          ...{ tool: 'ToolSearch', asked_as: 'ToolSearch', origin: 'host', turn: 1 },
          model_facing_text: '{"type":"tool_reference","tool_name":"mcp__notes__find"}',
        },
        {
          ...{ tool: 'find', asked_as: 'mcp__notes__find', origin: 'server', turn: 2 },
          model_facing_text: 'It is in drawer 3.',
        },
      ],
    );
    const [launch] = trial?.launches ?? [];
    assert.deepEqual(launch?.usage, trial?.totals.usage);
    assert.deepEqual([trial?.totals.turns, trial?.totals.usage_source], [3, 'estimate']);
    const [end] = only(events, 'launch_end');
    assert.deepEqual(
      end?.evidence.map(({ name }) => name),
      ['stream', 'transcript', 'mcp_log', 'stderr'],
    );
    const blobs = new Store(store);
    assert.deepEqual(
      end?.evidence.map(({ sha256, bytes }) => blobs.getBlob(sha256).length === bytes),
      [true, true, true, true],
    );
  });

  it('whose tools are offered at once uses them at once', async (test) => {
    const conditions = { upfront: { server: 'notes', tool_search: false } };
    const study = writeClaudeStudy(test, { conditions });
    const { receipt, events } = await recordClaude(test, study, { tasks: ['key'] });
    const [trial] = receipt.attempts;
    assert.deepEqual(
      [trial?.status, trial?.answer_text, trial?.calls.map(({ tool }) => tool), trial?.totals.turns],
      ['completed', 'It is in drawer 3.', ['find'], 2],
    );
    assert.equal(only(events, 'launch')[0]?.settings.ENABLE_TOOL_SEARCH, 'false');
  });

  it('without a server has none', async (test) => {
    const study = writeClaudeStudy(test, { conditions: { bare: {} } });
    const { receipt, events } = await recordClaude(test, study, { tasks: ['key'] });
    const [trial] = receipt.attempts;
    assert.deepEqual(
      [trial?.status, trial?.answer_text, trial?.server, trial?.calls],
      ['completed', 'I cannot know that.', null, []],
    );
    assert.deepEqual(only(events, 'launch')[0]?.servers, { mcpServers: {} });
  });

  it('hands its server no key, but what the study names', async (test) => {
    const notes = { command: NOTES, env: { LITERAL: 'yes' }, env_from: ['HANDED_ON'] };
    const env = { PATH: process.env.PATH, ANTHROPIC_API_KEY: 'sk-any-0123456789', HANDED_ON: 'a value' };
    const study = writeClaudeStudy(test, { servers: { notes } });
    const { receipt, events } = await recordClaude(test, study, { tasks: ['environment'], env });
    const call = receipt.attempts[0]?.calls.find(({ tool }) => tool === 'env');
    const given: Record<string, string> = JSON.parse(call?.model_facing_text ?? '{}');
    assert.deepEqual(Object.keys(given).sort(), [
      ...['HANDED_ON', 'HOME', 'LANG', 'LITERAL', 'MEASURE_SERVER', 'PATH', 'TERM', 'TMPDIR'],
    ]);
    assert.deepEqual([given.LITERAL, given.HANDED_ON], ['yes', 'a value']);
    const [launch] = only(events, 'launch');
    assert.equal(receipt.attempts[0]?.answer_text, launch?.settings.HOME);
    assert.equal(JSON.stringify(launch).includes('a value'), false);
  });

  it('that may not run a command says so, and goes on', async (test) => {
    const { receipt } = await recordClaude(test, writeClaudeStudy(test), { tasks: ['shell'] });
    const [trial] = receipt.attempts;
    assert.deepEqual([trial?.status, trial?.answer_text], ['completed', 'done']);
    assert.deepEqual(
      trial?.calls.map(({ tool, origin, is_error, error_code }) => [tool, origin, is_error, error_code]),
      [['Bash', 'host', true, 'PERMISSION_DENIED']],
    );
    assert.deepEqual(
      trial?.faults.map(({ code, severity }) => [code, severity]),
      [['PERMISSION_DENIED', 'warning']],
    );
  });
});
