/** How a run and a server agree on a protocol, and what the log says of it. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { openEndpoint, says } from './endpoint.test.support.js';
import type { RecordOptions } from './record.js';
import { only, type Recorded, recordAt, writeStudy } from './study.test.support.js';
import { standIn } from './wire/stand-in.test.support.js';

const LIST = `return reply(message.id, { tools: [{ name: 'a', inputSchema: { type: 'object' } }] })`;
/** Says at once that it does not know `server/discover`. */
const REFUSING = standIn(`
  if (message.method === 'tools/list') ${LIST};
  send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'unknown' } });
`);
/** Does not answer it. */
const SILENT = standIn(`if (message.method === 'tools/list') ${LIST}`);
/** Exits on it. */
const EXITING = standIn(`if (message.method === 'server/discover') process.exit(5); ${LIST}`);

/** Two trials of one task with that server. */
async function twoTrials(
  test: TestContext,
  server: object,
  more: Partial<RecordOptions> = {},
): Promise<Recorded> {
  const endpoint = await openEndpoint(test, [says('{"answer":"6"}')]);
  const study = writeStudy(test, { servers: { tools: server }, repetitions: 2 });
  return recordAt(test, endpoint.url, study, more);
}

/** For each handshake, what was tried and what came of it. */
function attemptsOf({ events }: Recorded): string[][] {
  return only(events, 'handshake').map(({ attempts }) =>
    attempts.map(({ method, outcome }) => `${method} ${outcome}`),
  );
}

const INITIALIZE = ['initialize answered'];

describe('with auto, a run agrees with a server once', { concurrency: 2 }, () => {
  it('where the server refuses the newer protocol', async (test) => {
    const recorded = await twoTrials(test, { command: REFUSING });
    assert.deepEqual(attemptsOf(recorded), [['server/discover refused', ...INITIALIZE], INITIALIZE]);
    assert.deepEqual(
      only(recorded.events, 'message').map(({ direction, kind, method }) => [direction, kind, method]),
      [
        ['to_server', 'request', 'server/discover'],
        ['to_client', 'response', null],
        ['to_server', 'notification', 'notifications/initialized'],
        ['to_server', 'notification', 'notifications/initialized'],
      ],
    );
  });

  it('where the server is silent on it, after a short time', async (test) => {
    const recorded = await twoTrials(test, { command: SILENT });
    assert.deepEqual(attemptsOf(recorded), [['server/discover timeout', ...INITIALIZE], INITIALIZE]);
    assert.ok((only(recorded.events, 'handshake')[0]?.elapsed_ms ?? 0) < 5000);
  });

  it('where the server exits on it, and is started again', async (test) => {
    const recorded = await twoTrials(test, { command: EXITING });
    assert.deepEqual(attemptsOf(recorded), [['server/discover exited', ...INITIALIZE], INITIALIZE]);
  });
});

describe('a protocol that is asked for', { concurrency: 2 }, () => {
  it('by the study is the only one that is tried', async (test) => {
    assert.deepEqual(attemptsOf(await twoTrials(test, { command: REFUSING, protocol: 'legacy' })), [
      INITIALIZE,
      INITIALIZE,
    ]);
  });

  it('by --protocol stands in place of the study, and in run_open', async (test) => {
    const recorded = await twoTrials(
      test,
      { command: REFUSING, protocol: 'legacy' },
      { protocol: '2026-07-28' },
    );
    const [open] = only(recorded.events, 'run_open');
    assert.equal(open?.protocol, '2026-07-28');
    assert.deepEqual(
      only(recorded.events, 'close').map(({ failure }) => failure),
      ['PROTOCOL_ERROR', 'PRIOR_FAILURE'],
    );
  });
});
