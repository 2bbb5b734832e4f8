/** What waits for the log: each direction goes on once there is room again. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newRunId, Store } from '../../events/store.js';
import { folderFor } from '../study.test.support.js';
import { now } from './clock.js';
import { Listener } from './listener.js';

describe('a listener', () => {
  it('that is behind lets both directions go on when it has caught up', async (test) => {
    const store = new Store(folderFor(test));
    const run = newRunId('tap', new Date());
    store.createRun(run);
    const command: [string] = ['server'];
    const session = {
      store: store.root,
      run,
      name: 'server',
      handedOn: null,
      command,
      cwd: '.',
      started_ms: now(),
    };
    const listener = new Listener(new URL('./thread.js', import.meta.url), session, 1000);
    const line = Buffer.from(`${'x'.repeat(5000)}\n`);
    listener.chunk('to_server', line);
    listener.chunk('to_client', line);
    assert.equal(listener.isReady(), false);
    await Promise.all([listener.ready(), listener.ready()]);
    assert.equal(listener.isReady(), true);
    await listener.end({ exit_code: 0, signal: null, error: null, forwarded: [] });
  });
});
