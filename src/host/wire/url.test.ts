/** Addresses of servers: which can be used, and what of them may be seen. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { serverUrl, shownUrl } from './url.js';

it('an address is shown without what may hold credentials', () => {
  assert.equal(
    shownUrl('https://me:secret@example.org:8443/mcp?key=secret#x'),
    'https://example.org:8443/mcp',
  );
});

it('only http and https are spoken, and an error does not repeat the address', () => {
  assert.equal(serverUrl('http://127.0.0.1:8/mcp').port, '8');
  assert.throws(() => serverUrl('ws://secret@host/'), {
    message: 'SERVER_URL: servers are not spoken to over ws:: write it as http://HOST:PORT/PATH',
  });
  assert.throws(() => serverUrl('secret'), {
    message: /^SERVER_URL: the address of the server is no URL: write/,
  });
});
