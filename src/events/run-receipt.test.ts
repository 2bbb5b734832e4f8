/** The receipt of a run: given these events, then this receipt. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { EventBody } from './event.js';
import {
  close,
  fault,
  handshake,
  interrupted,
  modelTurn,
  resumed,
  runClose,
  runOpen,
  stamped,
  toolCall,
  trialOpen,
  turnRequest,
} from './events.test.support.js';
import { evolveRun, finalTrials, type RunReceipt, totalsOf } from './run-receipt.js';

function runOf(bodies: EventBody[]): RunReceipt {
  const receipt = stamped([runOpen(), ...bodies]).reduce(evolveRun, null);
  assert.ok(receipt);
  return receipt;
}

const OTHER = { trial: 't/optimized' };
const TWO_TRIALS: EventBody[] = [
  ...[trialOpen(), handshake(), turnRequest(), modelTurn(), toolCall(), close()],
  ...[
    trialOpen({ ...OTHER, condition: 'optimized' }),
    close({ ...OTHER, status: 'failed', failure: 'TOOL_FAILURE' }),
  ],
];

describe('the receipt of a run', () => {
  it('is nothing until the run is opened', () => {
    assert.equal(stamped(TWO_TRIALS).reduce(evolveRun, null), null);
  });

  it('is interrupted until it is closed (R6)', () => {
    assert.equal(runOf(TWO_TRIALS).status, 'interrupted');
    assert.equal(runOf([...TWO_TRIALS, runClose({ status: 'failed' })]).status, 'failed');
  });

  it('names the signal that ended it, and forgets it when it is resumed', () => {
    assert.equal(runOf([interrupted()]).signal, 'SIGINT');
    assert.equal(runOf([interrupted(), resumed()]).signal, null);
  });

  it('says which start-up check failed', () => {
    const { failure, startup_code, message } = runOf([
      runClose({
        status: 'failed',
        failure: 'STARTUP_FAILED',
        startup_code: 'TASK_KINDS_REQUIRED',
        message: 'm',
      }),
    ]);
    assert.deepEqual([failure, startup_code, message], ['STARTUP_FAILED', 'TASK_KINDS_REQUIRED', 'm']);
  });

  it('keeps trials in the order in which they began, each with its own events', () => {
    const { attempts } = runOf(TWO_TRIALS);
    assert.deepEqual(
      attempts.map(({ trial, status, calls }) => [trial, status, calls.length]),
      [
        ['t/baseline', 'completed', 1],
        ['t/optimized', 'failed', 0],
      ],
    );
  });

  it('keeps both attempts at a trial; the last one is final', () => {
    const receipt = runOf([trialOpen(), turnRequest(), resumed(), trialOpen({ attempt: 2 }), close()]);
    const seen = (trials: RunReceipt['attempts']) => trials.map(({ attempt, status }) => [attempt, status]);
    assert.deepEqual(seen(receipt.attempts), [
      [1, 'in_doubt'],
      [2, 'completed'],
    ]);
    assert.deepEqual(seen(finalTrials(receipt)), [[2, 'completed']]);
  });

  it('counts no probe among the final trials', () => {
    const probe = trialOpen({ trial: 'probe/cache', purpose: 'probe', task: null });
    assert.deepEqual(finalTrials(runOf([probe, close({ trial: 'probe/cache' })])), []);
  });

  it('keeps faults that belong to no trial, and hands on the others', () => {
    const { faults, attempts } = runOf([
      trialOpen(),
      fault({ trial: null, code: 'A' }),
      fault({ code: 'B' }),
    ]);
    assert.deepEqual(
      [faults.map(({ code }) => code), attempts[0]?.faults.map(({ code }) => code)],
      [['A'], ['B']],
    );
  });

  it('marks the trial as incomplete of which an event is missing, and no other', () => {
    const events = stamped([runOpen(), ...TWO_TRIALS]);
    const without = (type: string, trial: string) =>
      events
        .filter((event) => !(event.type === type && 'trial' in event && event.trial === trial))
        .reduce(evolveRun, null)
        ?.attempts.map(({ incomplete }) => incomplete);
    assert.deepEqual(without('none', ''), [false, false]);
    assert.deepEqual(without('tool_call', 't/baseline'), [true, false]);
    assert.deepEqual(without('close', 't/baseline'), [true, false]);
  });

  it('passes over events of a trial that never began', () => {
    assert.deepEqual(runOf([toolCall(), close()]).attempts, []);
  });

  it('is not begun again by a second run_open', () => {
    const { attempts, events } = runOf([trialOpen(), runOpen()]);
    assert.deepEqual([attempts.length, events], [1, 3]);
  });

  it('counts its events and ends with the h of the last', () => {
    const { events, head } = runOf(TWO_TRIALS);
    assert.deepEqual([events, head], [9, 'a'.repeat(64)]);
  });

  it('can be taken up in the middle: replaying the rest gives the same receipt', () => {
    const events = stamped([runOpen(), ...TWO_TRIALS, interrupted(), resumed(), runClose()]);
    const whole = events.reduce(evolveRun, null);
    const takeUp = (place: number) => {
      const half = structuredClone(events.slice(0, place).reduce(evolveRun, null));
      assert.deepEqual(events.slice(place).reduce(evolveRun, half), whole);
    };
    fc.assert(fc.property(fc.integer({ min: 0, max: events.length }), takeUp));
  });
});

describe('the totals of a run', () => {
  it('sum what every attempt used, and count no probe', () => {
    const probe = [
      trialOpen({ trial: 'p', purpose: 'probe', task: null }),
      toolCall({ trial: 'p', turn: null }),
    ];
    assert.deepEqual(totalsOf(runOf([...TWO_TRIALS, ...probe]).attempts, 4), {
      ...{ trials: 4, completed: 1, failed: 1, skipped: 0, turns: 1, calls: 1, input_tokens: 107 },
      ...{ output_tokens: 20, usage_source: 'estimate', wire_bytes: 400, model_facing_bytes: 11 },
    });
  });

  it('are zeros from nobody where no model was asked', () => {
    assert.deepEqual(totalsOf([], 0), {
      ...{ trials: 0, completed: 0, failed: 0, skipped: 0, turns: 0, calls: 0, input_tokens: 0 },
      ...{ output_tokens: 0, usage_source: 'none', wire_bytes: 0, model_facing_bytes: 0 },
    });
  });
});
