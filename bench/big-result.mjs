/**
 * A 50 MB result line through the real transport into a real log: how long it takes from the call to the durable event,
 * and the most memory that this process had. Exits 1 over 2 s or 400 MB, 2 where it was not built.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SIZE = 50_000_000;
const MOST_MS = 2000;
const MOST_MB = 400;

/** Answers each call with one text block of so many bytes. */
const SERVER = `
const reply = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
let rest = '';
process.stdin.on('data', (chunk) => {
  rest += chunk;
  for (let end = rest.indexOf('\\n'); end >= 0; end = rest.indexOf('\\n')) {
    const { id, method, params } = JSON.parse(rest.slice(0, end));
    rest = rest.slice(end + 1);
    if (method === 'initialize')
      reply(id, { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: 'big', version: '1' } });
    if (method === 'tools/list') reply(id, { tools: [{ name: 'big', inputSchema: { type: 'object' } }] });
    if (method === 'tools/call') reply(id, { content: [{ type: 'text', text: 'x'.repeat(params.arguments.size) }] });
  }
});
`;

const built = (name) => new URL(`../dist/${name}`, import.meta.url);
if (existsSync(fileURLToPath(built('host/call.js')))) await report();
else {
  console.error('dist is missing: run `npm run build` first');
  process.exitCode = 2;
}

async function report() {
  const folder = mkdtempSync(join(tmpdir(), 'measure-bench-'));
  const { elapsed, bytes } = await recordCall(folder);
  rmSync(folder, { recursive: true });
  const megabytes = process.resourceUsage().maxRSS / 1024;
  console.log(`${(bytes / 1e6).toFixed(1).padStart(8)} MB  result line`);
  console.log(`${elapsed.toFixed(0).padStart(8)} ms  from the call to the durable event; at most ${MOST_MS}`);
  console.log(`${megabytes.toFixed(0).padStart(8)} MB  most memory of this process; at most ${MOST_MB}`);
  if (elapsed > MOST_MS || megabytes > MOST_MB) process.exitCode = 1;
}

/** One call of a study's trial, recorded as `measure record` does, without a model to send the result to. */
async function recordCall(folder) {
  const { EventLog } = await import(built('events/log.js'));
  const { Store } = await import(built('events/store.js'));
  const { Recorder } = await import(built('host/recorder.js'));
  const { openSession } = await import(built('host/mcp.js'));
  const { callTool } = await import(built('host/call.js'));
  const store = new Store(folder);
  store.createRun('bench');
  const recorder = new Recorder(EventLog.create(store.eventsFile('bench'), 'bench'), store);
  const condition = { name: 'only', server: 'big', tools: null, controls: [], select: [] };
  for (const body of opening(condition)) recorder.append(body);
  const target = { argv: [process.execPath, '-e', SERVER], env: {}, cwd: folder };
  const session = await openSession(target, { connectTimeoutMs: 10_000, onFault: console.error });
  for await (const { page, next_cursor, wire, elapsed_ms, tools } of session.pages())
    recorder.append({
      ...{ type: 'catalog', trial: 't', page, next_cursor, wire, elapsed_ms, tools },
      advertised: null,
    });
  const run = { recorder, limits: { tool_timeout_ms: 60_000 } };
  const begun = performance.now();
  const turn = { trial: 't', turn: 1, condition, session };
  await callTool(run, turn, { id: '1', name: 'big', input: { size: SIZE } });
  const elapsed = performance.now() - begun;
  const bytes = recorder.trial('t').calls[0].wire_bytes;
  await session.close();
  recorder.log.close();
  return { elapsed, bytes };
}

function opening(condition) {
  const hash = '0'.repeat(64);
  const limits = {
    max_tokens: 1,
    max_turns: 1,
    model_timeout_ms: 1,
    tool_timeout_ms: 1,
    connect_timeout_ms: 1,
    retries: 0,
  };
  const plan = {
    conditions: [condition],
    phrasings: [],
    repetitions: 1,
    order: 'listed',
    seed: 0,
    on_failure: 'stop',
  };
  const runtime = {
    measure: '0',
    node: process.version,
    platform: '',
    packages: {},
    tokenizer: null,
    endpoint: null,
  };
  return [
    {
      ...{
        type: 'run_open',
        study: { name: 'bench', path: '/', sha256: null },
        host: 'scripted',
        model: 'none',
      },
      ...{ limits: { ...limits, budget_tokens: null, budget_usd: null }, tasks: [], inputs: [] },
      runtime: { ...runtime, lockfile_sha256: null, git_commit: null },
      ...{ plan: { ...plan, trials: [], probes: [] }, system_sha256: hash, system: '' },
    },
    {
      ...{
        type: 'trial_open',
        trial: 't',
        purpose: 'trial',
        condition: 'only',
        task: 't',
        phrasing: 'plain',
      },
      ...{ repetition: 1, attempt: 1, question_sha256: hash, prompt: 'q' },
    },
  ];
}
