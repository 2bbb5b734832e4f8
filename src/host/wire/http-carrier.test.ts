/** Requests over HTTP: which headers they have, and where they go. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { answering, listen, replyTo, send, session, stand } from './http.test.support.js';

describe('headers', () => {
  it('of the server go with every request, and so do session and version', async () => {
    const { url, seen } = await stand((message, response) => send(response, replyTo(message)));
    const { opened } = await session(url, {}, { 'X-Key': 'sesame' });
    await opened.call('a', {}, 5000);
    await opened.close();
    assert.deepEqual(
      seen
        .map(({ http, method, headers }) => [
          `${http} ${method ?? ''}`,
          headers['x-key'],
          headers['mcp-session-id'],
          headers['mcp-protocol-version'],
        ])
        .sort(),
      [
        ['DELETE ', 'sesame', 'session-1', '2025-11-25'],
        ['GET ', 'sesame', 'session-1', '2025-11-25'],
        ['POST initialize', 'sesame', undefined, undefined],
        ['POST notifications/initialized', 'sesame', 'session-1', '2025-11-25'],
        ['POST tools/call', 'sesame', 'session-1', '2025-11-25'],
      ],
    );
    assert.deepEqual([opened.handshake.url, opened.handshake.header_names], [url, ['X-Key']]);
  });

  it('that cannot be sent are a problem whose words do not hold their values', async () => {
    await assert.rejects(session('http://127.0.0.1:1/', {}, { 'X-Key': 'se\nsame' }), {
      name: 'Problem',
      message:
        /^SERVER_HEADER: the header "X-Key" of the server cannot be sent: its name may hold letters, digits and "-", its value visible ASCII and no line end$/,
    });
    await assert.rejects(session('ftp://me:sesame@127.0.0.1/'), {
      message: /^SERVER_URL: servers are not spoken to over ftp:/,
    });
  });

  it('do not follow a redirect to another origin', async () => {
    const { url: elsewhere, seen } = await stand((message, response) => send(response, replyTo(message)));
    const { opened, faults } = await answering((_message, response) =>
      response.writeHead(307, { location: `${elsewhere}?token=secret` }).end(),
    );
    await assert.rejects(opened.call('a', {}, 60_000), {
      code: 'PROTOCOL_ERROR',
      message:
        /HTTP 307 Temporary Redirect to http:\/\/127\.0\.0\.1:\d+\/mcp was not followed: use that address/,
    });
    assert.deepEqual(seen, []);
    assert.deepEqual(
      faults.map(({ code }) => code),
      ['HTTP_STATUS'],
    );
    assert.ok(!faults[0]?.message.includes('secret'));
  });

  it('follow one within the origin', async () => {
    const { url, server, seen } = await stand((message, response) => send(response, replyTo(message)));
    const moved = createServer((request, response) => {
      if (request.url === '/old') response.writeHead(308, { location: '/mcp' }).end();
      else server.emit('request', request, response);
    });
    const { opened, faults } = await session((await listen(moved)).replace('/mcp', '/old'));
    assert.deepEqual((await opened.call('a', {}, 5000)).content, ['ok']);
    assert.deepEqual([faults, seen.length > 2, url.length > 0], [[], true, true]);
  });
});
