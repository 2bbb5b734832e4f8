/**
 * 1,000 small calls to one server through our transport and through the stock one of the MCP client, interleaved in one
 * run. Prints the median of each and their ratio, and exits 1 if ours takes longer than the stock one by more than 5 %.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const CALLS = 1000;
const ROUNDS = 7;
const MOST = 1.05;

/** Answers each call with its own text. */
const SERVER = `
const reply = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
let rest = '';
process.stdin.on('data', (chunk) => {
  rest += chunk;
  for (let end = rest.indexOf('\\n'); end >= 0; end = rest.indexOf('\\n')) {
    const { id, method, params } = JSON.parse(rest.slice(0, end));
    rest = rest.slice(end + 1);
    if (method === 'initialize')
      reply(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'small', version: '1' } });
    if (method === 'tools/list') reply(id, { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
    if (method === 'tools/call') reply(id, { content: [{ type: 'text', text: params.arguments.text }] });
  }
});
process.stdin.on('end', () => process.exit(0));
`;

const built = (name) => new URL(`../dist/${name}`, import.meta.url);
if (existsSync(fileURLToPath(built('host/mcp.js')))) await compare();
else {
  console.error('dist is missing: run `npm run build` first');
  process.exitCode = 2;
}

async function compare() {
  const { openSession } = await import(built('host/mcp.js'));
  const times = { ours: [], stock: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.ours.push(await throughOurs(openSession));
    times.stock.push(await throughStock());
  }
  const [ours, stock] = [median(times.ours), median(times.stock)];
  console.log(`${ours.toFixed(0).padStart(6)} ms  ${CALLS} calls through our transport, median of ${ROUNDS}`);
  console.log(`${stock.toFixed(0).padStart(6)} ms  through the stock transport`);
  console.log(`${(ours / stock).toFixed(2).padStart(6)} ×   at most ${MOST} is wanted`);
  if (ours / stock > MOST) process.exitCode = 1;
}

async function throughOurs(openSession) {
  const target = { argv: [process.execPath, '-e', SERVER], env: {}, cwd: '/' };
  const session = await openSession(target, { connectTimeoutMs: 10_000, onFault: console.error });
  for await (const _page of session.pages());
  const elapsed = await timed((text) => session.call('echo', { text }, 10_000));
  await session.close();
  return elapsed;
}

async function throughStock() {
  const client = new Client({ name: 'bench', version: '1' }, { capabilities: {} });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: ['-e', SERVER] }));
  await client.listTools();
  const elapsed = await timed((text) => client.callTool({ name: 'echo', arguments: { text } }));
  await client.close();
  return elapsed;
}

/** Milliseconds of all calls, one after another; the first fifty only warm up. */
async function timed(call) {
  for (let at = 0; at < 50; at += 1) await call(`warm ${at}`);
  const begun = performance.now();
  for (let at = 0; at < CALLS; at += 1) await call(`call ${at}`);
  return performance.now() - begun;
}

function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
}
