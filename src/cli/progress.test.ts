/** Progress in plain lines, where there is no terminal. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { close, modelTurn, stamped, trialOpen, turnRequest } from '../events/events.test.support.js';
import { openProgress } from './progress.js';

describe('progress', () => {
  it('tells of each trial that ended what it took, and what is left by that', () => {
    const out = Object.assign(new PassThrough(), { isTTY: false, columns: 0 });
    let at = 0;
    const progress = openProgress(out, () => at);
    progress.start(100, 40);
    const events = stamped([
      trialOpen({ trial: 'a' }),
      trialOpen({ trial: 'b' }),
      turnRequest({ trial: 'a' }),
      modelTurn({ trial: 'a', usage: { input_tokens: 1200, output_tokens: 34 } }),
      close({ trial: 'a' }),
      close({ trial: 'b', status: 'failed', failure: 'TURN_LIMIT' }),
    ]);
    for (const event of events) {
      at += 1500;
      progress.event(event);
    }
    progress.stop();
    assert.equal(
      String(out.read()),
      'trial 41 of 100  a  turn 1  ~1,234 tokens  8 s, about 7 min 23 s left  completed\n' +
        'trial 42 of 100  b  ~1,234 tokens  9 s, about 4 min 21 s left  failed TURN_LIMIT\n',
    );
  });
});
