/** Turns of the transcript joined with the calls that a proxy heard, by the id of the message. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { BodyOf, EventBody } from '../../events/event.js';
import { usageOf } from '../../events/usage.js';
import type { AnsweredCall } from './calls.js';
import { hostFault } from './fault.js';

/**
 * The events of a launch with what the proxy knows of each turn: status, bytes, time and attempt. Where transcript and
 * proxy do not say the same, a fault says so: a turn without its call, a call without its turn, another usage, another session.
 */
export function joined(
  bodies: EventBody[],
  calls: AnsweredCall[],
  { trial, session }: { trial: string; session: string | null },
): EventBody[] {
  const heard = new Map(calls.map((call) => [call.answer.message_id, call]));
  const turns = bodies.flatMap((body) => (body.type === 'model_turn' ? [body.message_id] : []));
  const lost = calls.filter(({ answer }) => !turns.includes(answer.message_id));
  const elsewhere = calls.filter((call) => call.session !== null && call.session !== session);
  return [
    ...bodies.flatMap((body) => (body.type === 'model_turn' ? joinedTurn(body, heard) : [body])),
    ...lost.map((call) => withoutTurn(trial, call)),
    ...elsewhere.map((call) => ofOtherSession(trial, call, session)),
  ];
}

function joinedTurn(turn: BodyOf<'model_turn'>, heard: Map<string, AnsweredCall>): EventBody[] {
  const { trial, message_id } = turn;
  const call = heard.get(message_id ?? '');
  if (call === undefined) {
    const what = `the transcript has the message ${message_id}, and the proxy heard no such answer`;
    return [turn, hostFault(trial, 'TURN_NOT_HEARD', what)];
  }
  const { http_status, response_bytes, response_sha256, elapsed_ms, request_id } = call.answer;
  const facts = { http_status, response_bytes, response_sha256, elapsed_ms, request_id };
  return [{ ...turn, ...facts, attempt: call.attempt }, ...differences(turn, call)];
}

function differences(turn: BodyOf<'model_turn'>, call: AnsweredCall): BodyOf<'fault'>[] {
  const [told, heard] = [usageOf(turn.usage), usageOf(call.answer.usage)];
  const usage = `the transcript says ${JSON.stringify(told)} and the endpoint said ${JSON.stringify(heard)}`;
  const number = `turn ${turn.turn} of the transcript was asked for as turn ${call.turn}: there were calls in between`;
  return [
    ...(isDeepStrictEqual(told, heard) ? [] : [hostFault(turn.trial, 'USAGE_DIFFERS', usage)]),
    ...(turn.turn === call.turn ? [] : [hostFault(turn.trial, 'TURN_DIFFERS', number)]),
  ];
}

function withoutTurn(trial: string, { turn, answer }: AnsweredCall): BodyOf<'fault'> {
  const usage = JSON.stringify(usageOf(answer.usage));
  const what = `call ${turn} was answered by ${answer.message_id}, which no transcript has; its usage was ${usage}`;
  return hostFault(trial, 'ANSWER_NOT_IN_TRANSCRIPT', what);
}

function ofOtherSession(trial: string, call: AnsweredCall, session: string | null): BodyOf<'fault'> {
  const what = `call ${call.turn} names the session ${call.session}, and this one is ${session}`;
  return hostFault(trial, 'SESSION_DIFFERS', what);
}
