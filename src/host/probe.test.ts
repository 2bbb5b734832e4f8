/** Probes: a server of their own, no model, and no part in the totals. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openEndpoint, says } from './endpoint.test.support.js';
import { endsOf, only, recordAt, writeStudy } from './study.test.support.js';

const probe = (expect: object[], text = '{"cache":"hit","n":1}') => ({
  warm: { condition: 'only', tool: 'echo', arguments: { text }, expect },
});
const hit = { cache: 'hit' };

describe('a probe', () => {
  it('asks a fresh server directly, and never counts', async (test) => {
    const endpoint = await openEndpoint(test, [says('{}')]);
    const { events, receipt } = await recordAt(
      test,
      endpoint.url,
      writeStudy(test, { probes: probe([hit, hit]) }),
    );
    assert.deepEqual(endsOf(receipt), [
      ['completed', null],
      ['completed', null],
    ]);
    const pids = only(events, 'handshake').map(({ pid }) => pid);
    assert.equal(new Set(pids).size, 2);
    const calls = only(events, 'tool_call').map(({ trial, turn, call_id, model_facing_bytes }) => [
      trial,
      turn,
      call_id,
      model_facing_bytes,
    ]);
    assert.deepEqual(calls, [
      ['probe/warm', null, 'warm-1', null],
      ['probe/warm', null, 'warm-2', null],
    ]);
    const { trials, completed, calls: counted, wire_bytes } = only(events, 'run_close')[0]?.totals ?? {};
    assert.deepEqual([trials, completed, counted, wire_bytes], [1, 1, 0, 0]);
    assert.equal(endpoint.heard.length, 1);
  });

  it('that finds something else fails the run, and says what it found', async (test) => {
    const endpoint = await openEndpoint(test, [says('{}')]);
    const study = writeStudy(test, { probes: probe([hit, { cache: 'miss' }]) });
    const { receipt } = await recordAt(test, endpoint.url, study);
    assert.deepEqual(
      [receipt.status, receipt.failure, receipt.message],
      ['failed', 'PROBE_FAILED', 'probe/warm failed'],
    );
    assert.equal(
      receipt.attempts[1]?.message,
      'call 2 was to answer {"cache":"miss"} and answered {"cache":"hit","n":1}',
    );
  });

  it('of a tool that fails or is no JSON fails too', async (test) => {
    const endpoint = await openEndpoint(test, [says('{}')]);
    const plain = await recordAt(test, endpoint.url, writeStudy(test, { probes: probe([{}], 'six') }));
    const failing = { warm: { condition: 'only', tool: 'fail', arguments: {}, expect: [{}] } };
    const failed = await recordAt(test, endpoint.url, writeStudy(test, { probes: failing }));
    assert.deepEqual([plain.receipt.failure, failed.receipt.failure], ['PROBE_FAILED', 'PROBE_FAILED']);
  });
});
