/** Servers that cannot be connected to: each is named for what it is, in time, and leaves no process behind. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Fault, openSession, type SessionOptions } from '../mcp.js';
import { program, standIn } from './stand-in.test.support.js';

const waits = { stdin_end_ms: 100, sigterm_ms: 100 };

function connecting(argv: [string, ...string[]], more: Partial<SessionOptions> & { cwd?: string } = {}) {
  const { cwd = '/', ...options } = more;
  return openSession(
    { argv, env: {}, cwd },
    { connectTimeoutMs: 5000, onFault: () => undefined, waits, ...options },
  );
}

describe('a server that cannot be connected to', () => {
  it('because there is no such program', async () => {
    await assert.rejects(connecting(['no-such-program-here']), {
      code: 'SERVER_START_FAILED',
      message: /^SERVER_START_FAILED: no-such-program-here: could not be started: .*ENOENT/,
    });
  });

  it('because its folder does not exist', async () => {
    await assert.rejects(connecting([process.execPath], { cwd: '/no/such' }), {
      message: /in \/no\/such \(no such folder\)/,
    });
  });

  it('because it exits at once: exit code and last words are in the error', async () => {
    await assert.rejects(connecting(program(`console.error('first\\nDB_URL is missing'); process.exit(3)`)), {
      code: 'SERVER_EXITED',
      exit_code: 3,
      stderr_tail: 'first\nDB_URL is missing\n',
      message: /exited with code 3 before it answered initialize; last line on stderr: DB_URL is missing$/,
    });
  });

  it('because it is silent: the time-out holds, and the process is gone', async () => {
    const started = performance.now();
    await assert.rejects(connecting(program('setInterval(() => 0, 1000)'), { connectTimeoutMs: 200 }), {
      code: 'CONNECT_TIMEOUT',
      signal: 'SIGTERM',
      message: /nothing came on stdout/,
    });
    assert.ok(performance.now() - started < 2000);
  });

  it('because it talks, but not JSON-RPC', async () => {
    const faults: Fault[] = [];
    const talker = program(`console.log('Welcome!'); console.log('ready'); setInterval(() => 0, 1000)`);
    const attempt = connecting(talker, { connectTimeoutMs: 500, onFault: (fault) => faults.push(fault) });
    await assert.rejects(attempt, {
      code: 'CONNECT_TIMEOUT',
      message: /2 lines came on stdout, none of them an answer/,
    });
    assert.deepEqual(
      faults.map((fault) => [fault.code, fault.text]),
      [
        ['STRAY_LINE', 'Welcome!'],
        ['STRAY_LINE', 'ready'],
      ],
    );
  });

  it('because it refuses', async () => {
    const refusing = program(
      `process.stdin.on('data', () => console.log('{"jsonrpc":"2.0","id":0,"error":{"code":-1,"message":"no"}}'))`,
    );
    await assert.rejects(connecting(refusing), {
      code: 'PROTOCOL_ERROR',
      message: /no agreement by initialize: .*no/,
    });
  });

  it('because it answers with what is no introduction', async () => {
    const odd = program(
      `process.stdin.on('data', () => console.log('{"jsonrpc":"2.0","id":0,"result":{}}'))`,
    );
    await assert.rejects(connecting(odd), { code: 'PROTOCOL_ERROR' });
  });

  it('because only the modern era was wanted', async () => {
    const legacy = standIn(
      `send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'unknown' } })`,
    );
    await assert.rejects(connecting(legacy, { era: 'modern' }), {
      code: 'PROTOCOL_ERROR',
      message: /server\/discover/,
    });
  });
});

describe('a server of the legacy era, asked for either', () => {
  it('that refuses server/discover is greeted with initialize in the same process', async () => {
    const server = standIn(
      `send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'unknown' } })`,
    );
    const { handshake, close } = await bound(connecting(server, { era: 'auto' }));
    assert.deepEqual(
      handshake.attempts.map(({ method, outcome }) => [method, outcome]),
      [
        ['server/discover', 'refused'],
        ['initialize', 'answered'],
      ],
    );
    await close();
  });

  it('that is silent on server/discover is greeted after the probe time', async () => {
    const { handshake, close } = await bound(connecting(standIn(''), { era: 'auto', probeTimeoutMs: 100 }));
    assert.deepEqual(
      handshake.attempts.map(({ method, outcome }) => [method, outcome]),
      [
        ['server/discover', 'timeout'],
        ['initialize', 'answered'],
      ],
    );
    await close();
  });

  it('that exits on server/discover is started again', async () => {
    const { handshake, close } = await bound(connecting(standIn('process.exit(1)'), { era: 'auto' }));
    assert.deepEqual(
      handshake.attempts.map(({ method, outcome }) => [method, outcome]),
      [
        ['server/discover', 'exited'],
        ['initialize', 'answered'],
      ],
    );
    await close();
  });
});

async function bound(opening: ReturnType<typeof openSession>) {
  const session = await opening;
  return { handshake: session.handshake, close: () => session.close() };
}
