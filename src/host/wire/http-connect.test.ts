/** Servers over HTTP that cannot be connected to, and the two eras of those that can. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { listen, replyTo, send, serverOf, session, stand } from './http.test.support.js';

const refused = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}';

/** Attempts of a handshake, and the codes of all faults, for a server that treats `server/discover` so. */
async function probing(onDiscover: Parameters<typeof stand>[0]) {
  const { url } = await stand(onDiscover);
  const { opened, codes } = await session(url, { era: 'auto', probeTimeoutMs: 100 });
  return [...opened.handshake.attempts.map(({ method, outcome }) => `${method} ${outcome}`), ...codes()];
}

describe('a server over HTTP that cannot be connected to', () => {
  it('because nobody listens there', async () => {
    const nobody = createServer();
    const url = await listen(nobody);
    nobody.close();
    for (const era of ['legacy', 'modern', 'auto'] as const) {
      await assert.rejects(session(url, { era }), {
        code: 'SERVER_START_FAILED',
        message:
          /^SERVER_START_FAILED: http:\S+\/mcp: could not be reached \(connect ECONNREFUSED 127\.0\.0\.1:\d+\)$/,
      });
    }
  });

  it('because it drops every connection', async () => {
    const url = await listen(createServer((request) => request.socket.destroy()));
    await assert.rejects(session(url), {
      code: 'SERVER_START_FAILED',
      message: /: dropped the connection \(socket hang up\)$/,
    });
  });

  it('because its certificate is none, or it does not speak TLS', async () => {
    const url = await listen(createServer());
    await assert.rejects(session(url.replace('http:', 'https:')), {
      code: 'SERVER_START_FAILED',
      message: /: could not be reached \(.*\)$/,
    });
  });

  it('because it wants credentials, with those that it was given kept to ourselves', async () => {
    const url = await listen(createServer((_request, response) => send(response, '', null, 401)));
    for (const era of ['legacy', 'auto'] as const) {
      await assert.rejects(
        session(url, { era }, { authorization: 'Bearer sesame' }),
        ({ message }: Error) => {
          assert.match(message, /HTTP 401 Unauthorized: it asks for credentials: give them as a header/);
          return !message.includes('sesame');
        },
      );
    }
  });

  it('because there is something else', async () => {
    const page = await listen(createServer((_request, response) => send(response, '<p>Hi', 'text/html')));
    await assert.rejects(session(page, { era: 'auto' }), {
      code: 'PROTOCOL_ERROR',
      message: /no agreement by initialize: HTTP 200 OK and no reply, but 5 bytes of text\/html$/,
    });
    const nothing = await listen(
      createServer((_request, response) => send(response, 'nope', 'text/plain', 404)),
    );
    await assert.rejects(session(nothing, { era: 'auto' }), {
      code: 'PROTOCOL_ERROR',
      message: /by initialize: HTTP 404 Not Found: nope: is this the address of its MCP endpoint\?$/,
    });
  });

  it('because it is silent: the time-out holds', async () => {
    const url = await listen(createServer(() => undefined));
    await assert.rejects(session(url, { connectTimeoutMs: 200 }), {
      code: 'CONNECT_TIMEOUT',
      message: /no answer to initialize within \d+ ms; nothing came$/,
    });
  });

  it('because it is of the other era', async () => {
    const { url } = await stand((_message, response) => send(response, refused, 'application/json', 400));
    await assert.rejects(session(url, { era: 'modern' }), {
      code: 'PROTOCOL_ERROR',
      message: /server\/discover/,
    });
    const modern = createMcpHandler(() => new McpServer({ name: 'modern', version: '1' }), {
      legacy: 'reject',
    });
    await assert.rejects(session(await listen(serverOf(modern.fetch))), {
      code: 'PROTOCOL_ERROR',
      message: /by initialize: HTTP 400 Bad Request: error -32022:/,
    });
  });

  it('because the signal says so', async () => {
    const url = await listen(createServer(() => undefined));
    const started = performance.now();
    await assert.rejects(session(url, { signal: AbortSignal.timeout(50), era: 'auto' }));
    assert.ok(performance.now() - started < 2000);
  });
});

describe('a server of the legacy era over HTTP, asked for either', () => {
  it('may refuse, fail at, or answer nonsense to server/discover', async () => {
    const greeted = 'initialize answered';
    assert.deepEqual(
      await probing((_message, response) => send(response, refused, 'application/json', 400)),
      ['server/discover refused', greeted, 'HTTP_STATUS'],
    );
    assert.deepEqual(
      await probing(({ id }, response) =>
        send(response, JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } })),
      ),
      ['server/discover refused', greeted],
    );
    assert.deepEqual(await probing((_message, response) => send(response, 'boom', 'text/plain', 500)), [
      'server/discover refused',
      greeted,
      'HTTP_STATUS',
    ]);
    assert.deepEqual(await probing((_message, response) => send(response, 'Hi', 'text/plain')), [
      'server/discover refused',
      greeted,
      'HTTP_BODY',
    ]);
    assert.deepEqual(await probing((message, response) => send(response, replyTo(message, {}))), [
      'server/discover answered',
      greeted,
    ]);
  });

  it('may drop the connection, or be silent', async () => {
    assert.deepEqual(await probing((_message, response) => response.socket?.destroy()), [
      'server/discover exited',
      'initialize answered',
    ]);
    assert.deepEqual(await probing(() => undefined), ['server/discover timeout', 'initialize answered']);
  });
});
