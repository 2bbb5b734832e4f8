/**
 * How long the records server takes from spawn to its reply to `initialize`: the built bundle against the same server
 * started from its TypeScript through tsx, interleaved in one run. Prints both medians and their ratio, and exits 1
 * if the bundle is not at least 3 times faster, 2 if it has not been built.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROUNDS = 11;
const LEAST_RATIO = 3;
const LONGEST_MS = 30_000;

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const bundle = path('dist/records-server.mjs');
const folder = mkdtempSync(join(tmpdir(), 'measure-bench-'));
const input = writeInput();
const starts = {
  'bundle (dist/records-server.mjs)': [bundle, ...input],
  'tsx (src/server/records/entry.ts)': [
    path('node_modules/tsx/dist/cli.mjs'),
    path('src/server/records/entry.ts'),
    ...input,
  ],
};

if (!existsSync(bundle)) {
  console.error('dist/records-server.mjs is missing: run `npm run build` first');
  process.exitCode = 2;
} else {
  await compare();
}
rmSync(folder, { recursive: true });

async function compare() {
  const times = Object.fromEntries(Object.keys(starts).map((name) => [name, []]));
  for (const args of Object.values(starts)) await timeToReply(args); // the first of each only warms the disk
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, args] of Object.entries(starts)) times[name].push(await timeToReply(args));
  }
  const medians = Object.entries(times).map(([name, all]) => [name, median(all)]);
  for (const [name, ms] of medians)
    console.log(`${ms.toFixed(0).padStart(6)} ms  ${name}, median of ${ROUNDS}`);
  const ratio = medians[1][1] / medians[0][1];
  console.log(
    `${ratio.toFixed(2).padStart(6)} ×   faster from the bundle; at least ${LEAST_RATIO} is wanted`,
  );
  if (ratio < LEAST_RATIO) process.exitCode = 1;
}

/** Milliseconds from spawn to the line that answers `initialize`; the process has ended when this resolves. */
async function timeToReply(args) {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
  child.stdin.write(`${JSON.stringify(initialize())}\n`);
  const reply = await firstLine(child.stdout);
  const elapsed = performance.now() - begun;
  child.stdin.end();
  await ended;
  clearTimeout(timer);
  if (JSON.parse(reply).result?.serverInfo?.name !== 'measured-records')
    throw new Error(`no handshake: ${reply}`);
  return elapsed;
}

function initialize() {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1.0.0' },
  };
  return { jsonrpc: '2.0', id: 0, method: 'initialize', params };
}

async function firstLine(stream) {
  let text = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'));
  }
  throw new Error('the server ended before it answered');
}

function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
}

/** The arguments of a server over a hundred small records. */
function writeInput() {
  const rows = Array.from({ length: 100 }, (_, at) => ({
    id: `R${at}`,
    revision: '1',
    status: at % 2 ? 'open' : 'closed',
  }));
  const snapshot = join(folder, 'snapshot.json');
  const fields = join(folder, 'fields.json');
  writeFileSync(snapshot, JSON.stringify(rows));
  writeFileSync(fields, JSON.stringify(['id', 'revision', 'status']));
  return ['--snapshot', snapshot, '--fields', fields, '--controls', 'all'];
}
