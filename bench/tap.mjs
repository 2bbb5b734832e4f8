/**
 * What `measure tap` adds to a real server: milliseconds from spawn to the reply to `initialize`, and 1,000 calls
 * through it against the same server alone, interleaved in one run. A tap is a Node process, so its start is held
 * against a bare one: exits 1 where it costs over 1.4 times that, or where what it adds to a call is over a hundredth of a
 * bare start; 2 where it was not built.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CALLS = 1000;
const ROUNDS = 11;
const MOST_STARTS = 1.4;
const MOST_SHARE = 0.01;

const CALL = { name: 'exact_record', arguments: { id: 'css.selectors.marker' } };

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
if (existsSync(path('dist/host/tap.mjs'))) await compare();
else {
  console.error('dist/host/tap.mjs is missing: run `npm run build` first');
  process.exitCode = 2;
}

async function compare() {
  const store = mkdtempSync(join(tmpdir(), 'measure-bench-'));
  const data = (name) => path(`data/context-controls/${name}.json`);
  const server = [
    ...[process.execPath, path('dist/records-server.mjs'), '--controls', 'all'],
    ...['--snapshot', data('snapshot'), '--fields', data('fields')],
  ];
  const ways = {
    alone: server,
    tapped: [process.execPath, path('bin/run.js'), 'tap', '--store', store, '--', ...server],
  };
  const times = { alone: [], tapped: [] };
  for (const command of Object.values(ways)) await session(command, 1); // the first of each only warms the disk
  const bare = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await bareStart());
    for (const [way, command] of Object.entries(ways)) times[way].push(await session(command, CALLS));
  }
  rmSync(store, { recursive: true });
  const start = (way) => median(times[way].map(({ start_ms }) => start_ms));
  const calls = (way) => median(times[way].map(({ calls_ms }) => calls_ms));
  const added = start('tapped') - start('alone');
  const starts = added / median(bare);
  const each = (calls('tapped') - calls('alone')) / CALLS;
  show(start('alone'), 'ms', `to the reply to initialize, median of ${ROUNDS}`);
  show(start('tapped'), 'ms', `with the tap in front: ${added.toFixed(0)} ms more`);
  show(median(bare), 'ms', 'for a bare node process to start and end');
  show(starts, '×', `of that is added to the start; at most ${MOST_STARTS} is wanted`, 2);
  show(calls('alone'), 'ms', `for ${CALLS} calls, one after another`);
  show(calls('tapped'), 'ms', `with the tap in front: ${each.toFixed(2)} ms more for each call`);
  show(
    (100 * each) / median(bare),
    '%',
    `of a bare start is added to a call; at most ${100 * MOST_SHARE} is wanted`,
    2,
  );
  if (starts > MOST_STARTS || each > MOST_SHARE * median(bare)) process.exitCode = 1;
}

function show(value, unit, words, digits = 0) {
  console.log(`${value.toFixed(digits).padStart(7)} ${unit.padEnd(2)}  ${words}`);
}

/** Milliseconds of a node process that does nothing. */
async function bareStart() {
  const begun = performance.now();
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await new Promise((resolve) => child.once('close', resolve));
  return performance.now() - begun;
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
  await ask(0, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
  const start_ms = performance.now() - begun;
  const from = performance.now();
  for (let id = 1; id <= count; id += 1) await ask(id, 'tools/call', CALL);
  const calls_ms = performance.now() - from;
  child.stdin.end();
  await ended;
  return { start_ms, calls_ms };
}

function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
}
