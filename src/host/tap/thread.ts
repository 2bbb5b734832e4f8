/** The logging thread: what it is told, in order, becomes events. `dist/host/tap-thread.mjs` is bundled from this. */
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { Said, Session, Told } from './listener.js';
import { SessionLog } from './session-log.js';

// On Linux this is the thread's own: what passes through goes before what is written about it.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const session: Session = workerData;
const log = await SessionLog.open(session);

parentPort?.on('message', (all: Told[]) => {
  for (const told of all) log.hear(told);
  log.sync();
  const bytes = all.reduce((sum, told) => sum + (told.kind === 'chunk' ? told.bytes.length : 0), 0);
  say({ kind: 'logged', bytes });
  if (all.some(({ kind }) => kind === 'end')) say({ kind: 'closed' });
});

function say(said: Said): void {
  parentPort?.postMessage(said);
}
