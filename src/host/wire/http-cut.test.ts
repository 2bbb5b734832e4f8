/** Connections that end too early, or never: the call ends in time, and what came is kept. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { answering, failing, replyTo, session, stand, stream } from './http.test.support.js';

describe('a connection', () => {
  it('that is cut in the middle of a body ends the call at once, and what came is kept', async () => {
    const half = '{"jsonrpc":"2.0","id":1,"resu';
    const { opened, faults } = await answering((_message, response) =>
      cut(response, half, 'application/json'),
    );
    const { facts } = await failing(opened.call('a', {}, 60_000));
    assert.deepEqual(
      [facts.code, facts.what, facts.raw?.response],
      ['PROTOCOL_ERROR', 'tools/call: HTTP 200 OK: the body broke off after 29 bytes', null],
    );
    assert.deepEqual(
      faults.map(({ code, severity, line }) => [code, severity, line?.toString()]),
      [['HTTP_CUT', 'error', half]],
    );
  });

  it('that is cut behind a whole reply loses nothing', async () => {
    const { opened, faults } = await answering((message, response) =>
      message.id === 1
        ? cut(response, replyTo(message), 'application/json')
        : cut(response, `data: ${replyTo(message)}\n`, 'text/event-stream'),
    );
    assert.deepEqual((await opened.call('a', {}, 5000)).content, ['ok']);
    assert.deepEqual((await opened.call('b', {}, 5000)).content, ['ok']);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(
      faults.map(({ code, severity }) => `${severity} ${code}`),
      ['warning HTTP_CUT', 'warning MISSING_NEWLINE', 'warning HTTP_CUT'],
    );
  });

  it('that is cut in the middle of a stream ends the call at once', async () => {
    const { opened, faults } = await answering((message, response) =>
      message.id === 1
        ? cut(response, 'data: {"jsonrpc":', 'text/event-stream')
        : stream(response).end(': nothing\n\n'),
    );
    const first = await failing(opened.call('a', {}, 60_000));
    const second = await failing(opened.call('b', {}, 60_000));
    assert.equal(first.facts.what, 'tools/call: HTTP 200 OK: its stream broke off in the middle of an event');
    assert.equal(second.facts.what, 'tools/call: HTTP 200 OK: its stream ended without the reply');
    assert.deepEqual(
      faults.map(({ code, severity, text }) => [code, severity, text]),
      [
        ['HTTP_CUT', 'error', '{"jsonrpc":'],
        ['HTTP_CUT', 'error', ''],
      ],
    );
  });

  it('that is cut in a stream which can be resumed is resumed', async () => {
    const { url, seen } = await stand(
      (_message, response) => cut(response, 'id: e1\nretry: 20\ndata: \n\ndata: {"js', 'text/event-stream'),
      {
        onGet: ({ headers }, response) =>
          headers['last-event-id'] === 'e1'
            ? stream(response).end(`data: ${replyTo({ id: 1 })}\n\n`)
            : response.writeHead(405).end(),
      },
    );
    const { opened, faults } = await session(url);
    assert.deepEqual((await opened.call('a', {}, 5000)).content, ['ok']);
    assert.equal(seen.at(-1)?.http, 'GET');
    assert.deepEqual(
      faults.map(({ code, severity, text }) => [code, severity, text]),
      [['HTTP_CUT', 'warning', '{"js']],
    );
  });

  it('that is dropped before any answer, or refused, means that the server is gone', async () => {
    const { opened, server, codes } = await answering((_message, response) => response.socket?.destroy());
    await assert.rejects(opened.call('a', {}, 60_000), {
      code: 'SERVER_EXITED',
      message: /: dropped the connection \(socket hang up\) before it answered tools\/call$/,
    });
    server.closeAllConnections();
    server.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await assert.rejects(opened.call('b', {}, 60_000), {
      code: 'SERVER_EXITED',
      message:
        /: could not be reached \(connect ECONNREFUSED 127\.0\.0\.1:\d+\) before it answered tools\/call$/,
    });
    assert.deepEqual(codes(), []);
  });

  it('that is wanted for another protocol is left', async () => {
    const { opened } = await answering((_message, response) =>
      response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    );
    await assert.rejects(opened.call('a', {}, 60_000), {
      code: 'SERVER_EXITED',
      message: /: left HTTP for another protocol before it answered tools\/call$/,
    });
  });

  it('on which something else than HTTP comes is kept', async () => {
    const { opened, faults } = await answering((_message, response) =>
      response.socket?.end('220 mail.example.org ESMTP\r\n'),
    );
    assert.match(
      (await failing(opened.call('a', {}, 60_000))).facts.what,
      /^tools\/call: what came back is no HTTP/,
    );
    assert.deepEqual(
      faults.map(({ code, text }) => [code, text]),
      [['HTTP_BODY', '220 mail.example.org ESMTP\r\n']],
    );
  });

  it('on which a part of the answer comes is aborted at the time-out; the part is kept', async () => {
    const { opened, faults } = await answering((message, response) => {
      const parts = ['{"jso', 'data: {"jso', 'boom', ': hm'];
      const heads = [
        [200, 'application/json'],
        [200, 'text/event-stream'],
        [500, 'text/plain'],
        [200, 'text/event-stream'],
      ] as const;
      const at = Number(message.id) - 1;
      response.writeHead(heads[at]?.[0] ?? 0, { 'content-type': heads[at]?.[1] }).write(parts[at]);
    });
    await assert.rejects(opened.call('a', {}, 100), { code: 'CALL_TIMEOUT' });
    await assert.rejects(opened.call('b', {}, 100), { code: 'CALL_TIMEOUT' });
    await assert.rejects(opened.call('c', {}, 100), { code: 'CALL_TIMEOUT' });
    await assert.rejects(opened.call('d', {}, 100), { code: 'CALL_TIMEOUT' });
    await opened.close();
    assert.deepEqual(
      faults.map(({ code, severity, message, line }) => `${severity} ${code}: ${message}: ${line}`),
      [
        'error HTTP_CUT: the body was left after 5 bytes: {"jso',
        'error HTTP_CUT: its stream was left in the middle of an event: {"jso',
        'error HTTP_STATUS: HTTP 500 Internal Server Error, whose body was left after 4 bytes: boom',
      ],
    );
  });

  it('on which nothing comes is aborted at the time-out; a reply elsewhere is late', async () => {
    let tell: (event: string) => void = () => undefined;
    let closed: Promise<unknown> = Promise.resolve();
    const { url } = await stand(
      (_message, response) => {
        closed = new Promise((resolve) => response.on('close', resolve));
      },
      {
        onGet: (_request, response) => {
          stream(response).write(': open\n\n');
          tell = (event) => response.write(event);
        },
      },
    );
    const { opened, faults, passing } = await session(url);
    await assert.rejects(opened.call('a', {}, 100), { code: 'CALL_TIMEOUT', message: /within 100 ms/ });
    await closed;
    tell(`data: ${replyTo({ id: 1 })}\n\ndata: ${replyTo({ id: null })}\n\n`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(
      faults.map(({ code }) => code),
      ['LATE_REPLY', 'NULL_ID_REPLY'],
    );
    assert.equal(passing.at(-1)?.method, 'notifications/cancelled');
  });
});

/** Promises more than it writes, and breaks off. */
function cut(response: ServerResponse, text: string, type: string): void {
  response.writeHead(200, { 'content-type': type, 'content-length': 1_000_000 });
  response.write(text, () => setTimeout(() => response.destroy(), 20));
}
