/** What servers do wrong in the middle of a session: nothing is lost, nothing hangs, and a fault says what it was. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { sha256 } from '../../events/bytes.js';
import { type Fault, type McpSession, openSession, type SessionOptions } from '../mcp.js';
import { standIn } from './stand-in.test.support.js';

const waits = { stdin_end_ms: 200, sigterm_ms: 200 };
const open: McpSession[] = [];
after(() => Promise.all(open.map((session) => session.close())));

/** A session with a stand-in whose requests are answered so, and a list of `CODE: text` that fills with its faults. */
async function session(onRequest: string, more: Partial<SessionOptions> = {}) {
  const faults: Fault[] = [];
  const options = { connectTimeoutMs: 5000, waits, onFault: (fault: Fault) => faults.push(fault), ...more };
  const opened = await openSession({ argv: standIn(onRequest), env: {}, cwd: '/' }, options);
  open.push(opened);
  return { opened, faults, seen: () => faults.map((fault) => `${fault.code}: ${fault.text}`) };
}

const OK = `reply(message.id, { content: ['ok'] });`;

describe('a call', () => {
  it('survives stray lines before, between and after', async () => {
    const { opened, seen } = await session(`console.log('debug 1'); ${OK} console.log('debug 2')`);
    assert.deepEqual((await opened.call('a', {}, 5000)).content, ['ok']);
    assert.deepEqual((await opened.call('b', {}, 5000)).content, ['ok']);
    await opened.close();
    const stray = ['STRAY_LINE: debug 1', 'STRAY_LINE: debug 2'];
    assert.deepEqual(seen(), [...stray, ...stray]);
  });

  it('gets a complete reply that lacks only its newline when the server exits', async () => {
    const line = `'{"jsonrpc":"2.0","id":1,"result":{"content":["last"]}}'`;
    const { opened, faults } = await session(`process.stdout.write(${line}, () => process.exit(0))`);
    const reply = await opened.call('a', {}, 5000);
    assert.deepEqual(reply.content, ['last']);
    assert.equal(
      reply.wire.response_sha256,
      sha256('{"jsonrpc":"2.0","id":1,"result":{"content":["last"]}}'),
    );
    assert.deepEqual(
      faults.map((fault) => fault.code),
      ['MISSING_NEWLINE'],
    );
  });

  it('that is cut in the middle of its reply ends at once, and the half line is kept', async () => {
    const half = '{"jsonrpc":"2.0","id":1,"resu';
    const { opened, faults } = await session(`process.stdout.write('${half}', () => process.exit(0))`);
    await assert.rejects(opened.call('a', {}, 60_000), { code: 'SERVER_EXITED' });
    assert.deepEqual(
      faults.map(({ code, text, sha256: digest }) => [code, text, digest]),
      [['PARTIAL_LINE', half, sha256(half)]],
    );
  });

  it('ends at once when the server dies, with its exit code and last words', async () => {
    const { opened } = await session(`process.stderr.write('out of luck\\n', () => process.exit(7))`);
    const started = performance.now();
    await assert.rejects(opened.call('a', {}, 60_000), {
      code: 'SERVER_EXITED',
      exit_code: 7,
      message: /exited with code 7 before it answered tools\/call; last line on stderr: out of luck$/,
    });
    assert.ok(performance.now() - started < 1500);
    await assert.rejects(opened.call('b', {}, 60_000), { code: 'SERVER_EXITED' });
    const { how, exit_code } = await opened.close();
    assert.deepEqual([how, exit_code], ['exited', 7]);
  });

  it('ends at once when a signal ends the server', async () => {
    const { opened } = await session(`process.kill(process.pid, 'SIGKILL')`);
    await assert.rejects(opened.call('a', {}, 60_000), {
      code: 'SERVER_EXITED',
      signal: 'SIGKILL',
      message: /was ended by SIGKILL/,
    });
  });

  it('ends at once when the server closes its stdout and lives on', async () => {
    const { opened, seen } = await session(`require('node:fs').closeSync(1); setInterval(() => 0, 1000)`);
    await assert.rejects(opened.call('a', {}, 60_000), {
      code: 'SERVER_EXITED',
      message: /closed its stdout before/,
    });
    assert.deepEqual(seen(), ['STDOUT_CLOSED: ']);
  });

  it('that gets no answer times out; the answer that still comes is a late reply', async () => {
    const { opened, faults } = await session(
      `if (message.params.name === 'slow') setTimeout(reply, 150, message.id, {}); else ${OK}`,
    );
    await assert.rejects(opened.call('slow', {}, 50), {
      code: 'CALL_TIMEOUT',
      message: /no answer to tools\/call within 50 ms/,
    });
    assert.deepEqual((await opened.call('quick', {}, 5000)).content, ['ok']);
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.deepEqual(
      faults.map((fault) => fault.code),
      ['LATE_REPLY'],
    );
  });

  it('takes the first of two replies, and names replies that belong to nothing', async () => {
    const { opened, faults } = await session(`${OK} ${OK} reply(99, {}); reply(null, {})`);
    assert.deepEqual((await opened.call('a', {}, 5000)).content, ['ok']);
    await opened.close();
    assert.deepEqual(
      faults.map((fault) => fault.code),
      ['DUPLICATE_REPLY', 'UNKNOWN_REPLY', 'NULL_ID_REPLY'],
    );
  });

  it('accepts its id as a string, and says so', async () => {
    const { opened, faults } = await session(`reply(String(message.id), { content: ['ok'] })`);
    assert.deepEqual((await opened.call('a', {}, 5000)).content, ['ok']);
    assert.deepEqual(
      faults.map((fault) => fault.code),
      ['ID_TYPE_CHANGED'],
    );
  });

  it('with invalid UTF-8 in its reply is read, and the exact bytes are kept', async () => {
    const { opened, faults } = await session(
      `process.stdout.write(Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"content":["'), Buffer.from([0xc3]), Buffer.from('"]}}\\n')]))`,
    );
    assert.deepEqual((await opened.call('a', {}, 5000)).content, ['\uFFFD']);
    assert.deepEqual(
      faults.map((fault) => fault.code),
      ['INVALID_UTF8'],
    );
    assert.match(Buffer.from(faults[0]?.base64 ?? '', 'base64').toString('latin1'), /\["\u00c3"\]/);
  });

  it('whose reply is over the cap is a fault with its length, and the session goes on', async () => {
    const { opened, faults } = await session(
      `reply(message.id, { content: ['x'.repeat(message.params.arguments.size)] })`,
      {
        lineCapBytes: 1000,
      },
    );
    await assert.rejects(opened.call('a', { size: 2000 }, 60_000), {
      code: 'PROTOCOL_ERROR',
      message: /a line of 2050 bytes is over the cap and was dropped/,
    });
    assert.equal((await opened.call('a', { size: 10 }, 5000)).content.length, 1);
    const [fault] = faults;
    assert.deepEqual([fault?.code, fault?.bytes_length], ['OVERSIZE_LINE', 2050]);
  });

  it('of 16 MiB comes through in a bounded time', async () => {
    const { opened, faults } = await session(
      `reply(message.id, { content: ['x'.repeat(16 * 1024 * 1024)] })`,
    );
    const started = performance.now();
    const { wire } = await opened.call('a', {}, 20_000);
    assert.equal(wire.response_bytes, 16 * 1024 * 1024 + 50);
    assert.ok(performance.now() - started < 3000);
    assert.deepEqual(faults, []);
  });

  it('is not stopped by a flood on stderr, of which the end is kept', async () => {
    const { opened } = await session(`process.stderr.write('x'.repeat(4e6) + ' end', () => { ${OK} })`);
    assert.deepEqual((await opened.call('a', {}, 10_000)).content, ['ok']);
    assert.match(opened.stderrTail(), /^x{8188} end$/);
  });
});
