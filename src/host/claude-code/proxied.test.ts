/** Runs under the real Claude Code with the recording proxy between it and its endpoint. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, describe, it, type TestContext } from 'node:test';
import { replayFile } from '../../events/replay.js';
import { portOf } from '../endpoint.test.support.js';
import { startScriptedModel } from '../scripted/endpoint.js';
import { parseScript } from '../scripted/script.js';
import { KEY, only } from '../study.test.support.js';
import { recordClaude, SCRIPT, WITHOUT, workFolders, writeClaudeStudy } from './claude.test.support.js';

const choice = { tasks: ['key'], proxy: true };

/** An endpoint that is overloaded at first, and then is the scripted model. Gives its URL. */
async function overloaded(test: TestContext): Promise<string> {
  const tasks = [{ id: 'key', prompt: 'Where is the key?', task: {} }];
  const model = await startScriptedModel({ script: parseScript(SCRIPT, 's'), tasks, answer: 'text' });
  let calls = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    calls += 1;
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    if (calls === 1)
      response.writeHead(529, { 'content-type': 'application/json' }).end(JSON.stringify(error));
    else {
      const answer = await fetch(`${model.url}${request.url}`, {
        method: 'POST',
        body: Buffer.concat(chunks),
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(async () => {
    server.closeAllConnections();
    server.close();
    await model.close();
  });
  return `http://127.0.0.1:${portOf(server.address())}`;
}

after(() => assert.deepEqual(workFolders(), []));

describe('a proxied run', { skip: WITHOUT, concurrency: 2 }, () => {
  it('has every request exactly, before its turn, and what came back for it', async (test) => {
    const { receipt, events, log } = await recordClaude(test, writeClaudeStudy(test), choice);
    const [trial] = receipt.attempts;
    assert.deepEqual([trial?.status, trial?.faults], ['completed', []]);
    assert.deepEqual(
      replayFile(log).requests.map(({ turn, attempt, kept, holds }) => [turn, attempt, kept, holds]),
      [1, 2, 3].map((turn) => [turn, 1, true, true]),
    );
    assert.deepEqual(
      only(events, 'model_turn').map(({ turn, attempt, http_status }) => [turn, attempt, http_status]),
      [1, 2, 3].map((turn) => [turn, 1, 200]),
    );
    assert.deepEqual(trial?.launches[0]?.usage, trial?.totals.usage);
    const [request] = only(events, 'turn_request');
    const { messages, tools } = JSON.parse(request?.raw?.data ?? '');
    assert.equal(request?.messages, messages.length);
    assert.ok(!JSON.stringify(tools).includes('mcp__notes__find'));
    assert.ok(JSON.stringify(messages).includes('mcp__notes__find'));
  });

  it('has a refused call as an attempt of its own, and the key nowhere', async (test) => {
    const ANTHROPIC_BASE_URL = await overloaded(test);
    const env = { PATH: process.env.PATH, ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL };
    const study = writeClaudeStudy(test, { model: 'claude-sonnet-4-5' });
    const { receipt, events } = await recordClaude(test, study, { ...choice, env });
    const [trial] = receipt.attempts;
    assert.deepEqual([trial?.status, trial?.totals.usage_source], ['completed', 'provider']);
    assert.deepEqual(
      only(events, 'turn_request').map(({ turn, attempt }) => [turn, attempt]),
      [...[[1, 1]], ...[[1, 2]], ...[[2, 1]], ...[[3, 1]]],
    );
    assert.deepEqual(
      only(events, 'model_turn').map(({ turn, attempt }) => [turn, attempt]),
      [
        [1, 2],
        [2, 1],
        [3, 1],
      ],
    );
    const refused = only(events, 'fault').find(({ code }) => code === 'MODEL_HTTP_ERROR');
    assert.deepEqual([refused?.turn, refused?.attempt, refused?.http_status], [1, 1, 529]);
    assert.match(refused?.message ?? '', /overloaded_error: Overloaded/);
  });

  it('makes no call that could pass the budget', async (test) => {
    const { receipt, events } = await recordClaude(test, writeClaudeStudy(test), {
      ...{ ...choice, budgetTokens: 1000, repetitions: 2 },
    });
    assert.deepEqual(
      receipt.attempts.map(({ status, failure }) => [status, failure]),
      [
        ['failed', 'BUDGET_STOP'],
        ['skipped', 'PRIOR_FAILURE'],
      ],
    );
    assert.match(receipt.attempts[0]?.message ?? '', /the budget is 1000 tokens/);
    assert.deepEqual(only(events, 'turn_request'), []);
  });

  it('without a proxy stops before the launch after the budget is spent', async (test) => {
    const more = { tasks: ['key'], budgetTokens: 1000, repetitions: 2 };
    const { receipt } = await recordClaude(test, writeClaudeStudy(test), more);
    assert.deepEqual(
      receipt.attempts.map(({ status, failure, launches }) => [status, failure, launches.length]),
      [
        ['completed', null, 1],
        ['failed', 'BUDGET_STOP', 0],
      ],
    );
  });
});
