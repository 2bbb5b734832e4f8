/**
 * What `measure tap` adds to a server: milliseconds from spawn to the reply to `initialize`, and 1,000 small calls through
 * it against the same server alone, interleaved in one run. Exits 1 where the start costs 100 ms more or over, or the
 * calls take over 1.25 times as long; 2 where it was not built.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CALLS = 1000;
const ROUNDS = 11;
const MOST_START_MS = 100;
const MOST_RATIO = 1.25;

/** Does in each call what a small tool does: it reads a file. */
const SERVER = `
const { readFileSync } = require('node:fs');
const reply = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
let rest = '';
process.stdin.on('data', (chunk) => {
  rest += chunk;
  for (let end = rest.indexOf('\\n'); end >= 0; end = rest.indexOf('\\n')) {
    const { id, method, params } = JSON.parse(rest.slice(0, end));
    rest = rest.slice(end + 1);
    if (method === 'initialize')
      reply(id, { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: 'small', version: '1' } });
    if (method === 'tools/call') {
      readFileSync('/proc/self/status');
      reply(id, { content: [{ type: 'text', text: params.arguments.text }] });
    }
  }
});
`;

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
if (existsSync(path('dist/host/tap.mjs'))) await compare();
else {
  console.error('dist/host/tap.mjs is missing: run `npm run build` first');
  process.exitCode = 2;
}

async function compare() {
  const store = mkdtempSync(join(tmpdir(), 'measure-bench-'));
  const server = [process.execPath, '-e', SERVER];
  const ways = {
    alone: server,
    tapped: [process.execPath, path('bin/run.js'), 'tap', '--store', store, '--', ...server],
  };
  const times = { alone: [], tapped: [] };
  for (const command of Object.values(ways)) await session(command, 1); // the first of each only warms the disk
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [way, command] of Object.entries(ways)) times[way].push(await session(command, CALLS));
  rmSync(store, { recursive: true });
  const start = (way) => median(times[way].map(({ start_ms }) => start_ms));
  const calls = (way) => median(times[way].map(({ calls_ms }) => calls_ms));
  const added = start('tapped') - start('alone');
  const ratio = calls('tapped') / calls('alone');
  console.log(`${start('alone').toFixed(0).padStart(6)} ms  to the reply to initialize, median of ${ROUNDS}`);
  console.log(`${start('tapped').toFixed(0).padStart(6)} ms  with the tap in front`);
  console.log(
    `${added.toFixed(0).padStart(6)} ms  added to the start; less than ${MOST_START_MS} are wanted`,
  );
  console.log(`${calls('alone').toFixed(0).padStart(6)} ms  for ${CALLS} calls`);
  console.log(`${calls('tapped').toFixed(0).padStart(6)} ms  with the tap in front`);
  console.log(`${ratio.toFixed(2).padStart(6)} ×   at most ${MOST_RATIO} is wanted`);
  if (added >= MOST_START_MS || ratio > MOST_RATIO) process.exitCode = 1;
}

/** Milliseconds to the first reply, and of so many calls after it, one after another. */
async function session([command, ...args], count) {
  const begun = performance.now();
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (id, method, params) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const { value } = await lines.next();
    if (JSON.parse(value).id !== id) throw new Error(`not the reply to ${id}: ${value}`);
  };
  await ask(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} });
  const start_ms = performance.now() - begun;
  const from = performance.now();
  for (let id = 1; id <= count; id += 1)
    await ask(id, 'tools/call', { name: 'read', arguments: { text: `${id}` } });
  const calls_ms = performance.now() - from;
  child.stdin.end();
  await ended;
  return { start_ms, calls_ms };
}

function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
}
