/** Turns of a transcript and calls that a proxy heard, joined. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BodyOf, EventBody } from '../../events/event.js';
import type { AnsweredCall } from './calls.js';
import { joined } from './joined.js';

const USAGE = { input_tokens: 7, output_tokens: 3 };

function turn(number: number, message_id: string, usage: object = USAGE): BodyOf<'model_turn'> {
  return {
    ...{ type: 'model_turn', trial: 't', turn: number, attempt: 1, message_id, model: 'm' },
    ...{ stop_reason: 'end_turn', request_id: null, http_status: null, response_bytes: null },
    ...{ response_sha256: null, elapsed_ms: null, usage_source: 'provider', usage, content: [] },
  };
}

function call(number: number, message_id: string, more: Partial<AnsweredCall> = {}): AnsweredCall {
  const answer = {
    ...{ message_id, usage: USAGE, error: null, http_status: 200, request_id: 'req_1' },
    ...{ response_bytes: 99, response_sha256: 'a'.repeat(64), elapsed_ms: 5, broken: null },
  };
  return { turn: number, attempt: 1, session: 's', answer, ...more };
}

const join = (bodies: EventBody[], calls: AnsweredCall[]) =>
  joined(bodies, calls, { trial: 't', session: 's' });
const faultsOf = (bodies: EventBody[]) =>
  bodies.flatMap((body) => (body.type === 'fault' ? [[body.code, body.message]] : []));

describe('a turn that a proxy heard', () => {
  it('has the status, bytes, time and attempt of its call', () => {
    const [body, ...rest] = join([turn(1, 'msg_1')], [call(1, 'msg_1', { attempt: 2 })]);
    assert.deepEqual(body, {
      ...turn(1, 'msg_1'),
      ...{ attempt: 2, http_status: 200, response_bytes: 99, response_sha256: 'a'.repeat(64) },
      ...{ elapsed_ms: 5, request_id: 'req_1' },
    });
    assert.deepEqual(rest, []);
  });

  it('with another usage than the transcript says is a fault that says both', () => {
    const bodies = join([turn(1, 'msg_1', { ...USAGE, output_tokens: 1 })], [call(1, 'msg_1')]);
    assert.match(faultsOf(bodies).join(), /^USAGE_DIFFERS,.*"output_tokens":1}.*"output_tokens":3}/);
  });

  it('without its call is a fault, and so is a call without its turn, with what it took', () => {
    const bodies = join([turn(1, 'msg_1'), turn(2, 'msg_2')], [call(1, 'msg_0'), call(2, 'msg_1')]);
    assert.deepEqual(
      faultsOf(bodies).map(([code]) => code),
      ['TURN_DIFFERS', 'TURN_NOT_HEARD', 'ANSWER_NOT_IN_TRANSCRIPT'],
    );
    assert.match(faultsOf(bodies).at(-1)?.[1] ?? '', /msg_0.*"input_tokens":7/);
  });

  it('of another session is a fault', () => {
    const bodies = join([turn(1, 'msg_1')], [call(1, 'msg_1', { session: 'other' })]);
    assert.deepEqual(
      faultsOf(bodies).map(([code]) => code),
      ['SESSION_DIFFERS'],
    );
  });
});
