/** The local check, whole. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCheck } from './check.js';
import type { CheckStep } from './check-step.js';

describe('the local check', () => {
  it('passes every step, and the last of them are the receipts of failures', async () => {
    const steps: CheckStep[] = [];
    for await (const step of runCheck()) steps.push(step);
    assert.deepEqual(
      steps.filter(({ passed }) => !passed),
      [],
    );
    assert.ok(steps.length >= 20);
    assert.deepEqual(
      steps.slice(-3).map(({ name }) => name),
      [
        'receipt: a failed start-up',
        'receipt: a trial whose server does not start',
        'receipt: what follows a failure is skipped',
      ],
    );
  });
});
