/** The list of runs: every one is there, whatever state its files are in. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import type { Store } from '../events/store.js';
import { gradeRun } from './grade.js';
import { listRuns } from './list.js';
import { LATER_RUN, RIGHT, RUN, recordRun, storeFor } from './log-fixture.test.support.js';

const GRADER = { keys: null, grader: 'measure test' };

/** A store with a graded run of three trials: pass, fail, undecided. */
function store(test: TestContext): Store {
  const made = storeFor(test);
  recordRun(made, {
    trials: [
      { task: 'lookup', condition: 'baseline', answer: RIGHT.lookup, tokens: [100, 20] },
      { task: 'aggregate', condition: 'baseline', answer: {}, tokens: [50, 5] },
      { task: 'lookup', condition: 'optimized', close: { status: 'failed', failure: 'MODEL_TIMEOUT' } },
    ],
  });
  gradeRun(made, RUN, GRADER);
  return made;
}

const states = (made: Store) => listRuns(made).map((line) => [line.status, line.damaged, line.grades]);

describe('the list of runs', () => {
  it('is empty where there is no store, and where it is empty', (test) => {
    const made = storeFor(test);
    assert.deepEqual(listRuns(made), []);
    mkdirSync(made.root);
    assert.deepEqual(listRuns(made), []);
  });

  it('shows what a run is and how it was graded', (test) => {
    assert.deepEqual(listRuns(store(test)), [
      {
        ...{ run: RUN, study: 'sample', model: 'model-1', status: 'completed', damaged: false, grades: 'ok' },
        ...{
          trials: 3,
          pass: 1,
          fail: 1,
          overrides: 0,
          input_tokens: 150,
          output_tokens: 25,
          usage_source: 'estimate',
        },
      },
    ]);
  });

  it('has the oldest first', (test) => {
    const made = store(test);
    recordRun(made, { run: LATER_RUN, trials: [] });
    assert.deepEqual(
      listRuns(made).map((line) => line.run),
      [RUN, LATER_RUN],
    );
  });

  it('counts a trial once that was attempted twice, and the tokens of both', (test) => {
    const made = storeFor(test);
    const trial = { task: 'lookup', condition: 'baseline', answer: RIGHT.lookup } as const;
    recordRun(made, { trials: [trial, { ...trial, attempt: 2 }] });
    gradeRun(made, RUN, GRADER);
    const [line] = listRuns(made);
    assert.deepEqual([line?.trials, line?.pass, line?.input_tokens], [1, 1, 200]);
  });

  it('shows an interrupted run as such', (test) => {
    const made = storeFor(test);
    recordRun(made, { trials: [], close: null });
    assert.deepEqual(states(made), [['interrupted', false, 'ok']]);
  });

  it('does not count verdicts on a log that has changed since', (test) => {
    const made = store(test);
    const bytes = readFileSync(made.eventsFile(RUN));
    truncateSync(made.eventsFile(RUN), bytes.lastIndexOf(0x0a, bytes.length - 2) + 1);
    const [line] = listRuns(made);
    assert.deepEqual([line?.status, line?.pass, line?.fail], ['interrupted', 0, 0]);
  });
});

describe('a run that cannot be shown', () => {
  it('is listed where its log is missing, empty, or has no beginning', (test) => {
    const [missing, empty, headless] = [store(test), store(test), store(test)];
    rmSync(missing.eventsFile(RUN));
    truncateSync(empty.eventsFile(RUN), 0);
    writeFileSync(headless.eventsFile(RUN), 'nothing\n');
    assert.deepEqual(states(missing), [['no log', true, 'ok']]);
    assert.deepEqual(states(empty), [['empty', true, 'ok']]);
    assert.deepEqual(states(headless), [['no run_open', true, 'ok']]);
  });

  it('is unreadable, and not called damaged, where its log cannot be read', (test) => {
    const made = store(test);
    rmSync(made.eventsFile(RUN));
    mkdirSync(made.eventsFile(RUN));
    assert.deepEqual(states(made), [['unreadable', false, 'ok']]);
  });

  it('is damaged where a line of its log is', (test) => {
    const made = store(test);
    appendFileSync(made.eventsFile(RUN), 'torn');
    assert.deepEqual(states(made), [['completed', true, 'ok']]);
  });

  it('has no verdicts where its grades are damaged, and hides no other run', (test) => {
    const made = store(test);
    recordRun(made, { run: LATER_RUN, trials: [] });
    appendFileSync(made.gradesFile(RUN), 'nonsense\n');
    assert.deepEqual(
      listRuns(made).map((line) => [line.run, line.grades, line.pass]),
      [
        [RUN, 'unreadable', 0],
        [LATER_RUN, 'ok', 0],
      ],
    );
  });
});
