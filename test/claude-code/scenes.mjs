/** The hazards: what the model says at each request, which server it has, and how the command is started and ended. */

const say = (text) => ({ type: 'text', text });
const think = (thinking) => ({ type: 'thinking', thinking });
const use = (name, input = {}) => ({ type: 'tool_use', name, input });
const load = (tools) => use('ToolSearch', { query: `select:${tools}`, max_results: 5 });
const SEARCH = use('mcp__notes__search_notes', { query: 'budget' });
const READ = use('mcp__notes__read_note', { id: 'n1' });
const turn = (...blocks) => ({ blocks });
const ANSWER = turn(say('The budget is 4,200 euros.'));
const LOAD_BOTH = turn(load('mcp__notes__search_notes,mcp__notes__read_note'));
const refused = (status, error, message) => ({ status, error, message });
const BAD = refused(400, 'invalid_request_error', 'no such parameter');
const BUSY = refused(529, 'overloaded_error', 'Overloaded');

/** Tool search is off and every tool of the server is allowed, where a scene does not say otherwise. */
export const SCENES = {
  'ok-search-on': {
    search: true,
    steps: [
      turn(load('mcp__notes__search_notes')),
      turn(say('Let me look.'), SEARCH),
      LOAD_BOTH,
      turn(READ),
      ANSWER,
    ],
  },
  'ok-search-off': { steps: [turn(say('Let me look.'), SEARCH), turn(READ), ANSWER] },
  'parallel-thinking': {
    steps: [
      turn(think('Both at once.'), say('Looking.'), SEARCH, READ, use('Bash', { command: 'ls' })),
      ANSWER,
    ],
  },
  'no-tool-call': { search: true, steps: [turn(say('I do not know.'))] },
  'no-server': { server: null, search: true, steps: [turn(say('I have no notes.'))] },
  'search-by-words': {
    search: true,
    steps: [turn(use('ToolSearch', { query: 'notes budget', max_results: 5 })), turn(SEARCH), ANSWER],
  },
  'denied-server-tool': {
    allowed: ['mcp__notes__search_notes'],
    steps: [turn(SEARCH), turn(READ), turn(say('I may not read it.'))],
  },
  'denied-bash': {
    steps: [turn(use('Bash', { command: 'grep -r budget / > found.txt' })), turn(SEARCH), ANSWER],
  },
  'unknown-tool': {
    steps: [turn(use('mcp__notes__find', { query: 'budget' })), turn(say('There is no such tool.'))],
  },
  'tool-error': {
    steps: [
      turn(use('mcp__notes__read_note', { id: 'n9' })),
      turn(use('mcp__notes__read_note', { note: 1 })),
      turn(say('It cannot be read.')),
    ],
  },
  'image-result': {
    mode: 'more',
    steps: [turn(use('mcp__notes__draw_note')), turn(say('It is one pixel.'))],
  },
  'long-result': {
    mode: 'more',
    env: { MAX_MCP_OUTPUT_TOKENS: '200' },
    steps: [turn(use('mcp__notes__export_notes')), ANSWER],
  },
  'real-server': {
    server: 'everything',
    steps: [
      turn(use('mcp__notes__echo', { message: 'hello' }), use('mcp__notes__get-sum', { a: 2, b: 3 })),
      turn(say('Echo: hello')),
    ],
  },
  'error-400': { steps: [BAD] },
  'error-400-later': { steps: [turn(SEARCH), BAD] },
  'error-529': { steps: [BUSY] },
  'retry-529': { steps: [BUSY, turn(SEARCH), BUSY, BUSY, ANSWER] },
  'error-401': { steps: [refused(401, 'authentication_error', 'invalid x-api-key')] },
  'search-switched-off': { search: true, steps: [BAD, BAD, BAD, turn(SEARCH), ANSWER] },
  'stream-cut': { steps: [{ ...turn(say('Let me look.'), SEARCH), cutAfter: 5 }, ANSWER] },
  'output-limit': { steps: [{ ...turn(say('The budget is')), stop: 'max_tokens' }, ANSWER] },
  'output-limit-always': { steps: [{ ...turn(say('The budget is')), stop: 'max_tokens' }] },
  'two-texts': { steps: [turn(SEARCH), turn(think('Well.'), say('The budget is '), say('4,200 euros.'))] },
  'stop-unknown': { steps: [{ ...turn(say('The budget is 4,200 euros.')), stop: 'pause_turn' }, ANSWER] },
  'stream-error': { steps: [{ ...turn(say('Let me')), failsAfter: 3 }, ANSWER] },
  'short-name': {
    steps: [turn(use('search_notes', { query: 'budget' })), turn(say('There is no such tool.'))],
  },
  'forbidden-tool': { steps: [turn(use('WebSearch', { query: 'budget' })), turn(say('I may not.'))] },
  'server-dies-twice': { mode: 'dies', steps: [turn(SEARCH), turn(SEARCH), turn(say('The server died.'))] },
  'two-models': {
    tools: true,
    allowed: ['mcp__notes', 'Agent', 'Task'],
    steps: [
      turn(
        use('Agent', {
          description: 'look',
          prompt: 'Look.',
          subagent_type: 'Explore',
          model: 'haiku',
          run_in_background: false,
        }),
      ),
      { ...turn(SEARCH), model: 'claude-haiku-5' },
      { ...turn(say('Found: 4,200 euros.')), model: 'claude-haiku-5' },
      ANSWER,
    ],
  },
  refusal: { steps: [{ ...turn(say('I cannot help.')), stop: 'refusal' }] },
  'empty-answer': { steps: [turn()] },
  'turn-limit': { turns: 2, steps: [turn(SEARCH), turn(READ), turn(SEARCH), ANSWER] },
  'sub-agent': {
    tools: true,
    allowed: ['mcp__notes', 'Agent', 'Task'],
    steps: [
      turn(use('Agent', { description: 'look', prompt: 'Look.', subagent_type: 'general-purpose' })),
      turn(SEARCH),
      turn(say('Found: 4,200 euros.')),
      ANSWER,
    ],
  },
  'server-exits': { mode: 'exits', steps: [turn(say('The server failed.'))] },
  'server-exits-search-on': {
    mode: 'exits',
    search: true,
    steps: [LOAD_BOTH, turn(say('The server failed.'))],
  },
  'server-absent': { server: 'absent', steps: [turn(say('There is no server.'))] },
  'server-silent': {
    mode: 'silent',
    env: { MCP_TIMEOUT: '4000' },
    steps: [turn(say('There is no server.'))],
  },
  'server-pending': {
    mode: 'silent',
    search: true,
    env: { MCP_CONNECTION_NONBLOCKING: 'true' },
    steps: [turn(say('It is not there yet.'))],
  },
  'server-stray-line': { mode: 'stray', steps: [turn(SEARCH), ANSWER] },
  'server-partial-line': { mode: 'partial', steps: [turn(SEARCH), ANSWER] },
  'server-partial-line-again': {
    ...{ mode: 'partial', search: true, launches: 2, env: { MCP_TIMEOUT: '5000' } },
    steps: [turn(say('The notes server failed.'))],
  },
  'server-dies': { mode: 'dies', steps: [turn(SEARCH), turn(say('The server died.'))] },
  'server-hangs': {
    mode: 'hangs',
    env: { MCP_TOOL_TIMEOUT: '2000' },
    steps: [turn(SEARCH), turn(say('It did not answer.'))],
  },
  'server-late': {
    mode: 'late',
    env: { MCP_TOOL_TIMEOUT: '2000' },
    steps: [turn(SEARCH), turn(use('Bash', { command: 'sleep 2' })), turn(say('It did not answer in time.'))],
  },
  'killed-sigterm': { steps: [turn(SEARCH), { hangs: true, signal: 'SIGTERM' }] },
  'killed-sigint': { steps: [turn(SEARCH), { hangs: true, signal: 'SIGINT' }] },
  'killed-sigkill': { steps: [turn(SEARCH), { hangs: true, signal: 'SIGKILL' }] },
  'killed-in-call': { mode: 'hangs', steps: [{ ...turn(SEARCH), signal: 'SIGKILL', after: 1500 }] },
  'killed-first-request': { steps: [{ hangs: true, signal: 'SIGKILL' }] },
  'no-output': { options: ['--no-such-option'], steps: [ANSWER] },
};
