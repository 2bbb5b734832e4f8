/** The receipt of a trial: given these events, then this receipt. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { jsonOf, textOf } from './answer.js';
import type { BodyOf, EventBody } from './event.js';
import {
  catalog,
  close,
  fault,
  handshake,
  interrupted,
  launch,
  launchEnd,
  modelTurn,
  SOME,
  stamped,
  toolCall,
  trialOpen,
  turnRequest,
} from './events.test.support.js';
import { beginTrial, evolve } from './receipt.js';
import type { TrialReceipt } from './trial-receipt.js';

/** The receipt of a trial that began and to which these events then happened. */
function receiptOf(bodies: EventBody[], open: Partial<BodyOf<'trial_open'>> = {}): TrialReceipt {
  const [first, ...rest] = stamped([trialOpen(open), ...bodies]);
  assert.equal(first?.type, 'trial_open');
  return rest.reduce(evolve, beginTrial(first));
}

const ANSWER = modelTurn({
  ...{ turn: 2, stop_reason: 'end_turn' },
  content: [{ type: 'text', text: '{"answer":' }, { type: 'thinking' }, { type: 'text', text: '"6"}' }],
});
const WHOLE: EventBody[] = [
  ...[
    handshake(),
    catalog(),
    turnRequest(),
    modelTurn(),
    toolCall(),
    turnRequest({ turn: 2, messages: 3 }),
    ANSWER,
  ],
  close(),
];

describe('a receipt', () => {
  it('of a trial that has only begun says what was asked, and that it is interrupted', () => {
    const { trial, condition, task, phrasing, repetition, attempt, prompt, status, turns, calls } = receiptOf(
      [],
    );
    assert.deepEqual(
      { trial, condition, task, phrasing, repetition, attempt, prompt, status, turns, calls },
      {
        ...{
          trial: 't/baseline',
          condition: 'baseline',
          task: 't',
          phrasing: 'plain',
          repetition: 1,
          attempt: 1,
        },
        ...{ prompt: 'How many are open?', status: 'interrupted', turns: [], calls: [] },
      },
    );
  });

  it('names the server, its era and its program', () => {
    assert.deepEqual(receiptOf([handshake({ program_sha256: SOME })]).server, {
      ...{ name: 'records', version: '1.0.0', era: 'modern', protocol_version: '2026-07-28' },
      ...{ argv: ['node', 'server.js'], program_sha256: SOME, elapsed_ms: 90.5 },
    });
  });

  it('keeps the tools of every page as received, and what was advertised of them', () => {
    const pages = [
      catalog({ next_cursor: 'p2', advertised: null, tools: [{ name: 'a' }] }),
      catalog({
        page: 2,
        advertised: { names: ['b'], bytes: 9, sha256: SOME },
        tools: [{ name: 'b', x: 1 }],
      }),
    ];
    const { tools, catalog: received, catalog_wire_bytes } = receiptOf(pages);
    assert.deepEqual(
      { tools, received, catalog_wire_bytes },
      {
        tools: { names: ['b'], bytes: 9, sha256: SOME },
        ...{ received: [{ name: 'a' }, { name: 'b', x: 1 }], catalog_wire_bytes: 800 },
      },
    );
  });

  it('tells of each turn what was sent, how it ended and what it used', () => {
    assert.deepEqual(receiptOf([turnRequest(), modelTurn()]).turns, [
      {
        ...{ event: 2, turn: 1, attempts: 1, request_bytes: 250, request_sha256: SOME, answered: true },
        ...{ stop_reason: 'tool_use', usage_source: 'estimate', elapsed_ms: 12.25 },
        usage: {
          ...{ input_tokens: 100, cache_creation_input_tokens: 7, cache_read_input_tokens: 0 },
          output_tokens: 20,
        },
      },
    ]);
  });

  it('keeps a failed tool call, because a failure is a result', () => {
    const failed = toolCall({ is_error: true, error: 'TIMEOUT', wire: null, content: [], content_bytes: 0 });
    assert.deepEqual(receiptOf([failed]).calls, [
      {
        ...{ event: 1, turn: 1, call_id: 'call_1', tool: 'list_records', arguments: {}, is_error: true },
        ...{ error: 'TIMEOUT', elapsed_ms: 3.5, wire_bytes: 0, content: [], content_bytes: 0 },
        ...{ content_sha256: SOME, structured_bytes: 0, model_facing_text: '{"total":6}' },
        ...{ model_facing_bytes: 11, model_facing_sha256: SOME },
        ...{ error_code: null, schema_verdict: 'unchecked', schema_detail: null },
        ...{ origin: 'server', asked_as: 'list_records' },
      },
    ]);
  });

  it('has a turn whose request was not seen, and the launch of the host that took it', () => {
    const { turns, launches, status } = receiptOf([launch(), modelTurn({ elapsed_ms: null }), launchEnd()]);
    assert.deepEqual(
      turns.map(({ turn, request_bytes, request_sha256, answered, elapsed_ms }) => [
        ...[turn, request_bytes, request_sha256, answered, elapsed_ms],
      ]),
      [[1, null, null, true, null]],
    );
    assert.deepEqual(
      [launches, status],
      [
        [
          {
            ...{ event: 1, launch: 1, home: 'fresh', outcome: 'answered', exit_code: 0, signal: null },
            ...{ version: '2.1.332', session_id: 's', elapsed_ms: 4321, connect_ms: 638, num_turns: 2 },
            ...{ servers: [{ name: 'notes', status: 'connected' }], cost_usd: 0.5, permission_denials: 1 },
            usage: {
              ...{ input_tokens: 4, cache_creation_input_tokens: 90, cache_read_input_tokens: 0 },
              output_tokens: 7,
            },
          },
        ],
        'interrupted',
      ],
    );
  });

  it('is in doubt while a host runs, which may be billed', () => {
    const { launches, status } = receiptOf([launch()]);
    assert.deepEqual([launches[0]?.outcome, status], [null, 'in_doubt']);
  });

  it('reads the answer from the text blocks of the final turn', () => {
    const { answer_text, answer } = receiptOf(WHOLE);
    assert.deepEqual({ answer_text, answer }, { answer_text: '{"answer":"6"}', answer: { answer: '6' } });
  });

  it('has no answer where the model stopped for another reason', () => {
    const { answer_text, answer } = receiptOf([turnRequest(), modelTurn({ stop_reason: 'max_tokens' })]);
    assert.deepEqual({ answer_text, answer }, { answer_text: null, answer: undefined });
  });

  it('sums turns, calls, tokens with both cache figures, and bytes', () => {
    assert.deepEqual(receiptOf(WHOLE).totals, {
      ...{ turns: 2, calls: 1, input_tokens: 214, output_tokens: 40, usage_source: 'estimate' },
      usage: {
        ...{ input_tokens: 200, cache_creation_input_tokens: 14, cache_read_input_tokens: 0 },
        output_tokens: 40,
      },
      ...{ turns_without_usage: 0, wire_bytes: 400, content_bytes: 33, model_facing_bytes: 11 },
    });
  });

  it('counts turns whose usage makes no sense, and guesses nothing', () => {
    const { totals, turns } = receiptOf([turnRequest(), modelTurn({ usage: { input_tokens: -1 } })]);
    assert.deepEqual(
      [totals.turns, totals.turns_without_usage, totals.input_tokens, totals.usage_source, turns[0]?.usage],
      [1, 1, 0, 'none', null],
    );
  });

  it('shows how the session ended', () => {
    const { status, failure, message, closed, elapsed_ms } = receiptOf([
      close({
        status: 'failed',
        failure: 'TURN_LIMIT',
        how: 'sigkill',
        exit_code: null,
        signal: 'SIGKILL',
        message: 'm',
      }),
    ]);
    assert.deepEqual(
      { status, failure, message, closed, elapsed_ms },
      {
        ...{ status: 'failed', failure: 'TURN_LIMIT', message: 'm', elapsed_ms: 200 },
        closed: { how: 'sigkill', exit_code: null, signal: 'SIGKILL' },
      },
    );
  });

  it('keeps each fault with its event', () => {
    assert.deepEqual(receiptOf([fault()]).faults, [
      { event: 1, code: 'STRAY_LINE', severity: 'warning', message: 'a stray line' },
    ]);
  });

  it('goes on with the lists of the receipt before, so that many calls are not copied again and again', () => {
    const before = receiptOf(WHOLE.slice(0, 4));
    const after = stamped(WHOLE).reduce(evolve, before);
    assert.equal(after.calls, before.calls);
  });

  it('can be taken up in the middle: replaying the rest gives the same receipt', () => {
    const events = stamped([trialOpen(), ...WHOLE]);
    const [open] = events;
    assert.equal(open?.type, 'trial_open');
    const whole = events.slice(1).reduce(evolve, beginTrial(open));
    const takeUp = (place: number) => {
      const half = events.slice(1, place).reduce(evolve, beginTrial(open));
      assert.deepEqual(events.slice(place).reduce(evolve, structuredClone(half)), whole);
    };
    fc.assert(fc.property(fc.integer({ min: 1, max: events.length }), takeUp));
  });
});

describe('the execution status', () => {
  it('is in doubt while a model call has begun and nothing says how it ended (R1)', () => {
    assert.equal(receiptOf([handshake(), turnRequest()]).status, 'in_doubt');
    assert.equal(receiptOf([turnRequest(), interrupted()]).status, 'in_doubt');
    assert.equal(receiptOf([turnRequest(), fault()]).status, 'in_doubt');
  });

  it('is no longer in doubt after the answer, or a fault that names the attempt', () => {
    assert.equal(receiptOf([turnRequest(), modelTurn()]).status, 'interrupted');
    assert.equal(receiptOf([turnRequest(), fault({ turn: 1, attempt: 1 })]).status, 'interrupted');
  });

  it('is in doubt again where a second attempt has begun; the turn counts its attempts', () => {
    const { status, turns } = receiptOf([
      turnRequest(),
      fault({ code: 'MODEL_TIMEOUT', turn: 1, attempt: 1 }),
      turnRequest({ attempt: 2 }),
    ]);
    assert.deepEqual(
      [status, turns.map(({ turn, attempts, answered }) => [turn, attempts, answered])],
      ['in_doubt', [[1, 2, false]]],
    );
  });

  it('is what the close record says, once there is one', () => {
    assert.equal(
      receiptOf([turnRequest(), close({ status: 'failed', failure: 'MODEL_TIMEOUT' })]).status,
      'failed',
    );
    assert.equal(receiptOf([close({ status: 'skipped', failure: 'PRIOR_FAILURE' })]).status, 'skipped');
  });
});

describe('reading an answer', () => {
  it('joins text blocks and passes over all others', () => {
    assert.equal(
      textOf([
        { type: 'text', text: 'a' },
        null,
        'b',
        { type: 'text', text: 1 },
        { type: 'text', text: 'c' },
      ]),
      'ac',
    );
  });

  it('takes any JSON value, and nothing else', () => {
    assert.equal(jsonOf('6'), 6);
    assert.equal(jsonOf('{"a":'), undefined);
    assert.equal(jsonOf(''), undefined);
    assert.equal(jsonOf(null), undefined);
  });

  it('takes no value that is nested too deeply to be handled', () => {
    assert.equal(jsonOf('['.repeat(100_000) + ']'.repeat(100_000)), undefined);
  });
});
