/** A server behind a URL: looked at through the client alone. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type DoctorOptions, examine } from './examine.js';

const options: DoctorOptions = {
  ...{
    launches: 2,
    timeoutMs: 5000,
    wish: null,
    signal: new AbortController().signal,
    onStep: () => undefined,
  },
};
const TOOL = {
  name: 'list_llamas',
  description: 'All llamas of the farm, with their wool.',
  inputSchema: { type: 'object' },
};
const RESULTS: Record<string, unknown> = {
  initialize: {
    ...{
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'llamas', version: '1' },
    },
    instructions: 'The llamas of the farm and their wool. Use it when the user asks about a llama.',
  },
  'tools/list': { tools: [TOOL] },
};

/** Answers POSTs with JSON, and needs a token. */
const server: Server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const message = request.method === 'POST' ? JSON.parse(Buffer.concat(chunks).toString()) : {};
    if (request.headers.authorization !== 'Bearer t') response.writeHead(401).end();
    else if (message.id === undefined) response.writeHead(request.method === 'POST' ? 202 : 405).end();
    else {
      const result = RESULTS[message.method];
      const answer = result === undefined ? { error: { code: -32601, message: 'unknown' } } : { result };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
    }
  });
});

let url = '';
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const examined = (headers: Record<string, string>) =>
  examine({ name: null, spec: { url, headers }, outcomes: [], written: null, secrets: [] }, options);

describe('a server behind a URL', () => {
  it('has catalog, texts and times, and says what was not looked at', async () => {
    const examination = await examined({ authorization: 'Bearer t' });
    assert.deepEqual(examination.findings, []);
    assert.deepEqual([examination.command, examination.name, examination.launches], [url, 'llamas', null]);
    assert.equal(examination.catalog?.rows.length, 1);
    assert.equal(examination.times[0]?.n, 2);
    assert.deepEqual(
      examination.skipped.map(({ group }) => group),
      ['launch', 'stdout', 'end', 'results'],
    );
    assert.equal(JSON.stringify(examination).includes('Bearer'), false);
  });

  it('that refuses has nothing to look at', async () => {
    const examination = await examined({});
    assert.deepEqual(examination.findings.map(({ code, severity }) => [code, severity])[0], [
      'session-failed',
      'fatal',
    ]);
    assert.match(examination.findings[0]?.what ?? '', /401/);
  });
});
