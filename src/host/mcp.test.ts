/** A session as its users meet it: what was said on the wire, exactly, and nothing of our environment. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../events/bytes.js';
import {
  type CatalogPage,
  type Fault,
  type McpSession,
  openSession,
  ServerFailure,
  type SessionOptions,
} from './mcp.js';
import { isObject } from './wire/json.js';
import { standIn } from './wire/stand-in.test.support.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const open: McpSession[] = [];
after(() => Promise.all(open.map((session) => session.close())));

/** A session that is closed when the tests end, and the faults that it reported. */
async function session(argv: [string, ...string[]], more: Partial<SessionOptions> = {}, env = {}) {
  const faults: Fault[] = [];
  const options = { connectTimeoutMs: 10_000, onFault: (fault: Fault) => faults.push(fault), ...more };
  const opened = await openSession({ argv, env, cwd: here }, options);
  open.push(opened);
  return { opened, faults };
}

/** A session whose server answers every call with this text as its result. */
function answering(result: string) {
  const line = `'{"jsonrpc":"2.0","id":' + message.id + ',"result":${result}}\\n'`;
  return session(standIn(`process.stdout.write(${line})`));
}

/** Every page of the catalog. */
async function listing(opened: McpSession): Promise<CatalogPage[]> {
  const pages: CatalogPage[] = [];
  for await (const page of opened.pages()) pages.push(page);
  return pages;
}

describe('a handshake', () => {
  it('tells who answered and what it cost', async () => {
    const { opened, faults } = await session(standIn(''));
    const { handshake } = opened;
    assert.deepEqual(
      [handshake.era, handshake.server_name, handshake.server_version, handshake.instructions],
      ['legacy', 'stand-in', '9', 'Ask.'],
    );
    assert.deepEqual(handshake.server_capabilities, { tools: {}, odd: { kept: true } });
    assert.deepEqual(handshake.client_capabilities, {});
    assert.deepEqual(
      handshake.attempts.map(({ method, outcome }) => [method, outcome]),
      [['initialize', 'answered']],
    );
    assert.match(handshake.program?.sha256 ?? '', /^[0-9a-f]{64}$/);
    assert.ok(handshake.wire.request_bytes > 100 && handshake.wire.response_bytes > 100);
    assert.equal(handshake.elapsed_ms, Math.round(handshake.elapsed_ms * 1000) / 1000);
    assert.deepEqual(faults, []);
  });
});

describe('the environment of a server', () => {
  it('holds what its specification names and an allow-list, and no key of ours', async () => {
    process.env.ANTHROPIC_API_KEY = 'a-secret';
    const server = standIn(`reply(message.id, { content: [], structuredContent: process.env })`);
    const { opened } = await session(server, {}, { SNAPSHOT: 'rows.json' });
    const { structured } = await opened.call('env', {}, 5000);
    assert.equal(JSON.stringify(structured).includes('a-secret'), false);
    assert.ok(isObject(structured));
    assert.deepEqual([structured.SNAPSHOT, structured.PATH], ['rows.json', process.env.PATH]);
    const allowed = [
      'HOME',
      'LANG',
      'LC_ALL',
      'LOGNAME',
      'MEASURE_SERVER',
      'PATH',
      'SHELL',
      'SNAPSHOT',
      'TERM',
      'TMPDIR',
      'USER',
    ];
    assert.deepEqual(
      opened.handshake.env_names.filter((name) => !allowed.includes(name)),
      [],
    );
    delete process.env.ANTHROPIC_API_KEY;
  });
});

describe('a tool call', () => {
  it('gives the result as received: unknown keys, their order, and a hash over the exact bytes', async () => {
    const result =
      '{"zeta":{"b":1,"a":2},"content":[{"type":"mystery","text":"x"}],"big":12345678901234567890,"isError":true}';
    const { opened, faults } = await answering(result);
    const reply = await opened.call('any', { city: 'Łódź' }, 5000);
    const request =
      '{"method":"tools/call","params":{"name":"any","arguments":{"city":"Łódź"}},"jsonrpc":"2.0","id":1}';
    const response = `{"jsonrpc":"2.0","id":1,"result":${result}}`;
    assert.deepEqual(reply.wire, {
      request_bytes: Buffer.byteLength(request),
      request_sha256: sha256(request),
      response_bytes: response.length,
      response_sha256: sha256(response),
    });
    assert.equal(JSON.stringify(reply.result).slice(0, 40), result.slice(0, 40));
    assert.equal(reply.is_error, true);
    assert.deepEqual(reply.content, [{ type: 'mystery', text: 'x' }]);
    assert.equal(reply.structured, undefined);
    assert.deepEqual(
      faults.map(({ code, sha256: hash }) => [code, hash]),
      [['LOSSY_JSON', sha256(response)]],
    );
  });

  it('without a content array has none, and a fault says so', async () => {
    const { opened, faults } = await answering('{"content":"text","structuredContent":{"n":1}}');
    const reply = await opened.call('any', {}, 5000);
    assert.deepEqual([reply.content, reply.structured], [[], { n: 1 }]);
    assert.deepEqual(
      faults.map((fault) => fault.code),
      ['NO_CONTENT'],
    );
  });

  it('whose result is null is a protocol error at once, with its cost', async () => {
    const { opened, faults } = await answering('null');
    await assert.rejects(opened.call('any', {}, 60_000), {
      code: 'PROTOCOL_ERROR',
      message: /neither a result nor an error/,
    });
    assert.deepEqual(
      faults.map((fault) => fault.code),
      ['BAD_REPLY'],
    );
  });

  it('that is answered with a JSON-RPC error keeps the error and its cost', async () => {
    const { opened } = await session(
      standIn(
        `send({ jsonrpc: '2.0', id: message.id, error: { code: -32602, message: 'no such tool', data: [1] } })`,
      ),
    );
    const response = '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such tool","data":[1]}}';
    await assert.rejects(opened.call('any', {}, 5000), (failure) => {
      assert.ok(failure instanceof ServerFailure);
      assert.deepEqual(failure.facts.rpc_error, { code: -32602, message: 'no such tool', data: [1] });
      assert.equal(failure.wire?.response_sha256, sha256(response));
      assert.match(
        failure.message,
        /^PROTOCOL_ERROR: .*node.*: answered tools\/call with error -32602: no such tool$/,
      );
      return true;
    });
  });

  it('may run beside others, each with its own reply', async () => {
    const { opened } = await session(
      standIn(`setTimeout(reply, 50 / message.id, message.id, { content: [message.params.name] })`),
    );
    const replies = await Promise.all([
      opened.call('a', {}, 5000),
      opened.call('b', {}, 5000),
      opened.call('c', {}, 5000),
    ]);
    assert.deepEqual(
      replies.map((reply) => reply.content),
      [['a'], ['b'], ['c']],
    );
  });
});

describe('a catalog', () => {
  it('comes page by page as received, a tool that is not one included', async () => {
    const { opened } = await session(
      standIn(`reply(message.id, message.params.cursor === undefined
        ? { tools: [{ zeta: 1, name: 'a' }, { name: 5 }], nextCursor: '' }
        : { tools: ['b'] })`),
    );
    const pages = await listing(opened);
    assert.deepEqual(
      pages.map(({ page, tools, next_cursor }) => ({ page, tools, next_cursor })),
      [
        { page: 1, tools: [{ zeta: 1, name: 'a' }, { name: 5 }], next_cursor: '' },
        { page: 2, tools: ['b'], next_cursor: null },
      ],
    );
    assert.equal(JSON.stringify(pages[0]?.tools[0]), '{"zeta":1,"name":"a"}');
  });

  it('that repeats a cursor ends with an error', async () => {
    const { opened } = await session(standIn(`reply(message.id, { tools: [], nextCursor: 'again' })`));
    await assert.rejects(listing(opened), { message: /page 2 repeats the cursor "again"/ });
  });

  it('that takes too long as a whole ends with an error, however quick each page is', async () => {
    const slowly = `setTimeout(() => reply(message.id, { tools: [], nextCursor: String(message.id) }), 40)`;
    const { opened, faults } = await session(standIn(slowly), { listingTimeoutMs: 100 });
    await assert.rejects(listing(opened), { message: /does not end: \d+ pages in \d+ ms, and more to come/ });
    assert.deepEqual(
      faults.map(({ code }) => code),
      ['PAGE_LOOP'],
    );
  });

  it('of more than 1,000 pages ends with an error', async () => {
    const { opened } = await session(
      standIn(`reply(message.id, { tools: [], nextCursor: String(message.id) })`),
    );
    await assert.rejects(listing(opened), { message: /more than 1000 pages/ });
  });

  it('without a tools array is a protocol error', async () => {
    const { opened } = await session(standIn(`reply(message.id, { tools: {} })`));
    await assert.rejects(listing(opened), {
      code: 'PROTOCOL_ERROR',
      message: /no tools array/,
    });
  });
});
