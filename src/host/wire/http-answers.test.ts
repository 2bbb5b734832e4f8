/** What servers over HTTP answer wrongly: nothing is lost, nothing hangs, and a fault says what it was. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { sha256 } from '../../events/bytes.js';
import { answering, failing, replyTo, send, session, stand, stream } from './http.test.support.js';

describe('a bad status', () => {
  it('ends the call, which says what came; the body is its response', async () => {
    const body = '<h1>Bad\n gateway</h1>';
    const { opened, faults } = await answering((_message, response) =>
      send(response, body, 'text/html', 502),
    );
    const failure = await failing(opened.call('a', {}, 60_000));
    assert.match(
      failure.message,
      /^PROTOCOL_ERROR: http:\/\/127.0.0.1:\d+\/mcp: answered tools\/call with HTTP 502 Bad Gateway: <h1>Bad gateway<\/h1>$/,
    );
    assert.equal(failure.raw?.response?.toString(), body);
    assert.deepEqual(failure.wire?.http, {
      status: 502,
      content_type: 'text/html',
      body_bytes: body.length,
      body_sha256: sha256(body),
    });
    assert.deepEqual(
      faults.map(({ code, severity, text, http_status }) => [code, severity, text, http_status]),
      [['HTTP_STATUS', 'error', body, 502]],
    );
  });

  it('says what to do about it', async () => {
    const { opened } = await answering(({ params }, response) =>
      send(response, '', null, Number(JSON.stringify(params).match(/\d+/))),
    );
    const words = async (status: number) => (await failing(opened.call('a', { status }, 60_000))).facts.what;
    assert.deepEqual(
      [await words(401), await words(403), await words(404), await words(500)],
      [
        'answered tools/call with HTTP 401 Unauthorized: it asks for credentials: give them as a header of the server',
        'answered tools/call with HTTP 403 Forbidden: it refuses these credentials, or this client: check the headers of the server',
        'answered tools/call with HTTP 404 Not Found: the session has expired, or the server was started anew',
        'answered tools/call with HTTP 500 Internal Server Error',
      ],
    );
  });

  it('on an error of the protocol is that error, without a fault', async () => {
    const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such tool"}}';
    const { opened, faults } = await answering((_message, response) =>
      send(response, error, 'application/json', 400),
    );
    const { message, facts } = await failing(opened.call('a', {}, 60_000));
    assert.match(message, /HTTP 400 Bad Request: error -32602: no such tool$/);
    assert.deepEqual([facts.rpc_error?.code, facts.wire?.http?.status, faults], [-32602, 400, []]);
  });

  it('on an error with the id null, or on a result, is a fault', async () => {
    const gone = '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}';
    const { opened, faults } = await answering((message, response) =>
      send(response, message.id === 1 ? gone : replyTo(message), 'application/json', 404),
    );
    const { message, facts } = await failing(opened.call('a', {}, 60_000));
    assert.match(message, /HTTP 404 Not Found: error -32001: Session not found: the session has expired/);
    assert.equal(facts.rpc_error?.code, -32001);
    assert.deepEqual((await opened.call('b', {}, 5000)).content, ['ok']);
    assert.deepEqual(
      faults.map(({ code, severity }) => `${severity} ${code}`),
      ['error HTTP_STATUS', 'warning HTTP_STATUS'],
    );
  });

  it('on a notification, a stream, or the end, is a fault and no more', async () => {
    const { url } = await stand((message, response) => send(response, replyTo(message)), {
      onNotification: (_message, response) => send(response, 'what?', 'text/plain', 500),
      onGet: (_request, response) => send(response, 'no', 'text/plain', 404),
      onDelete: (_request, response) => send(response, 'never', 'text/plain', 400),
    });
    const { opened, faults } = await session(url);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual((await opened.call('a', {}, 5000)).content, ['ok']);
    assert.equal((await opened.close()).how, 'session_end');
    assert.deepEqual(
      faults.map(({ code, severity, message, text }) => `${severity} ${code}: ${message}: ${text}`),
      [
        'warning HTTP_STATUS: HTTP 500 Internal Server Error in answer to notifications/initialized: what?',
        'warning HTTP_STATUS: HTTP 404 Not Found in answer to GET: no',
        'warning HTTP_STATUS: HTTP 400 Bad Request in answer to DELETE: never',
      ],
    );
  });
});

describe('a body', () => {
  const failed = async (body: string, type: string | null) => {
    const { opened, faults } = await answering((_message, response) => send(response, body, type));
    const { facts } = await failing(opened.call('a', {}, 60_000));
    return [facts.code, facts.what, ...faults.map(({ code, message }) => `${code}: ${message}`)];
  };

  it('that is no JSON, or empty, or something else, ends the call', async () => {
    assert.deepEqual(await failed('{"jsonrpc":', 'application/json'), [
      'PROTOCOL_ERROR',
      'answered tools/call with HTTP 200 OK and no reply, but 11 bytes of application/json',
      'HTTP_BODY: a message that is not JSON',
    ]);
    assert.deepEqual(await failed('', 'application/json'), [
      'PROTOCOL_ERROR',
      'answered tools/call with HTTP 200 OK and no reply, but 0 bytes of application/json',
      'HTTP_BODY: an empty body where a reply was due',
    ]);
    assert.deepEqual(await failed('<p>Hi', 'text/html'), [
      'PROTOCOL_ERROR',
      'answered tools/call with HTTP 200 OK and no reply, but 5 bytes of text/html',
      'HTTP_BODY: the body is text/html, not application/json',
    ]);
    assert.deepEqual(await failed('[]', 'application/json'), [
      'PROTOCOL_ERROR',
      'answered tools/call with HTTP 200 OK and no reply, but 2 bytes of application/json',
      'BATCH: several messages in one array',
      'NOT_JSON_RPC: JSON, but not a JSON-RPC 2.0 message',
    ]);
    assert.deepEqual(await failed('{"jsonrpc":"2.0","id":99,"result":{}}', 'application/json'), [
      'PROTOCOL_ERROR',
      'answered tools/call with HTTP 200 OK and no reply, but 37 bytes of application/json',
      'UNKNOWN_REPLY: a reply to a request that was never sent',
    ]);
  });

  it('that is the reply under a wrong name is read', async () => {
    const { opened, faults } = await answering((message, response) =>
      send(response, replyTo(message), message.id === 1 ? 'text/plain' : null),
    );
    assert.deepEqual((await opened.call('a', {}, 5000)).content, ['ok']);
    assert.deepEqual((await opened.call('b', {}, 5000)).content, ['ok']);
    assert.deepEqual(
      faults.map(({ severity, code, message }) => `${severity} ${code}: ${message}`),
      [
        'warning HTTP_BODY: the body is text/plain, not application/json; it is a whole message, and was read',
        'warning HTTP_BODY: the body is of no type, not application/json; it is a whole message, and was read',
      ],
    );
  });

  it('that is not UTF-8 is read, and its exact bytes are kept', async () => {
    const body = Buffer.from(
      '7b226a736f6e727063223a22322e30222c226964223a312c22726573756c74223a7b22636f6e74656e74223a5b22c3225d7d7d',
      'hex',
    );
    const { opened, faults, codes } = await answering((message, response) => {
      if (message.id === 1) send(response, body);
      else
        stream(response).end(
          Buffer.concat([
            Buffer.from('data: '),
            Buffer.from(body.toString('latin1').replace('"id":1', '"id":2'), 'latin1'),
            Buffer.from('\n\n'),
          ]),
        );
    });
    const { content, raw } = await opened.call('a', {}, 5000);
    assert.deepEqual([content, raw.response], [['\uFFFD'], body]);
    assert.deepEqual((await opened.call('b', {}, 5000)).raw.response?.includes(0xc3), true);
    assert.deepEqual(codes(), ['INVALID_UTF8', 'INVALID_UTF8']);
    assert.match(Buffer.from(faults[1]?.base64 ?? '', 'base64').toString('latin1'), /\["\u00c3"\]/);
  });

  it('with several messages is a batch, as on stdio', async () => {
    const { opened, codes, passing } = await answering((message, response) =>
      send(
        response,
        `[{"jsonrpc":"2.0","method":"notifications/x"},${replyTo(message)},${replyTo(message)}]`,
      ),
    );
    assert.deepEqual((await opened.call('a', {}, 5000)).content, ['ok']);
    assert.deepEqual(codes(), ['BATCH', 'DUPLICATE_REPLY']);
    assert.equal(passing.at(-1)?.kind, 'other');
  });

  it('over the cap is left, however long it is, and the session goes on', async () => {
    const { opened, faults } = await answering(
      (message, response) => {
        response.setHeader('content-type', message.id === 1 ? 'application/json' : 'text/event-stream');
        if (message.id === 3) response.end(`data: ${replyTo(message)}\n\n`);
        else endless(response);
      },
      { lineCapBytes: 100_000 },
    );
    const body = await failing(opened.call('a', {}, 60_000));
    const event = await failing(opened.call('b', {}, 60_000));
    assert.match(
      body.facts.what,
      /HTTP 200 OK: a message over the cap of 100000 bytes; the response was left/,
    );
    assert.match(event.facts.what, /HTTP 200 OK: its stream was left at a message over the cap/);
    assert.deepEqual((await opened.call('c', {}, 5000)).content, ['ok']);
    assert.deepEqual(
      faults.map(({ code, bytes_length, text }) => [
        code,
        bytes_length > 100_000,
        bytes_length < 500_000,
        text.slice(0, 9),
      ]),
      [
        ['OVERSIZE_LINE', true, true, 'data: {"x'],
        ['OVERSIZE_LINE', true, true, 'data: {"x'],
      ],
    );
  });
});

describe('an event', () => {
  it('that is no message does not end its stream', async () => {
    const { opened, faults } = await answering((message, response) =>
      stream(response).end(
        `data: hello\n\nevent: ping\ndata: 1\n\ndata: ${replyTo(message)}\n\ndata: ${replyTo(message)}\n\n`,
      ),
    );
    assert.deepEqual((await opened.call('a', {}, 5000)).content, ['ok']);
    await opened.close();
    assert.deepEqual(
      faults.map(({ code, message, line }) => `${code}: ${message}: ${line}`),
      [
        'HTTP_BODY: a message that is not JSON: hello',
        'HTTP_BODY: an event of the type ping, not read: 1',
        `DUPLICATE_REPLY: a second reply to the same request: ${replyTo({ id: 1 })}`,
      ],
    );
  });
});

/** Writes for ever, or until nobody listens. */
function endless(response: ServerResponse): void {
  response.write('data: {"x":"');
  const timer = setInterval(() => response.write('x'.repeat(10_000)), 1);
  response.on('close', () => clearInterval(timer));
}
