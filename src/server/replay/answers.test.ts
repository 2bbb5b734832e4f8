/** Specification: what a recording answers, what it refuses, and that its bytes stay as they were. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EventBody } from '../../events/event.js';
import {
  catalog,
  handshake,
  message,
  stamped,
  toolCall,
  trialOpen,
} from '../../events/events.test.support.js';
import type { Exact } from '../../events/payload.js';
import { Problem } from '../../events/problem.js';
import { Answers } from './answers.js';
import { exchangesOf } from './exchanges.js';

const NO_BLOBS = { getBlob: () => assert.fail('nothing is in a blob') };

const utf8 = (data: string): Exact => ({ as: 'utf8', data });
const rawOf = (request: string, response: string | null) => ({
  raw: { request: utf8(request), response: response === null ? null : utf8(response) },
});

/** A recorded call: the request with this id and these arguments as JSON, and the whole line that answered it. */
const call = (id: string, args: string, response: string | null, change = {}) =>
  toolCall({
    ...rawOf(
      `{"method":"tools/call","params":{"name":"find","arguments":${args}},"jsonrpc":"2.0","id":${id}}`,
      response,
    ),
    ...{ tool: 'find', arguments: JSON.parse(args), error_code: null, ...change },
  });

function answersOf(bodies: EventBody[]): (line: string) => string | null {
  const [open, ...events] = stamped([trialOpen(), ...bodies]);
  if (open?.type !== 'trial_open') throw new Error('no trial_open');
  const exchanges = exchangesOf({ open, events, closed: true, damage: null }, 'events.jsonl', NO_BLOBS);
  const answers = new Answers(exchanges, { run: 'run-1', trial: 't/baseline', exit_code: 3 }, NO_BLOBS);
  return (line) => answers.answer(Buffer.from(line))?.toString('utf8') ?? null;
}

const asking = (id: string, args: string, tool = 'find') =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"_meta":{"x":1},"arguments":${args},"name":"${tool}"}}`;

/** Code, reason and message of an error reply. */
function errorIn(reply: string | null) {
  const { error } = JSON.parse(reply ?? 'null');
  return { code: error.code, reason: error.data?.reason, message: error.message };
}

describe('a recorded call', () => {
  it('that came over HTTP in several lines is one line', () => {
    const answer = answersOf([call('3', '{}', '{\n  "id": 3,\r\n  "result": {"n": 1.0, "t": "a\\nb"}\n}')]);
    assert.equal(answer(asking('8', '{}')), '{   "id": 8,    "result": {"n": 1.0, "t": "a\\nb"} }');
  });

  it('that was under way with others is answered in the order in which they were sent', () => {
    const answer = answersOf([
      call('2', '{}', '{"id":2,"result":{"n":2}}', { sent: 2 }),
      call('1', '{}', '{"id":1,"result":{"n":1}}', { sent: 1 }),
    ]);
    assert.equal(answer(asking('8', '{}')), '{"id":8,"result":{"n":1}}');
    assert.equal(answer(asking('9', '{}')), '{"id":9,"result":{"n":2}}');
  });

  it('is answered with its bytes, the id of the new request in them, whatever the order of keys', () => {
    const answer = answersOf([
      call(
        '3',
        '{"a":1,"b":{"c":2,"d":3}}',
        '{ "result" : {"content":[],"n":12345678901234567890,"n":1}, "id" :3}',
      ),
    ]);
    assert.equal(
      answer(asking('"x-9"', '{"b":{"d":3,"c":2}, "a":1.0}')),
      '{ "result" : {"content":[],"n":12345678901234567890,"n":1}, "id" :"x-9"}',
    );
  });

  it('is answered in the order of its recordings, and after the last one with an error', () => {
    const answer = answersOf([
      call('1', '{}', '{"id":1,"result":{"content":[1]}}'),
      call('2', '{}', '{"id":2,"result":{"content":[2]}}'),
    ]);
    assert.deepEqual(
      [answer(asking('7', '{}')), answer(asking('8', '{}'))],
      ['{"id":7,"result":{"content":[1]}}', '{"id":8,"result":{"content":[2]}}'],
    );
    assert.deepEqual(errorIn(answer(asking('9', '{}'))), {
      code: -32011,
      reason: 'RECORDED_ANSWERS_USED_UP',
      message:
        'RECORDED_ANSWERS_USED_UP: a call of find with {} is recorded 2 times, and every recorded answer has been given: run run-1, trial t/baseline, which has 2 calls of find',
    });
  });

  it('that failed with a JSON-RPC error fails so again', () => {
    const error = '{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"no such tool"}}';
    const answer = answersOf([
      call('4', '{}', error, { error: 'PROTOCOL_ERROR: …', error_code: 'PROTOCOL_ERROR' }),
    ]);
    assert.equal(answer(asking('1', '{}')), error.replace('"id":4', '"id":1'));
  });

  it('that was never answered is an error that says so', () => {
    const answer = answersOf([
      call('4', '{}', null, { error: 'CALL_TIMEOUT: …', error_code: 'CALL_TIMEOUT' }),
    ]);
    const { code, reason, message: said } = errorIn(answer(asking('1', '{}')));
    assert.deepEqual([code, reason], [-32012, 'NEVER_ANSWERED']);
    assert.match(said, /a call of find with \{\} is recorded without an answer \(CALL_TIMEOUT\)/);
  });

  it('keeps an id that came back as another type, and the ids of others in a batch', () => {
    const answer = answersOf([
      call('5', '{}', '{"jsonrpc":"2.0","id":"5","result":{"content":[]}}'),
      call('6', '{"n":1}', '[{"jsonrpc":"2.0","method":"m"},{"jsonrpc":"2.0","id":6,"result":{"id":6}}]'),
    ]);
    assert.equal(answer(asking('1', '{}')), '{"jsonrpc":"2.0","id":"1","result":{"content":[]}}');
    assert.equal(
      answer(asking('2', '{"n":1}')),
      '[{"jsonrpc":"2.0","method":"m"},{"jsonrpc":"2.0","id":2,"result":{"id":6}}]',
    );
  });

  it('keeps bytes that are no valid UTF-8', () => {
    const line = Buffer.from('{"id":1,"result":{"content":"\xe9"}}', 'latin1');
    const raw = {
      request: utf8(asking('1', '{}')),
      response: { as: 'base64' as const, data: line.toString('base64') },
    };
    const [open, ...events] = stamped([trialOpen(), toolCall({ tool: 'find', raw })]);
    if (open?.type !== 'trial_open') throw new Error('no trial_open');
    const exchanges = exchangesOf({ open, events, closed: true, damage: null }, 'events.jsonl', NO_BLOBS);
    const answers = new Answers(exchanges, { run: 'r', trial: 't', exit_code: 3 }, NO_BLOBS);
    assert.deepEqual(
      answers.answer(Buffer.from(asking('2', '{}'))),
      Buffer.from('{"id":2,"result":{"content":"\xe9"}}', 'latin1'),
    );
  });
});

describe('a call that is not recorded', () => {
  it('is an error that names tool, arguments, run and trial', () => {
    const answer = answersOf([call('1', '{"a":1}', '{"id":1,"result":{}}')]);
    assert.deepEqual(JSON.parse(answer(asking('1', '{"a":2}')) ?? ''), {
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32010,
        message:
          'NOT_RECORDED: a call of find with {"a":2} is not recorded: run run-1, trial t/baseline, which has 1 call of find',
        data: {
          reason: 'NOT_RECORDED',
          run: 'run-1',
          trial: 't/baseline',
          tool: 'find',
          arguments: { a: 2 },
        },
      },
    });
  });

  it('is not taken for one whose number differs beyond what JavaScript holds', () => {
    const answer = answersOf([call('1', '{"n":12345678901234567890}', '{"id":1,"result":{}}')]);
    assert.equal(errorIn(answer(asking('1', '{"n":12345678901234567891}'))).code, -32010);
  });

  it('and was refused by the host in the recording is refused here', () => {
    const refused = { error: 'UNADVERTISED_TOOL', error_code: 'UNADVERTISED_TOOL' as const, wire: null };
    const answer = answersOf([
      call('1', '{}', '{"id":1,"result":{}}'),
      toolCall({ tool: 'hidden', ...refused }),
    ]);
    assert.equal(errorIn(answer(asking('1', '{}', 'hidden'))).code, -32010);
  });
});

describe('a recorded handshake and catalog', () => {
  const bodies = [
    message({
      ...{ direction: 'to_server', kind: 'request', method: 'server/discover' },
      raw: utf8('{"id":0,"method":"server/discover"}'),
    }),
    message({
      ...{ direction: 'to_client', kind: 'response', method: null },
      raw: utf8('{"id":0,"error":{"code":-32601,"message":"no"}}'),
    }),
    handshake(
      rawOf(
        '{"id":1,"method":"initialize","params":{"clientInfo":{"name":"a"}}}',
        '{"id":1,"result":{"serverInfo":{}}}',
      ),
    ),
    catalog(
      rawOf('{"id":2,"method":"tools/list","params":{}}', '{"id":2,"result":{"tools":[],"nextCursor":""}}'),
    ),
    catalog({
      page: 2,
      ...rawOf('{"id":3,"method":"tools/list","params":{"cursor":""}}', '{"id":3,"result":{"tools":[1]}}'),
    }),
  ];

  it('are answered to any client, as often as it asks, page by page', () => {
    const answer = answersOf(bodies);
    const initialize = '{"id":"a","method":"initialize","params":{"clientInfo":{"name":"b"}}}';
    assert.equal(
      answer('{"id":7,"method":"server/discover","params":{}}'),
      '{"id":7,"error":{"code":-32601,"message":"no"}}',
    );
    assert.deepEqual(
      [answer(initialize), answer(initialize)],
      Array(2).fill('{"id":"a","result":{"serverInfo":{}}}'),
    );
    assert.deepEqual(
      [
        answer('{"id":4,"method":"tools/list"}'),
        answer('{"id":5,"method":"tools/list","params":{"cursor":""}}'),
      ],
      ['{"id":4,"result":{"tools":[],"nextCursor":""}}', '{"id":5,"result":{"tools":[1]}}'],
    );
  });

  it('have no page behind a cursor that was never given', () => {
    const answer = answersOf(bodies);
    assert.equal(errorIn(answer('{"id":4,"method":"tools/list","params":{"cursor":"x"}}')).code, -32010);
  });

  it('refuse a handshake of the other era, so that a client falls back on the one that was recorded', () => {
    const answer = answersOf(bodies.slice(2));
    assert.equal(errorIn(answer('{"id":7,"method":"server/discover"}')).code, -32601);
  });
});

describe('everything else that a client says', () => {
  const answer = answersOf([call('1', '{}', '{"id":1,"result":{}}')]);

  it('is not answered where it is a notification or a response', () => {
    assert.equal(answer('{"jsonrpc":"2.0","method":"notifications/initialized"}'), null);
    assert.equal(answer('{"jsonrpc":"2.0","id":1,"result":{}}'), null);
  });

  it('is answered by the protocol where it is a ping or an unknown method', () => {
    assert.equal(answer('{"jsonrpc":"2.0","id":1,"method":"ping"}'), '{"jsonrpc":"2.0","id":1,"result":{}}');
    assert.equal(errorIn(answer('{"jsonrpc":"2.0","id":1,"method":"prompts/list"}')).code, -32601);
  });

  it('is an error without id where it cannot be read', () => {
    assert.equal(errorIn(answer('{"id":')).code, -32700);
    assert.equal(errorIn(answer('[{"jsonrpc":"2.0","id":1,"method":"ping"}]')).code, -32600);
  });
});

describe('a recording without bytes', () => {
  it('is refused', () => {
    assert.throws(
      () => answersOf([handshake()]),
      (error) => error instanceof Problem && error.code === 'RECORDING_WITHOUT_BYTES' && error.exit === 3,
    );
    assert.throws(() => answersOf([toolCall()]), /RECORDING_WITHOUT_BYTES: the tool_call with seq 1/);
  });
});
