/** The budget: what may still be spent, and that a run stops before the call that could pass it. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Budget } from './budget.js';
import { type Answer, message, openEndpoint, says, silence, status, uses } from './endpoint.test.support.js';
import { endsOf, only, recordAt, typesOf, writeStudy } from './study.test.support.js';

const dollar = { context_window: null, cost: (usage: { input_tokens: number }) => usage.input_tokens / 100 };
const usage = (input_tokens: number, output_tokens: number, cached = 0) => ({
  ...{ input_tokens, output_tokens, cache_creation_input_tokens: cached, cache_read_input_tokens: 0 },
});

describe('a budget', () => {
  it('refuses a call that could pass it, and allows one that could just reach it', () => {
    const budget = new Budget({ tokens: 100, usd: null }, null);
    assert.equal(budget.refusal(90, 10), null);
    budget.spend(usage(40, 20, 10));
    assert.equal(budget.refusal(20, 10), null);
    assert.equal(
      budget.refusal(20, 11),
      '70 tokens are spent and the next call could take 31; the budget is 100 tokens',
    );
  });

  it('counts a call that may have been billed at its bound', () => {
    const budget = new Budget({ tokens: 100, usd: null }, null);
    budget.hold(60, 20)(null);
    assert.equal(budget.refusal(11, 10) === null, false);
    assert.equal(budget.refusal(10, 10), null);
  });

  it('sets aside what calls under way may take, until they are settled', () => {
    const budget = new Budget({ tokens: 100, usd: null }, null);
    const settle = budget.hold(60, 20);
    assert.equal(
      budget.refusal(15, 10),
      '0 tokens are spent, 80 are set aside for calls under way, and the next call could take 25; the budget is 100 tokens',
    );
    settle(usage(40, 5));
    assert.equal(budget.refusal(45, 10), null);
    assert.equal(budget.refusal(46, 10) === null, false);
  });

  it('in dollars counts at list price, and refuses a cost that is not a number', () => {
    const budget = new Budget({ tokens: null, usd: 1 }, dollar);
    budget.spend(usage(50, 9000));
    assert.equal(budget.refusal(50, 1), null);
    assert.equal(
      budget.refusal(51, 1),
      '$0.5000 is spent and the next call could cost $0.5100; the budget is $1',
    );
    const unknown = new Budget({ tokens: null, usd: 1 }, { context_window: null, cost: () => Number.NaN });
    assert.equal(unknown.refusal(1, 1) === null, false);
  });

  it('that has no limit refuses nothing and needs no count', () => {
    const budget = new Budget({ tokens: null, usd: null }, null);
    assert.deepEqual([budget.isLimited, budget.refusal(1e12, 1e12)], [false, null]);
    assert.equal(new Budget({ tokens: 0, usd: null }, null).isLimited, true);
  });
});

const ANSWER = '{"answer":"6"}';
const counts = (input_tokens: number): Answer => status(200, JSON.stringify({ input_tokens }));

/** Two repetitions and a probe in a study that goes on after failures; calls produce at most 50 tokens. */
async function runWith(
  test: TestContext,
  budgetTokens: number,
  answers: Answer[],
  count?: Answer,
  ms = 30_000,
) {
  const endpoint = await openEndpoint(test, answers, count);
  const probes = { warm: { condition: 'only', tool: 'pid', arguments: {}, expect: [{}] } };
  const study = writeStudy(
    test,
    { on_failure: 'continue', probes },
    { max_tokens: 50, model_timeout_ms: ms },
  );
  const recorded = await recordAt(test, endpoint.url, study, { repetitions: 2, budgetTokens });
  const ends = endsOf(recorded.receipt).map(([status, failure]) => failure ?? status);
  return { ...recorded, ends, calls: endpoint.heard.length, endpoint };
}

describe('a run with a budget', () => {
  it('asks for a count before each call and stops before the one that could pass it', async (test) => {
    const { ends, calls, endpoint, events, receipt } = await runWith(test, 164, [says(ANSWER)], counts(100));
    assert.deepEqual(ends, ['completed', 'BUDGET_STOP', 'PRIOR_FAILURE']);
    assert.deepEqual([calls, endpoint.counted.length], [1, 2]);
    assert.deepEqual(typesOf(events).slice(7, 12), [
      'trial_open',
      'message',
      'handshake',
      'catalog',
      'close',
    ]);
    assert.deepEqual([receipt.status, receipt.failure], ['failed', 'BUDGET_STOP']);
    assert.equal(
      receipt.attempts[1]?.message,
      '15 tokens are spent and the next call could take 150; the budget is 164 tokens',
    );
    assert.equal(receipt.open.limits?.budget_tokens, 164);
  });

  it('stops in the middle of a trial too', async (test) => {
    const asks = uses(['echo', { text: 'six' }]);
    const { ends, calls } = await runWith(test, 165, [asks, asks, says(ANSWER)], counts(100));
    assert.deepEqual(ends, ['BUDGET_STOP', 'PRIOR_FAILURE', 'PRIOR_FAILURE']);
    assert.equal(calls, 2);
  });

  it('takes the bytes of a request for its tokens where the endpoint does not count, whatever it answers', async (test) => {
    const bytes = await runWith(test, 100_000, [says(ANSWER)]);
    const size = bytes.endpoint.heard[0]?.bytes.length ?? 0;
    assert.deepEqual(bytes.ends, ['completed', 'completed', 'completed']);
    const short = await runWith(test, size + 49, [says(ANSWER)], status(200, '<html>'));
    const enough = await runWith(test, size + 50, [says(ANSWER)], status(200, '{"input_tokens":-5}'));
    const never = await runWith(test, size + 49, [says(ANSWER)], silence, 300);
    assert.deepEqual([short.calls, enough.calls, never.calls], [0, 1, 0]);
    assert.deepEqual(
      [short.ends[0], enough.ends[0], never.ends[0]],
      ['BUDGET_STOP', 'completed', 'BUDGET_STOP'],
    );
  });

  it('counts a call that timed out, or whose usage is not told, at its bound', async (test) => {
    const timedOut = await runWith(test, 299, [silence, says(ANSWER)], counts(100), 1000);
    assert.deepEqual([timedOut.ends.slice(0, 2), timedOut.calls], [['MODEL_TIMEOUT', 'BUDGET_STOP'], 1]);
    const untold = message('end_turn', [{ type: 'text', text: ANSWER }], { usage: null });
    const untoldRun = await runWith(test, 299, [untold], counts(100));
    assert.deepEqual([untoldRun.ends.slice(0, 2), untoldRun.calls], [['completed', 'BUDGET_STOP'], 1]);
  });

  it('counts a call that was refused as nothing', async (test) => {
    const { ends, calls } = await runWith(test, 160, [status(429, '{}'), says(ANSWER)], counts(100));
    assert.deepEqual([ends, calls], [['MODEL_HTTP_ERROR', 'completed', 'completed'], 2]);
  });

  it('in dollars stops likewise, at the list price of the model', async (test) => {
    const endpoint = await openEndpoint(test, [says(ANSWER)], counts(100_000));
    const choice = { model: 'claude-sonnet-4-5', budgetUsd: 0.31, repetitions: 2 };
    const { receipt } = await recordAt(test, endpoint.url, writeStudy(test, {}, { max_tokens: 600 }), choice);
    assert.deepEqual(endsOf(receipt), [
      ['completed', null],
      ['completed', null],
    ]);
    const less = { ...choice, budgetUsd: 0.308 };
    const stopped = await recordAt(test, endpoint.url, writeStudy(test, {}, { max_tokens: 600 }), less);
    assert.deepEqual(endsOf(stopped.receipt), [
      ['failed', 'BUDGET_STOP'],
      ['skipped', 'PRIOR_FAILURE'],
    ]);
    assert.equal(only(stopped.events, 'turn_request').length, 0);
    assert.match(
      stopped.receipt.attempts[0]?.message ?? '',
      /^\$0.0000 is spent and the next call could cost \$0.3090/,
    );
  });
});
