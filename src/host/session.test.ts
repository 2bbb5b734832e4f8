/** Servers that do not start, or go wrong later: each has its code, and leaves no process behind. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { openEndpoint, says, uses } from './endpoint.test.support.js';
import { endsOf, only, type Recorded, recordAt, typesOf, writeStudy } from './study.test.support.js';
import { program, standIn } from './wire/stand-in.test.support.js';

/** One trial with this server; the model calls `echo` once and then answers. */
async function trialWith(
  test: TestContext,
  command: string[],
  condition: object = {},
  connect_timeout_ms = 30_000,
): Promise<Recorded> {
  const endpoint = await openEndpoint(test, [uses(['echo', {}]), says('{"answer":"6"}')]);
  const change = {
    servers: { tools: { command, protocol: 'legacy' } },
    conditions: { only: { server: 'tools', ...condition } },
  };
  return recordAt(test, endpoint.url, writeStudy(test, change, { connect_timeout_ms }));
}

const closeOf = ({ events }: Recorded) => only(events, 'close')[0];
const failureOf = (recorded: Recorded) => endsOf(recorded.receipt)[0]?.[1];

describe('a server that does not start', { concurrency: 4 }, () => {
  it('because there is no such program is told by its name', async (test) => {
    const recorded = await trialWith(test, ['no-such-program-here', '--flag']);
    assert.deepEqual(typesOf(recorded.events), ['trial_open', 'close']);
    const { failure, how, message } = closeOf(recorded) ?? {};
    assert.deepEqual([failure, how], ['SERVER_START_FAILED', 'not_started']);
    assert.match(message ?? '', /no-such-program-here.*ENOENT/);
  });

  it('because it exits leaves its exit and its last words', async (test) => {
    const recorded = await trialWith(test, program('console.error("no licence"); process.exit(3)'));
    const { failure, message, stderr_tail } = closeOf(recorded) ?? {};
    assert.equal(failure, 'SERVER_EXITED');
    assert.match(
      message ?? '',
      /exited with code 3 before it answered initialize; last line on stderr: no licence$/,
    );
    assert.equal(stderr_tail, 'no licence\n');
  });

  it('because it says nothing is given up after the time allowed', async (test) => {
    const recorded = await trialWith(test, program('process.stdin.resume()'), {}, 700);
    assert.equal(failureOf(recorded), 'CONNECT_TIMEOUT');
    assert.match(closeOf(recorded)?.message ?? '', /nothing came on stdout/);
  });

  it('because it prints garbage is given up likewise, and the garbage is recorded', async (test) => {
    const recorded = await trialWith(
      test,
      program('console.log("Welcome!\\n{]"); process.stdin.resume()'),
      {},
      2500,
    );
    assert.equal(failureOf(recorded), 'CONNECT_TIMEOUT');
    const faults = only(recorded.events, 'fault').map(({ code, text }) => [code, text]);
    assert.deepEqual(faults.slice(0, 2), [
      ['STRAY_LINE', 'Welcome!'],
      ['STRAY_LINE', '{]'],
    ]);
  });
});

describe('a catalog', { concurrency: 3 }, () => {
  it('that lacks a tool of the condition fails the trial before a model is asked', async (test) => {
    const recorded = await trialWith(
      test,
      standIn(`reply(message.id, { tools: [{ name: 'a', inputSchema: { type: 'object' } }] })`),
      {
        tools: ['a', 'b', 'c'],
      },
    );
    assert.equal(failureOf(recorded), 'CATALOG_ERROR');
    assert.equal(closeOf(recorded)?.message, 'the catalog lacks b, c, which the condition names');
    assert.deepEqual(typesOf(recorded.events), ['trial_open', 'message', 'handshake', 'catalog', 'close']);
  });

  it('that is refused, is no catalog, does not end, or never comes is an error of the catalog', async (test) => {
    const [refused, none, endless, silent] = await Promise.all([
      trialWith(test, standIn(`send({ jsonrpc: '2.0', id: message.id, error: { code: 1, message: 'no' } })`)),
      trialWith(test, standIn(`reply(message.id, { tools: 5 })`)),
      trialWith(test, standIn(`reply(message.id, { tools: [], nextCursor: 'same' })`)),
      trialWith(test, standIn(''), {}, 2500),
    ]);
    const codes = [refused, none, endless, silent].map(failureOf);
    assert.deepEqual(codes, ['CATALOG_ERROR', 'CATALOG_ERROR', 'CATALOG_ERROR', 'CATALOG_ERROR']);
    assert.equal(only(endless.events, 'catalog').length, 2);
  });

  it('during which the server exits is an exit', async (test) => {
    assert.equal(failureOf(await trialWith(test, standIn('process.exit(9)'))), 'SERVER_EXITED');
  });
});

describe('a server that goes wrong later', { concurrency: 4 }, () => {
  const tools = `if (message.method === 'tools/list')
    return reply(message.id, { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });`;
  const answer = `reply(message.id, { content: [{ type: 'text', text: 'six' }] })`;

  it('and exits in the middle of a call fails the call, and its exit is recorded', async (test) => {
    const recorded = await trialWith(
      test,
      standIn(`${tools} console.error('out of memory'); process.exit(7)`),
    );
    assert.equal(failureOf(recorded), 'TOOL_FAILURE');
    const { how, exit_code, stderr_tail } = closeOf(recorded) ?? {};
    assert.deepEqual([how, exit_code, stderr_tail], ['exited', 7, 'out of memory\n']);
    assert.match(only(recorded.events, 'tool_call')[0]?.error ?? '', /^SERVER_EXITED: .*exited with code 7/);
  });

  it('and prints beside its answers is recorded, and its answers count', async (test) => {
    const recorded = await trialWith(
      test,
      standIn(`${tools} process.stdout.write('debug: called\\n'); ${answer}`),
    );
    assert.equal(recorded.receipt.status, 'completed');
    const [fault] = only(recorded.events, 'fault');
    assert.deepEqual([fault?.code, fault?.text, fault?.turn], ['STRAY_LINE', 'debug: called', null]);
  });

  it('and answers without content is read as an empty answer, which fails', async (test) => {
    const recorded = await trialWith(test, standIn(`${tools} reply(message.id, {})`));
    assert.equal(failureOf(recorded), 'TOOL_FAILURE');
    assert.equal(only(recorded.events, 'tool_call')[0]?.model_facing_text, 'EMPTY_TOOL_CONTENT');
    assert.deepEqual(
      only(recorded.events, 'fault').map(({ code }) => code),
      ['NO_CONTENT'],
    );
  });

  it('and will not end is killed, which does not make its answers wrong', async (test) => {
    const stubborn = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`;
    const recorded = await trialWith(test, standIn(`${tools} ${answer}`, stubborn));
    assert.deepEqual([recorded.receipt.status, closeOf(recorded)?.how], ['completed', 'sigkill']);
    assert.equal(closeOf(recorded)?.signal, 'SIGKILL');
  });
});
