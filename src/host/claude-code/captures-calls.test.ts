/** Calls of tools, joined from what the tap heard and what the transcript says, told by captures of the real command. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  callsOf,
  captureOf,
  deferred,
  faultsOf,
  of,
  relined,
  tell,
  upfront,
} from './captures.test.support.js';

describe('a call that the tap heard', () => {
  it('has its turn, the name that the model used, and what the model was sent', () => {
    const [, call] = of(deferred('ok-search-on').bodies, 'tool_call');
    assert.equal(call?.tool, 'search_notes');
    assert.equal(call?.asked_as, 'mcp__notes__search_notes');
    assert.equal(call?.turn, 2);
    assert.equal(call?.wire?.response_bytes, 222);
    assert.equal(call?.model_facing_text, '[{"id":"n1","title":"Budget"}]');
    assert.equal(call?.model_facing_bytes, 30);
  });

  it('of several in one turn each has its own', () => {
    assert.deepEqual(callsOf(upfront('parallel-thinking')), [
      ...['1 host Bash ok', '1 server search_notes ok', '1 server read_note ok'],
    ]);
  });

  it('of a server that nobody here wrote', () => {
    assert.deepEqual(callsOf(upfront('real-server')), ['1 server echo ok', '1 server get-sum ok']);
    const texts = of(upfront('real-server').bodies, 'tool_call').map((call) => call.model_facing_text);
    assert.deepEqual(texts, ['Echo: hello', 'The sum of 2 and 3 is 5.']);
  });

  it('has another text for the model than on the wire where the host does not pass it on', () => {
    const [call] = of(upfront('long-result').bodies, 'tool_call');
    assert.equal(call?.wire?.response_bytes, 3424);
    assert.match(call?.model_facing_text ?? '', /^<removed: \d+ characters>$/);
  });

  it('has blocks that are no text as JSON', () => {
    const [call] = of(upfront('image-result').bodies, 'tool_call');
    assert.deepEqual(
      call?.content.map((block) => Object.values(block ?? {})[0]),
      ['text', 'image'],
    );
    assert.match(call?.model_facing_text ?? '', /\{"type":"image","source":\{"type":"base64"/);
  });

  it('that failed is an error for the model, too', () => {
    assert.deepEqual(callsOf(upfront('tool-error')), [
      '1 server read_note error',
      '2 server read_note error',
    ]);
    assert.deepEqual(callsOf(upfront('server-dies')), ['1 server search_notes NO_REPLY']);
    assert.deepEqual(callsOf(upfront('server-hangs')), ['1 server search_notes NO_REPLY']);
    const [hung] = of(upfront('server-hangs').bodies, 'tool_call');
    assert.equal(hung?.model_facing_text, 'MCP server "notes" tool "search_notes" timed out after 2s');
  });

  it('that was answered when the host no longer waited is an error for the model', () => {
    const [answered] = of(upfront('ok-search-off').bodies, 'tool_call');
    const late = captureOf('server-late');
    const tapped = late.tapped.map((body) =>
      body.type === 'tool_call' && answered !== undefined ? { ...answered, call_id: body.call_id } : body,
    );
    assert.deepEqual(callsOf(tell({ ...late, tapped })), ['1 server search_notes error', '2 host Bash ok']);
  });

  it('and that no turn asked for is kept, and is a fault', () => {
    const capture = captureOf('ok-search-off');
    const tapped = capture.tapped.map((body) =>
      body.type === 'tool_call' && body.tool === 'read_note' ? { ...body, call_id: 'other' } : body,
    );
    const story = tell({ ...capture, tapped });
    assert.deepEqual(callsOf(story), [
      ...['1 server search_notes ok', 'null server read_note ok', '2 host mcp__notes__read_note ok'],
    ]);
    assert.deepEqual(faultsOf(story), ['CALL_NOT_IN_TRANSCRIPT', 'CALL_NOT_ON_WIRE']);
  });
});

describe('a call that the tap did not hear', () => {
  it('is of a tool of the host, which says what it loaded', () => {
    const [call] = of(deferred('ok-search-on').bodies, 'tool_call');
    assert.deepEqual(call?.arguments, { query: 'select:mcp__notes__search_notes', max_results: 5 });
    assert.equal(call?.origin, 'host');
    assert.equal(call?.wire, null);
    assert.equal(call?.elapsed_ms, 37);
    assert.deepEqual(call?.content, [{ type: 'tool_reference', tool_name: 'mcp__notes__search_notes' }]);
    assert.equal(call?.model_facing_text, '{"type":"tool_reference","tool_name":"mcp__notes__search_notes"}');
  });

  it('is of a tool that was denied', () => {
    assert.deepEqual(callsOf(upfront('denied-bash')), [
      ...['1 host Bash PERMISSION_DENIED', '2 server search_notes ok'],
    ]);
    assert.deepEqual(faultsOf(upfront('denied-bash')), ['PERMISSION_DENIED']);
    assert.deepEqual(callsOf(upfront('denied-server-tool')), [
      ...['1 server search_notes ok', '2 host mcp__notes__read_note PERMISSION_DENIED'],
    ]);
  });

  it('is denied though the command was killed before its result', () => {
    const capture = captureOf('denied-server-tool');
    const stream = relined(capture.stream, (line) => (line.includes('"type":"result"') ? undefined : line));
    assert.deepEqual(callsOf(tell({ ...capture, stream })), [
      ...['1 server search_notes ok', '2 host mcp__notes__read_note PERMISSION_DENIED'],
    ]);
  });

  it('is of a tool that is not there', () => {
    assert.deepEqual(callsOf(upfront('unknown-tool')), ['1 host mcp__notes__find UNADVERTISED_TOOL']);
    assert.deepEqual(callsOf(upfront('short-name')), ['1 host search_notes UNADVERTISED_TOOL']);
    assert.deepEqual(callsOf(upfront('forbidden-tool')), ['1 host WebSearch UNADVERTISED_TOOL']);
    assert.deepEqual(faultsOf(upfront('unknown-tool')), []);
  });

  it('is one of the server of which nothing came to the wire: a fault', () => {
    const story = upfront('killed-in-call');
    assert.deepEqual(callsOf(story), ['1 host mcp__notes__search_notes NO_REPLY']);
    assert.deepEqual(faultsOf(story), ['CALL_NOT_ON_WIRE']);
    const capture = captureOf('ok-search-off');
    const tapped = capture.tapped.filter(({ type }) => type !== 'tool_call');
    assert.deepEqual(faultsOf(tell({ ...capture, tapped })), ['CALL_NOT_ON_WIRE', 'CALL_NOT_ON_WIRE']);
  });
});
