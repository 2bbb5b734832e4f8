/** What passes between a host and a server, as events. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sha256 } from '../../events/bytes.js';
import type { EventBody } from '../../events/event.js';
import { exactOf } from '../../events/payload.js';
import { Exchanges } from './exchanges.js';
import type { Direction } from './pass.js';

const large = () => assert.fail('nothing here is large');

/** Hears these lines, one a millisecond, from 1 on; gives the events. */
function heard(...lines: [Direction, string][]): EventBody[] {
  const events: EventBody[] = [];
  const exact = (bytes: Buffer) => exactOf(bytes, { putBlob: large, putParts: large });
  const facts = {
    trial: 's',
    argv: ['node', 's.js'],
    program: null,
    env_names: ['PATH'],
    started_ms: 0,
    exact,
  };
  const exchanges = new Exchanges(facts, (body) => events.push(body));
  exchanges.pid = 7;
  for (const [at, [direction, line]] of lines.entries())
    exchanges.push(direction, Buffer.from(line, 'latin1'), at + 1);
  exchanges.end(100);
  return events;
}

const typesOf = (events: EventBody[]) => events.map(({ type }) => type);

const INITIALIZE = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"roots":{}}}}\n';
const AGREED =
  '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"}}}\n';
const CALL =
  '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"t","arguments":{"n":1},"_meta":{"claudecode/toolUseId":"toolu_1"}}}\n';

describe('a session', () => {
  it('has its handshake, with who spoke and what was agreed', () => {
    const [body] = heard(['to_server', INITIALIZE], ['to_client', AGREED]);
    const [request, response] = [INITIALIZE.trimEnd(), AGREED.trimEnd()];
    assert.deepEqual(body, {
      ...{ type: 'handshake', trial: 's', argv: ['node', 's.js'], env_names: ['PATH'], url: null },
      ...{ header_names: [], pid: 7, program_path: null, program_sha256: null, era: 'legacy' },
      ...{ protocol_version: '2025-11-25', server_name: 's', server_version: '1' },
      ...{ server_capabilities: {}, instructions: null, client_capabilities: { roots: {} } },
      wire: {
        ...{ request_bytes: 85, request_sha256: sha256(request) },
        ...{ response_bytes: 106, response_sha256: sha256(response) },
      },
      raw: { request: { as: 'utf8', data: request }, response: { as: 'utf8', data: response } },
      ...{ attempts: [{ method: 'initialize', outcome: 'answered', elapsed_ms: 1 }], elapsed_ms: 2 },
    });
  });

  it('whose host tried another handshake first has that among its attempts, and as messages', () => {
    const events = heard(
      ['to_server', '{"jsonrpc":"2.0","id":0,"method":"server/discover"}\n'],
      ['to_client', '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}\n'],
      ['to_server', '{"jsonrpc":"2.0","id":1,"method":"server/discover"}\n'],
      ['to_server', INITIALIZE],
      ['to_client', AGREED],
    );
    assert.deepEqual(typesOf(events), ['message', 'message', 'handshake', 'message']);
    assert.deepEqual(events[2]?.type === 'handshake' ? events[2].attempts : [], [
      { method: 'server/discover', outcome: 'timeout', elapsed_ms: 1 },
      { method: 'server/discover', outcome: 'refused', elapsed_ms: 1 },
      { method: 'initialize', outcome: 'answered', elapsed_ms: 1 },
    ]);
  });

  it('has its calls with the id by which the host knows them, and a verdict on their structure', () => {
    const events = heard(
      ['to_server', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'],
      [
        'to_client',
        '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","outputSchema":{"type":"object"}}]}}\n',
      ],
      ['to_server', CALL],
      ['to_client', '{"jsonrpc":"2.0","id":"a","result":{"content":[{"a":1}],"structuredContent":[]}}\n'],
    );
    assert.deepEqual(typesOf(events), ['catalog', 'tool_call']);
    const [catalog, call] = events;
    assert.ok(catalog?.type === 'catalog' && call?.type === 'tool_call');
    assert.deepEqual(
      [catalog.page, catalog.next_cursor, catalog.advertised, catalog.tools.length],
      [1, null, null, 1],
    );
    assert.deepEqual(
      [call.call_id, call.tool, call.arguments, call.is_error, call.content, call.schema_verdict],
      ['toolu_1', 't', { n: 1 }, false, [{ a: 1 }], 'invalid'],
    );
    assert.deepEqual([call.content_bytes, call.structured_bytes, call.elapsed_ms], [9, 2, 1]);
  });

  it('keeps a call that fails, and one that is never answered', () => {
    const events = heard(
      ['to_server', CALL],
      ['to_client', '{"jsonrpc":"2.0","id":"a","error":{"code":-32602,"message":"no"}}\n'],
      ['to_server', CALL],
    );
    assert.deepEqual(
      events.map((event) => (event.type === 'tool_call' ? [event.error, event.raw?.response === null] : [])),
      [
        ['PROTOCOL_ERROR: error -32602: no', false],
        ['NO_REPLY: no reply before the session ended', true],
      ],
    );
  });
});

describe('calls under way at once', () => {
  it('say in which order they were sent, and a reply whose id changed its type is one all the same', () => {
    const asked = (id: number) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t"}}\n`;
    const events = heard(
      ...[1, 2].map((id): [Direction, string] => ['to_server', asked(id)]),
      ['to_client', '{"jsonrpc":"2.0","id":"2","result":{"content":[]}}\n'],
      ['to_client', '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n'],
    );
    assert.deepEqual(
      events.map((event) => (event.type === 'tool_call' ? [event.call_id, event.sent] : event)).slice(1),
      [
        ['2', 2],
        ['1', 1],
      ],
    );
    assert.deepEqual(events[0]?.type === 'fault' ? events[0].code : null, 'ID_TYPE_CHANGED');
  });
});

describe('what is part of no exchange', () => {
  it('is a message, whoever says it: ids of the two sides are apart', () => {
    const events = heard(
      ['to_server', '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'],
      ['to_client', '{"jsonrpc":"2.0","id":1,"method":"roots/list"}\n{"jsonrpc":"2.0","id":1,"result":{}}\n'],
      ['to_server', '{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}\n'],
      ['to_client', '[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]\n'],
    );
    assert.deepEqual(
      events.map((event) =>
        event.type === 'message' ? [event.direction, event.kind, event.method] : [event.type],
      ),
      [
        ['to_client', 'request', 'roots/list'],
        ['to_server', 'request', 'ping'],
        ['to_client', 'response', null],
        ['to_server', 'response', null],
        ['fault'],
        ['to_client', 'other', null],
      ],
    );
  });

  it('is a fault with its bytes where it is no message', () => {
    const events = heard(
      ['to_client', 'Loading\xff\n'],
      ['to_server', 'what\n'],
      ['to_client', '{"jsonrpc":"2.0","id":9,"result":{}}\n'],
      ['to_client', '{"jsonrpc":'],
    );
    assert.deepEqual(
      events.map((event) => (event.type === 'fault' ? [event.code, event.message, event.raw] : [])),
      [
        ['INVALID_UTF8', 'the line is not valid UTF-8', undefined],
        ['STRAY_LINE', 'a line on stdout that is not JSON', { as: 'base64', data: 'TG9hZGluZ/8=' }],
        ['STRAY_LINE', 'from the client: a line that is not JSON', { as: 'utf8', data: 'what' }],
        [
          'UNKNOWN_REPLY',
          'a reply that nothing waits for',
          { as: 'utf8', data: '{"jsonrpc":"2.0","id":9,"result":{}}' },
        ],
        ['PARTIAL_LINE', 'the output ended in the middle of a line', { as: 'utf8', data: '{"jsonrpc":' }],
      ],
    );
  });
});
