/** Overrides: a person's verdict stands over the key's on one answer of one attempt, and every one is kept. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { close, trialOpen } from '../events/events.test.support.js';
import { EventLog } from '../events/log.js';
import { Problem } from '../events/problem.js';
import { readLog } from '../events/reader.js';
import type { Store } from '../events/store.js';
import { compareRun } from './compare.js';
import { gradeRun } from './grade.js';
import { listRuns } from './list.js';
import { RIGHT, RUN, recordRun, storeFor } from './log-fixture.test.support.js';
import { type OverrideChoice, overrideTrial } from './override.js';

const GRADER = { keys: null, grader: 'measure test' };
const SECOND = 'lookup/baseline/plain/2';
const guess: OverrideChoice = {
  ...{ trial: SECOND, verdict: 'fail', author: 'Ada', reason: 'a guess: no record was read' },
};

/** A graded run of one question asked twice, both times with the right answer. */
function store(test: TestContext): Store {
  const made = storeFor(test);
  const trial = { task: 'lookup' as const, condition: 'baseline', answer: RIGHT.lookup };
  recordRun(made, { trials: [trial, { ...trial, repetition: 2 }] });
  gradeRun(made, RUN, GRADER);
  return made;
}

const said = (made: Store) =>
  [...readLog(made.gradesFile(RUN))].flatMap(({ event }) =>
    event?.type === 'override' ? [[event.trial, event.verdict, event.author, event.reason]] : [],
  );
const stands = (made: Store) =>
  gradeRun(made, RUN, GRADER).trials.map((trial) => [trial.trial, trial.stands, trial.verdict]);

function problemOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('an override', () => {
  it('stands over the grade of one repetition, with who decided and why', (test) => {
    const made = store(test);
    const { override, ...result } = overrideTrial(made, RUN, guess);
    assert.deepEqual(result, {
      ...{ run: RUN, trial: SECOND, attempt: 1, was: 'pass', verdict: 'fail', graded: 'pass' },
    });
    assert.deepEqual([override?.author, override?.reason, override?.event], ['Ada', guess.reason, 2]);
    assert.match(override?.at ?? '', /^\d{4}-\d\d-\d\dT/);
    assert.deepEqual(stands(made), [
      ['lookup/baseline/plain/1', 'pass', 'pass'],
      [SECOND, 'fail', 'pass'],
    ]);
  });

  it('is shown by compare and list, and leaves the trial out of totals where it fails', (test) => {
    const made = store(test);
    overrideTrial(made, RUN, guess);
    const [first, second] = compareRun(made, RUN, 'baseline').trials;
    assert.deepEqual([first?.verdict, first?.override], ['pass', null]);
    assert.deepEqual([second?.verdict, second?.graded, second?.override?.author], ['fail', 'pass', 'Ada']);
    const [line] = listRuns(made);
    assert.deepEqual([line?.pass, line?.fail, line?.overrides], [1, 1, 1]);
  });

  it('is replaced by a later one, and both are kept', (test) => {
    const made = store(test);
    overrideTrial(made, RUN, guess);
    overrideTrial(made, RUN, { ...guess, verdict: 'undecided', author: 'Bob', reason: 'unclear' });
    assert.deepEqual(stands(made)[1], [SECOND, 'undecided', 'pass']);
    assert.deepEqual(said(made), [
      [SECOND, 'fail', 'Ada', 'a guess: no record was read'],
      [SECOND, 'undecided', 'Bob', 'unclear'],
    ]);
  });

  it('is taken back with a reason of its own, and the key speaks again', (test) => {
    const made = store(test);
    overrideTrial(made, RUN, guess);
    const back = overrideTrial(made, RUN, { ...guess, verdict: null, reason: 'it had read the record' });
    assert.deepEqual([back.verdict, back.was, back.override], ['pass', 'fail', null]);
    assert.deepEqual(said(made).at(-1), [SECOND, null, 'Ada', 'it had read the record']);
    assert.match(
      problemOf(() => overrideTrial(made, RUN, { ...guess, verdict: null })),
      /OVERRIDE_UNKNOWN: no override stands on lookup\/baseline\/plain\/2: /,
    );
  });

  it('may be given before there is a grade', (test) => {
    const made = storeFor(test);
    recordRun(made, { trials: [{ task: 'lookup', condition: 'baseline', answer: RIGHT.lookup }] });
    const trial = 'lookup/baseline/plain/1';
    assert.deepEqual(overrideTrial(made, RUN, { ...guess, trial }).graded, null);
    assert.equal(compareRun(made, RUN, 'baseline').trials[0]?.verdict, 'fail');
  });

  it('outlives a grade by other keys, and never reaches the log', (test) => {
    const made = store(test);
    const log = readFileSync(made.eventsFile(RUN));
    overrideTrial(made, RUN, guess);
    gradeRun(made, RUN, { ...GRADER, grader: 'measure later' });
    assert.deepEqual(stands(made)[1], [SECOND, 'fail', 'pass']);
    assert.deepEqual(readFileSync(made.eventsFile(RUN)), log);
  });

  it('does not stand on another attempt at the trial', (test) => {
    const made = storeFor(test);
    const trial = 'lookup/baseline/plain/1';
    recordRun(made, {
      trials: [{ task: 'lookup', condition: 'baseline', answer: RIGHT.lookup }],
      close: null,
    });
    overrideTrial(made, RUN, { ...guess, trial });
    assert.deepEqual(stands(made), [[trial, 'fail', 'pass']]);
    const log = EventLog.continue(made.eventsFile(RUN), RUN);
    log.append(trialOpen({ trial, task: 'lookup', condition: 'baseline', attempt: 2 }));
    log.append(close({ trial, status: 'failed', failure: 'MODEL_TIMEOUT' }));
    log.close();
    assert.deepEqual(stands(made), [[trial, 'undecided', 'undecided']]);
  });

  it('is refused without a reason, and for a trial that is not there', (test) => {
    const made = store(test);
    assert.equal(
      problemOf(() => overrideTrial(made, RUN, { ...guess, reason: ' ' })),
      'REASON_REQUIRED: an override without a reason says nothing to whoever reads it later: say why with --reason',
    );
    assert.equal(
      problemOf(() => overrideTrial(made, RUN, { ...guess, trial: 'lookup/baseline/plain/3' })),
      `TRIAL_UNKNOWN: run ${RUN} has no trial "lookup/baseline/plain/3" that was begun: give the id of one, such as lookup/baseline/plain/1, lookup/baseline/plain/2`,
    );
    assert.deepEqual(said(made), []);
  });
});
