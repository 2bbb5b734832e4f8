/** The stream beside the calls: what servers send unasked. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { replyTo, send, session, stand, stream } from './http.test.support.js';

describe('the stream of what a server sends unasked', () => {
  it('is open beside the calls, so that a changed catalog is seen', async () => {
    const { url } = await stand((message, response) => send(response, replyTo(message)), {
      onGet: (_request, response) =>
        stream(response).write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n'),
    });
    const told = new Promise((resolve) => {
      session(url, { onPassing: ({ method }) => method?.endsWith('list_changed') && resolve(method) });
    });
    assert.equal(await told, 'notifications/tools/list_changed');
  });

  it('may bring a reply whose request is still open elsewhere', async () => {
    let tell: (reply: string) => void = () => undefined;
    const { url } = await stand(
      (message, response) => {
        stream(response).write(': wait\n\n');
        tell(`data: ${replyTo(message)}\n\n`);
      },
      {
        onGet: (_request, response) => {
          stream(response).write(': open\n\n');
          tell = (reply) => response.write(reply);
        },
      },
    );
    const { opened, faults } = await session(url);
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual((await opened.call('a', {}, 5000)).content, ['ok']);
    assert.deepEqual(faults, []);
  });

  it('is opened again after its last event when it ends', async () => {
    const ids: unknown[] = [];
    const { url } = await stand(() => undefined, {
      onGet: ({ headers }, response) => {
        ids.push(headers['last-event-id']);
        stream(response)[ids.length === 1 ? 'end' : 'write']('retry: 10\nid: e5\ndata: \n\n');
      },
    });
    const { faults } = await session(url);
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.deepEqual([ids, faults], [[undefined, 'e5'], []]);
  });
});
