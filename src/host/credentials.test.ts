/** The endpoint and its credentials: what is taken from the environment, and what never reaches a log. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiKeyIn, baseUrlIn, secretsIn } from './credentials.js';

describe('the key', () => {
  it('is trimmed, as a newline at its end is no part of it', () => {
    assert.equal(apiKeyIn({ ANTHROPIC_API_KEY: ' sk-1\r\n' }), 'sk-1');
  });

  it('that is not there is asked for', () => {
    assert.throws(() => apiKeyIn({}), { code: 'API_KEY_REQUIRED' });
    assert.throws(() => apiKeyIn({ ANTHROPIC_API_KEY: ' \n' }), { code: 'API_KEY_REQUIRED' });
  });

  it('that no header can carry is refused without being told', () => {
    assert.throws(
      () => apiKeyIn({ ANTHROPIC_API_KEY: 'sk-1\nsecret' }),
      (error: Error & { code: string }) => {
        assert.equal(error.code, 'API_KEY_INVALID');
        assert.equal(error.message.includes('secret'), false);
        return true;
      },
    );
    assert.throws(() => apiKeyIn({ ANTHROPIC_API_KEY: 'schlüssel' }), { code: 'API_KEY_INVALID' });
  });
});

describe('the endpoint', () => {
  it('is an http or https address, with a path or without', () => {
    assert.equal(baseUrlIn({}), null);
    assert.equal(baseUrlIn({ ANTHROPIC_BASE_URL: ' ' }), null);
    assert.equal(baseUrlIn({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/api ' }), 'http://127.0.0.1:1/api');
  });

  it('that is none is refused, and so are credentials in it, which are not told', () => {
    const refused = (ANTHROPIC_BASE_URL: string) =>
      assert.throws(
        () => baseUrlIn({ ANTHROPIC_BASE_URL }),
        (error: Error & { code: string }) => {
          assert.equal(error.code, 'BASE_URL_INVALID');
          assert.equal(error.message.includes('hunter2'), false);
          return true;
        },
      );
    refused('localhost:8080');
    refused('not an address');
    refused('file:///etc/passwd');
    refused('http://me:hunter2@127.0.0.1:1');
    refused('http://hunter2@127.0.0.1:1');
    refused('http://127.0.0.1:1/?token=hunter2');
  });
});

describe('a credential', () => {
  const secrets = secretsIn({
    ANTHROPIC_API_KEY: 'key-"12345',
    ANTHROPIC_AUTH_TOKEN: 'token-67890',
    ANTHROPIC_CUSTOM_HEADERS: 'X-Proxy-Auth: Basic a:b=1\nX-Plain: something-else 1',
    OTHER: 'other-12345',
  });

  it('is a key, a token, or the value of a header that is called so', () => {
    assert.deepEqual(secrets, [
      { name: 'ANTHROPIC_API_KEY', text: 'key-"12345' },
      { name: 'ANTHROPIC_AUTH_TOKEN', text: 'token-67890' },
      { name: 'ANTHROPIC_CUSTOM_HEADERS X-Proxy-Auth', text: 'Basic a:b=1' },
    ]);
  });

  it('is not a plain word, which may stand in any record', () => {
    assert.deepEqual(secretsIn({ ANTHROPIC_API_KEY: 'anything' }), []);
    assert.deepEqual(secretsIn({ ANTHROPIC_API_KEY: 'sk-1' }), []);
    assert.deepEqual(secretsIn({}), []);
  });
});
