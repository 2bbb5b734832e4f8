/** A server made with the official kit: the ordinary case, in both eras. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type CatalogPage, type EraChoice, type Fault, type McpSession, openSession } from './mcp.js';

const kit = `
  import { McpServer } from '@modelcontextprotocol/server';
  import { serveStdio } from '@modelcontextprotocol/server/stdio';
  import { z } from 'zod';
  serveStdio(() => {
    const server = new McpServer({ name: 'kit', version: '1.2.3' }, { capabilities: { tools: {} } });
    server.registerTool('double', { description: 'Doubles.', inputSchema: z.object({ n: z.number() }) }, async ({ n }) => ({
      content: [{ type: 'text', text: String(2 * n) }],
    }));
    return server;
  });`;

const cwd = fileURLToPath(new URL('.', import.meta.url));
const open: McpSession[] = [];
after(() => Promise.all(open.map((opened) => opened.close())));

async function session(era: EraChoice = 'legacy') {
  const faults: Fault[] = [];
  const argv: [string, ...string[]] = [process.execPath, '--input-type=module', '-e', kit];
  const options = { connectTimeoutMs: 10_000, onFault: (fault: Fault) => faults.push(fault), era };
  const opened = await openSession({ argv, env: {}, cwd }, options);
  open.push(opened);
  return { opened, faults };
}

async function listing(opened: McpSession): Promise<CatalogPage[]> {
  const pages: CatalogPage[] = [];
  for await (const page of opened.pages()) pages.push(page);
  return pages;
}

describe('a server of the official kit', () => {
  it('works from handshake to close in the legacy era', async () => {
    const { opened, faults } = await session();
    const [page] = await listing(opened);
    const reply = await opened.call('double', { n: 21 }, 5000);
    const closed = await opened.close();
    assert.deepEqual([opened.handshake.server_name, opened.handshake.era], ['kit', 'legacy']);
    assert.equal(page?.tools.length, 1);
    assert.deepEqual(reply.content, [{ type: 'text', text: '42' }]);
    assert.deepEqual([closed.how, closed.exit_code, closed.signal], ['stdin_end', 0, null]);
    assert.deepEqual(faults, []);
  });

  it('answers server/discover when it is asked to, in the same process', async () => {
    const { opened, faults } = await session('auto');
    const reply = await opened.call('double', { n: 4 }, 5000);
    const { era, protocol_version, server_name, attempts } = opened.handshake;
    assert.deepEqual([era, protocol_version, server_name], ['modern', '2026-07-28', 'kit']);
    assert.deepEqual(
      attempts.map(({ method, outcome }) => [method, outcome]),
      [['server/discover', 'answered']],
    );
    assert.deepEqual(reply.content, [{ type: 'text', text: '8' }]);
    assert.deepEqual(faults, []);
  });
});
