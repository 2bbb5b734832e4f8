/** Specification: work that keeps to its limits, and work that does not. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { within } from './deadline.js';

const LIMITS = { timeoutMs: 100, memory: 1e12 };

describe('work within limits', () => {
  it('ends as it ends', async () => {
    assert.equal(await within(LIMITS, wait(1, 'done'), assert.fail), 'done');
    await assert.rejects(within(LIMITS, Promise.reject(new Error('wrong')), assert.fail), {
      message: 'wrong',
    });
  });
  it('is interrupted when its time is over, and what it returns then is not taken', async () => {
    const controller = new AbortController();
    const cut = wait(10_000, 'all', { signal: controller.signal }).catch(() => 'a part');
    await assert.rejects(
      within(LIMITS, cut, () => controller.abort()),
      { code: 'SQL_TIMEOUT' },
    );
  });
  it('is given up on where it does not stop', async () => {
    const deaf = wait(5000, null, { ref: false });
    await assert.rejects(
      within(LIMITS, deaf, () => {}),
      { code: 'SQL_TIMEOUT' },
    );
  });
  it('is interrupted when the process has grown too much', async () => {
    const controller = new AbortController();
    const work = wait(10_000, null, { signal: controller.signal });
    const limits = { timeoutMs: 60_000, memory: -1e12 };
    await assert.rejects(
      within(limits, work, () => controller.abort()),
      { code: 'SQL_TOO_LARGE' },
    );
  });
});
