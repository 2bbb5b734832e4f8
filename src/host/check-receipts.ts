/** The local check of receipts: two runs that fail before a model is asked. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../events/problem.js';
import { replayFile } from '../events/replay.js';
import { Store } from '../events/store.js';
import { initStudy } from '../study/init.js';
import { type CheckStep, expect } from './check-step.js';
import { record } from './record.js';

/** Two runs that fail before a model is asked: each must leave a log that replays. */
export async function* checkReceipts(directory: string): AsyncGenerator<CheckStep> {
  const study = join(directory, 'study');
  initStudy(study);
  const store = new Store(join(directory, 'runs'));
  const startup = await failedStart(study, store);
  yield expect('receipt: a failed start-up', [startup.status, startup.code], ['failed', 'API_KEY_REQUIRED']);
  const file = join(study, 'study.yaml');
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(
      /command:\n( +- .*\n)+/,
      `command: [${JSON.stringify(process.execPath)}, -e, "process.exit(3)"]\n`,
    ),
  );
  const conditions = ['baseline', 'optimized'];
  const { log } = await record({ study, store: store.root, host: 'scripted', conditions });
  const receipt = replayFile(log).receipt;
  const ends = receipt?.attempts.map((trial) => trial.failure) ?? [];
  yield expect(
    'receipt: a trial whose server does not start',
    [receipt?.status, ends[0]],
    ['failed', 'SERVER_EXITED'],
  );
  yield expect(
    'receipt: what follows a failure is skipped',
    ends.slice(1),
    Array.from({ length: 6 }, () => 'PRIOR_FAILURE'),
  );
}

/** A start without a key, which must not reach any endpoint. */
async function failedStart(
  study: string,
  store: Store,
): Promise<{ status: string | null; code: string | null }> {
  try {
    await record({ study, store: store.root, host: 'messages', model: 'offline-check', env: {} });
    return { status: null, code: null };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const receipt = replayFile(store.eventsFile(store.resolveRun('latest'))).receipt;
    return { status: receipt?.status ?? null, code: receipt?.startup_code ?? null };
  }
}
