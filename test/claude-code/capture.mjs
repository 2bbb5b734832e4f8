/**
 * Makes captures: `node test/claude-code/capture.mjs CLAUDE BASE OUT [SCENE...]`. BASE becomes home and working folder of
 * each launch, one after another; OUT gets a folder a scene, as the command left it: redact.mjs makes fixtures of them.
 */
import { spawn } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEndpoint } from './endpoint.mjs';
import { SCENES } from './scenes.mjs';

const [claude, base, out, ...names] = process.argv.slice(2);
const ROOT = join(import.meta.dirname, '../..');
const MEASURE = join(ROOT, 'bin/run.js');
const SERVERS = {
  notes: [process.execPath, join(ROOT, 'test/claude-code/server.mjs')],
  everything: [
    process.execPath,
    join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'),
  ],
  absent: ['no-such-server'],
};
const PROJECTS = 'home/.claude/projects';
const LOGS = 'home/.cache/claude-cli-nodejs';
const ALL_TIME_MS = 90_000;

for (const name of names.length > 0 ? names : Object.keys(SCENES)) {
  const started = performance.now();
  const ended = await capture(name, SCENES[name]);
  process.stderr.write(
    `${name}: ${JSON.stringify(ended)} in ${Math.round(performance.now() - started)} ms\n`,
  );
}

async function capture(name, scene) {
  const to = join(out, name);
  empty(to);
  empty(base, ['home', 'work', 'tap', 'tmp']);
  writeFileSync(join(base, 'mcp.json'), JSON.stringify({ mcpServers: serversOf(scene) }));
  for (let before = 1; before < (scene.launches ?? 1); before += 1) {
    await launch(scene, to);
    empty(base, ['work', 'tap', PROJECTS, LOGS]);
  }
  const ended = await launch(scene, to);
  collect(to, ended.exit);
  return ended;
}

function empty(folder, names = ['']) {
  for (const name of names) {
    rmSync(join(folder, name), { recursive: true, force: true });
    mkdirSync(join(folder, name), { recursive: true });
  }
}

async function launch(scene, to) {
  let child = null;
  const kill = async ({ signal, after = 300 }) => {
    await delay(after);
    process.kill(-child.pid, signal);
  };
  const endpoint = await startEndpoint(scene.steps, (step) => step.signal && kill(step));
  const started = performance.now();
  child = start(scene, endpoint.url, to);
  const [exit_code, signal] = await new Promise((resolve) => child.once('exit', (...end) => resolve(end)));
  const exit = { exit_code, signal, how: 'exited', elapsed_ms: Math.round(performance.now() - started) };
  await settle(child.pid);
  endpoint.close();
  return { exit, requests: endpoint.requests() };
}

function serversOf({ server = 'notes', mode }) {
  if (server === null) return {};
  const env = mode === undefined ? {} : { NOTES_MODE: mode };
  const tap = [MEASURE, 'tap', '--store', join(base, 'tap'), '--name', 'notes', '--env', 'NOTES_MODE'];
  return {
    notes: { type: 'stdio', command: process.execPath, args: [...tap, '--', ...SERVERS[server]], env },
  };
}

function start({ search = false, env = {}, options = [], turns = 20, allowed, tools = false }, url, to) {
  const files = ['stdout', 'stderr'].map((file) => openSync(join(to, file), 'w'));
  const args = [
    ...['-p', '--output-format', 'stream-json', '--verbose', '--max-turns', String(turns)],
    ...['--model', 'claude-sonnet-5', '--mcp-config', join(base, 'mcp.json'), '--strict-mcp-config'],
    ...['--setting-sources', '', '--allowedTools', ...(allowed ?? ['mcp__notes'])],
    ...['--disallowedTools', 'WebSearch', 'WebFetch', ...(tools ? [] : ['Agent', 'Task'])],
    ...[...options, '--', 'What is the budget?'],
  ];
  const quiet = ['CLAUDE_CODE_DISABLE_CLAUDE_MDS', 'CLAUDE_CODE_DISABLE_AUTO_MEMORY', 'DISABLE_TELEMETRY'];
  const more = ['CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC', 'DISABLE_AUTOUPDATER', 'DISABLE_ERROR_REPORTING'];
  const child = spawn(claude, args, {
    cwd: join(base, 'work'),
    detached: true,
    stdio: ['ignore', ...files],
    env: {
      ...Object.fromEntries([...quiet, ...more].map((name) => [name, '1'])),
      ...{ PATH: process.env.PATH, HOME: join(base, 'home'), TMPDIR: join(base, 'tmp'), LANG: 'C.UTF-8' },
      ...{ TERM: 'dumb', CLAUDE_CODE_MAX_RETRIES: '2', ENABLE_TOOL_SEARCH: String(search) },
      ...{ MCP_TIMEOUT: '20000', MCP_TOOL_TIMEOUT: '20000', ANTHROPIC_API_KEY: 'scripted' },
      ...{ ANTHROPIC_BASE_URL: url, ...env },
    },
  });
  for (const file of files) closeSync(file);
  setTimeout(() => child.exitCode ?? process.kill(-child.pid, 'SIGKILL'), ALL_TIME_MS).unref();
  return child;
}

/** Waits until the processes of the launch have ended, the taps among them; kills what is left after 3 s. */
async function settle(group) {
  for (let waited = 0; waited < 3000; waited += 50) {
    if (!isAlive(group)) return;
    await delay(50);
  }
  process.kill(-group, 'SIGKILL');
}

function isAlive(group) {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

function collect(to, exit) {
  const copy = (from, name) => existsSync(from) && cpSync(from, join(to, name), { recursive: true });
  copy(join(base, PROJECTS), 'projects');
  copy(join(base, LOGS), 'cache');
  for (const run of readdirSync(join(base, 'tap'))
    .filter((entry) => /^\d/.test(entry))
    .sort())
    copy(join(base, 'tap', run, 'events.jsonl'), `tap/${run}.jsonl`);
  writeFileSync(join(to, 'exit.json'), JSON.stringify(exit));
}
