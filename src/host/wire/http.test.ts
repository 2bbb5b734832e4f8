/** Servers over HTTP that do it right: every message exactly, what carried it, and an end that leaves nothing. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { sha256 } from '../../events/bytes.js';
import type { CatalogPage, McpSession } from '../mcp.js';
import { answering, listen, replyTo, send, serverOf, session, stand, stream } from './http.test.support.js';

const REPLY = '{"result": {"content":["Łódź"], "n":1.0},\n "id":1, "jsonrpc":"2.0"}';

async function listing(opened: McpSession): Promise<CatalogPage[]> {
  const pages: CatalogPage[] = [];
  for await (const page of opened.pages()) pages.push(page);
  return pages;
}

describe('a reply over HTTP', () => {
  it('is the JSON body, exactly, with what HTTP put around it', async () => {
    const { opened, faults } = await answering((_message, response) =>
      send(response, REPLY, 'application/json; charset=utf-8'),
    );
    const { raw, wire, content } = await opened.call('a', { city: 'Łódź' }, 5000);
    assert.deepEqual(content, ['Łódź']);
    assert.equal(raw.response?.toString(), REPLY);
    const request =
      '{"method":"tools/call","params":{"name":"a","arguments":{"city":"Łódź"}},"jsonrpc":"2.0","id":1}';
    assert.equal(raw.request.toString(), request);
    assert.deepEqual(wire, {
      request_bytes: Buffer.byteLength(request),
      request_sha256: sha256(request),
      response_bytes: Buffer.byteLength(REPLY),
      response_sha256: sha256(REPLY),
      http: {
        status: 200,
        content_type: 'application/json; charset=utf-8',
        body_bytes: Buffer.byteLength(REPLY),
        body_sha256: sha256(REPLY),
      },
    });
    assert.deepEqual(faults, []);
  });

  it('is the data of one event of a stream; what comes before it passes', async () => {
    const note = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"é"}}';
    const body = `: hello\n\nid: 7\ndata: \n\ndata: ${note}\n\nevent: message\ndata: ${REPLY.replace('\n', '\ndata: ')}\n\n`;
    const { opened, faults, passing } = await answering((_message, response) => stream(response).end(body));
    const { raw, wire } = await opened.call('a', {}, 5000);
    assert.equal(raw.response?.toString(), REPLY);
    assert.deepEqual(
      [wire.response_sha256, wire.http?.content_type, wire.http?.body_bytes, wire.http?.body_sha256],
      [sha256(REPLY), 'text/event-stream', Buffer.byteLength(body), sha256(body)],
    );
    assert.equal(passing.at(-1)?.line.toString(), note);
    assert.equal(passing.at(-1)?.method, 'notifications/message');
    assert.deepEqual(faults, []);
  });

  it('is found whatever the chunks and line ends are', async () => {
    const bytes = Buffer.from(`\uFEFFdata: ${REPLY.replace('\n', '')}\r\n\r\n`);
    const { opened, faults } = await answering(async (_message, response) => {
      stream(response);
      for (const byte of bytes) response.write(Buffer.from([byte]));
      response.end();
    });
    assert.equal((await opened.call('a', {}, 5000)).raw.response?.toString(), REPLY.replace('\n', ''));
    assert.deepEqual(faults, []);
  });

  it('of 16 MiB comes through in a bounded time, as a body and as an event', async () => {
    const { opened, faults } = await answering((message, response) => {
      const reply = replyTo(message, { content: ['x'.repeat(16 * 1024 * 1024)] });
      if (message.id === 1) send(response, reply);
      else stream(response).end(`data: ${reply}\n\n`);
    });
    const started = performance.now();
    assert.equal((await opened.call('a', {}, 20_000)).wire.response_bytes, 16 * 1024 * 1024 + 50);
    assert.equal((await opened.call('b', {}, 20_000)).wire.response_bytes, 16 * 1024 * 1024 + 50);
    assert.ok(performance.now() - started < 8000);
    assert.deepEqual(faults, []);
  });

  it('answers a server that asks in the middle of a call', async () => {
    const { opened, faults, passing } = await answering((message, response) => {
      stream(response).write('data: {"jsonrpc":"2.0","id":"q","method":"ping"}\n\n');
      setTimeout(() => response.end(`data: ${replyTo(message)}\n\n`), 100);
    });
    assert.deepEqual((await opened.call('a', {}, 5000)).content, ['ok']);
    assert.deepEqual(
      passing.slice(-2).map(({ direction, kind, line }) => [direction, kind, line.toString()]),
      [
        ['to_client', 'request', '{"jsonrpc":"2.0","id":"q","method":"ping"}'],
        ['to_server', 'response', '{"result":{},"jsonrpc":"2.0","id":"q"}'],
      ],
    );
    assert.deepEqual(faults, []);
  });
});

describe('the end of a session', () => {
  it('is told to the server, and needs no answer but one', async () => {
    const { opened, seen, faults } = await answering(() => undefined);
    const { how, exit_code, signal } = await opened.close();
    assert.deepEqual([how, exit_code, signal], ['session_end', null, null]);
    assert.equal(seen.at(-1)?.http, 'DELETE');
    assert.equal((await opened.close()).how, 'session_end');
    assert.deepEqual(faults, []);
  });

  it('may be declined, and is not waited for without end', async () => {
    const declining = await stand(() => undefined, {
      onDelete: (_request, response) => response.writeHead(405).end(),
    });
    const silent = await stand(() => undefined, { onDelete: () => undefined });
    const first = await session(declining.url);
    const second = await session(silent.url, { waits: { stdin_end_ms: 100, sigterm_ms: 100 } });
    assert.equal((await first.opened.close()).how, 'session_end');
    const { how, elapsed_ms } = await second.opened.close();
    assert.deepEqual([how, elapsed_ms > 90, elapsed_ms < 1900], ['session_end', true, true]);
    assert.deepEqual(first.faults, []);
    assert.deepEqual(
      second.faults.map(({ code, message }) => `${code}: ${message}`),
      ['HTTP_CUT: no answer to the end of the session within 100 ms'],
    );
  });

  it('of a server that is gone is no error', async () => {
    const { opened, server } = await answering(() => undefined);
    server.closeAllConnections();
    server.close();
    assert.equal((await opened.close()).how, 'exited');
  });

  it('by killNow ends a call at once', async () => {
    const { opened } = await answering(() => undefined);
    const call = assert.rejects(opened.call('a', {}, 60_000), {
      code: 'SERVER_EXITED',
      message: /: was left before it answered tools\/call$/,
    });
    setTimeout(() => opened.killNow(), 50);
    await call;
  });

  it('lets the process end, though the server keeps its streams open', async () => {
    const { url } = await stand(
      (message, response) => {
        stream(response).write(`data: ${replyTo(message)}\n\n`);
      },
      { onGet: (_request, response) => stream(response).write(': open\n\n') },
    );
    const mcp = fileURLToPath(new URL('../mcp.js', import.meta.url));
    const program = `
      import { openSession } from ${JSON.stringify(mcp)};
      const session = await openSession({ url: '${url}', headers: {} }, { connectTimeoutMs: 5000, onFault: console.error });
      await session.call('a', {}, 5000);
      console.log((await session.close()).how);
    `;
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', program],
      { timeout: 8000 },
    );
    assert.deepEqual([stdout, stderr], ['session_end\n', '']);
  });
});

it('a thousand calls keep nothing', async () => {
  setFlagsFromString('--expose_gc');
  const collect: () => void = runInNewContext('gc');
  const held = () => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const { opened } = await answering((message, response) =>
    send(response, replyTo(message, { content: ['x'.repeat(20_000)] })),
  );
  await opened.call('a', {}, 5000);
  const before = held();
  for (let call = 0; call < 1000; call++) await opened.call('a', {}, 5000);
  // What is no longer needed may be freed a little later; what is kept stays, however often is asked.
  const asked: number[] = [];
  while (asked.length < 50 && (asked.at(-1) ?? Number.POSITIVE_INFINITY) >= 5_000_000) {
    await delay(20);
    asked.push(held() - before);
  }
  assert.ok((asked.at(-1) ?? 0) < 5_000_000, `${asked.at(-1)} of 20,000,000 bytes are still held`);
});

describe('the SDK as the server', () => {
  const server = () => {
    const made = new McpServer({ name: 'good', version: '1' });
    made.registerTool('now', { description: 'The time' }, () => ({
      content: [{ type: 'text', text: 'noon' }],
    }));
    return made;
  };
  const url = () => listen(serverOf(createMcpHandler(server).fetch));

  it('is spoken to in the modern era, in the legacy era, and in either', async () => {
    const address = await url();
    const eras = ['modern', 'legacy', 'auto'] as const;
    const sessions = await Promise.all(eras.map((era) => session(address, { era })));
    assert.deepEqual(
      sessions.map(({ opened: { handshake } }) => [
        handshake.era,
        handshake.protocol_version,
        handshake.server_name,
      ]),
      [
        ['modern', '2026-07-28', 'good'],
        ['legacy', '2025-11-25', 'good'],
        ['modern', '2026-07-28', 'good'],
      ],
    );
    for (const { opened, faults } of sessions) {
      const [page] = await listing(opened);
      assert.equal(page?.wire.http?.status, 200);
      assert.deepEqual((await opened.call('now', {}, 5000)).content, [{ type: 'text', text: 'noon' }]);
      assert.equal((await opened.close()).how, 'session_end');
      assert.deepEqual(faults, []);
    }
  });
});

it('the public reference server is recorded over HTTP, and no fault is its own', async (test) => {
  const path = fileURLToPath(
    new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
  );
  const port = String(20_000 + (process.pid % 20_000));
  const everything = spawn(process.execPath, [path, 'streamableHttp'], {
    env: { PORT: port },
    stdio: 'pipe',
  });
  test.after(() => everything.kill());
  await new Promise((resolve) => everything.stderr.once('data', resolve));
  const { opened, codes } = await session(`http://127.0.0.1:${port}/mcp`, { era: 'auto' });
  const [page] = await listing(opened);
  const { content } = await opened.call('echo', { message: 'hello' }, 5000);
  const { how } = await opened.close();
  assert.deepEqual(
    opened.handshake.attempts.map(({ method, outcome }) => `${method} ${outcome}`),
    ['server/discover refused', 'initialize answered'],
  );
  assert.deepEqual([page?.tools.length, page?.wire.http?.content_type], [13, 'text/event-stream']);
  assert.deepEqual([content, how], [[{ type: 'text', text: 'Echo: hello' }], 'session_end']);
  assert.deepEqual(codes(), ['HTTP_STATUS']);
});
