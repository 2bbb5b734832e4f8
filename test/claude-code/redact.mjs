/**
 * Makes fixtures of captures: `node test/claude-code/redact.mjs OUT` reads what capture.mjs wrote to OUT and writes
 * captures/. Every line stays, in its place and with its fields; texts that are Claude Code's own and long lists of its
 * parts give way to a marker. Throws where a path or a credential of the machine is left.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [out] = process.argv.slice(2);
const CAPTURES = join(import.meta.dirname, 'captures');

/** The scene that keeps everything but long texts; the others lose what no reader looks at, to stay small. */
const WHOLE = 'ok-search-on';

/** Texts of more characters than this are the command's own, or its errors with an explanation. */
const LONG = 300;
/** In lines that only repeat what was sent to the model. */
const LONG_IN_PROMPTS = 70;
const PROMPTS = new Set(['attachment', 'api-request-shape', 'api-request-blob']);
/** Lists of the command's own parts: the first two are enough. */
const PARTS = new Set([
  ...['slash_commands', 'terminal_slash_commands', 'skills', 'plugins', 'capabilities', 'agents'],
  ...['addedLines', 'cacheControl', 'names', 'digests', 'systemPrompt', 'tail'],
]);
/** Of the tools in prompts: what is the command's own. */
const TOOL_TEXTS = new Set(['input_schema', 'description', 'schema']);

const THIN_LINES = new Set([
  'api-request-blob',
  'atis-latch',
  'last-prompt',
  'tools-used',
  'queue-operation',
]);
const THIN_ATTACHMENTS = new Set(['deferred_tools_delta', 'mcp_instructions_delta', 'deferred_tools_record']);
/** Of the command's own tools these are kept in lists of tools. */
const THIN_TOOLS = ['Agent', 'Bash', 'Read', 'Task', 'ToolSearch'];
const THIN_FIELDS = new Set([
  ...['sessionId', 'version', 'parentUuid', 'cache_creation', 'output_tokens_details'],
  ...['userType', 'entrypoint', 'cwd', 'gitBranch', 'promptId', 'rendered', 'renderedRole', 'requestDigest'],
  ...[
    'cacheControl',
    'tail',
    'thread',
    'renderedBesideToolResult',
    'slash_commands',
    'terminal_slash_commands',
  ],
  ...[
    'skills',
    'plugins',
    'capabilities',
    'agents',
    'echoWireToolInputs',
    'attributionMcpServer',
    'context_management',
  ],
  ...[
    'subagent_stats',
    'attributionMcpTool',
    'madeBy',
    'iterations',
    'inference_geo',
    'speed',
    'fallback_credit',
  ],
  ...[
    'fast_mode_state',
    'fast_mode_disabled_reason',
    'model_usage_since_last_result',
    'messaging_socket_path',
  ],
  ...[
    'per_turn_effort_active',
    'ultrathink_available',
    'ultrathink_typed_raises',
    'toolInputStreamMs',
    'effort',
  ],
  ...['perTurnEffort', 'server_tool_use', 'addedLines', 'output_config'],
]);

const read = (file) => readFileSync(file, 'utf8');

rmSync(CAPTURES, { recursive: true, force: true });
for (const scene of readdirSync(out, { withFileTypes: true })) if (scene.isDirectory()) fixture(scene.name);

function fixture(name) {
  const from = join(out, name);
  const to = join(CAPTURES, name);
  const isWhole = name === WHOLE;
  mkdirSync(to, { recursive: true });
  const write = (file, text) =>
    text !== '' && writeFileSync(join(to, file), checked(text, `${name}/${file}`));
  write('stream.jsonl', redacted(read(join(from, 'stdout')), isWhole));
  write('stderr.txt', read(join(from, 'stderr')));
  for (const file of jsonlBelow(join(from, 'projects'))) write(nameOf(file), redacted(read(file), isWhole));
  write(
    'mcp-log.jsonl',
    jsonlBelow(join(from, 'cache'))
      .map((file) => redacted(read(file), isWhole))
      .join(''),
  );
  write(
    'tapped.jsonl',
    jsonlBelow(join(from, 'tap'))
      .map((file) => tapped(file, isWhole))
      .join(''),
  );
  write('exit.json', `${JSON.stringify(JSON.parse(read(join(from, 'exit.json'))), null, 2)}\n`);
}

function nameOf(file) {
  return file.includes('/subagents/') ? 'transcript-subagent.jsonl' : 'transcript.jsonl';
}

function jsonlBelow(folder) {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.jsonl'));
  return files.sort().map((file) => join(folder, file));
}

/** Whole lines, redacted; what stands after the last newline stays as it is. */
function redacted(text, isWhole) {
  const lines = text.split('\n');
  const rest = lines.pop();
  const kept = lines.map((line) => JSON.parse(line)).filter((line) => isWhole || !isThin(line));
  return kept.map((line) => `${JSON.stringify(lineOf(line, isWhole))}\n`).join('') + rest;
}

function isThin({ type, attachment }) {
  return THIN_LINES.has(type) || (type === 'attachment' && !THIN_ATTACHMENTS.has(attachment.type));
}

function lineOf(line, isWhole) {
  const isPrompt = PROMPTS.has(line.type);
  return shortened(line, { isWhole, isPrompt, long: isPrompt ? LONG_IN_PROMPTS : LONG });
}

function shortened(value, how) {
  if (typeof value === 'string')
    return value.length > how.long ? `<removed: ${value.length} characters>` : value;
  if (Array.isArray(value)) return value.map((item) => shortened(item, how));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).flatMap(([key, item]) => fieldOf(key, item, how)));
}

function fieldOf(key, item, how) {
  if (key === 'osVersion') return [[key, 'Linux']];
  if (how.isPrompt && TOOL_TEXTS.has(key)) return [];
  if (!how.isWhole && THIN_FIELDS.has(key)) return [];
  if (!how.isWhole && key === 'betas') return [[key, item.filter((beta) => beta.startsWith('advanced-'))]];
  if (!how.isWhole && key === 'tools') return [[key, shortened(item.filter(isKeptTool), how)]];
  const isCut = PARTS.has(key) && Array.isArray(item) && item.length > 2;
  return [[key, shortened(isCut ? item.slice(0, 2) : item, how)]];
}

function isKeptTool(tool) {
  const name = tool.name ?? tool;
  return name.startsWith('mcp__') || THIN_TOOLS.includes(name);
}

/** The events of a session in the tap's log, without what its own log stamped on them. */
function tapped(file, isWhole) {
  const kept = ['handshake', 'catalog', 'tool_call', 'fault', ...(isWhole ? ['message'] : [])];
  const events = read(file)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return events
    .filter(({ type }) => kept.includes(type))
    .map(({ h: _h, v: _v, run: _run, seq: _seq, at: _at, mono_ns: _ns, ...body }) => ({
      ...body,
      trial: 't/1',
    }))
    .map(
      ({ raw, ...body }) =>
        `${JSON.stringify(isWhole || body.type === 'message' ? { ...body, raw } : body)}\n`,
    )
    .join('');
}

/** Everything ran below /home/user; any other folder is one of the machine. */
function checked(text, file) {
  const found = /\/(tmp|work|root|mnt|opt|home)\/[\w-]+|sk-ant-\w+/.exec(
    text.replace(/\/home\/user[\w./-]*/g, ''),
  );
  if (found !== null) throw new Error(`${file} holds ${found[0]}`);
  return text;
}
