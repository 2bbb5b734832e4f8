/** Grading a store: what is appended, what stands, what is refused. Real logs in a folder of their own. */
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { runClose } from '../events/events.test.support.js';
import { EventLog } from '../events/log.js';
import { Problem } from '../events/problem.js';
import { readEvents } from '../events/reader.js';
import type { Store } from '../events/store.js';
import { gradeRun, gradeRuns } from './grade.js';
import {
  AGGREGATE,
  LATER_RUN,
  LOOKUP,
  RIGHT,
  RUN,
  recordRun,
  type Sketch,
  storeFor,
  tasksFile,
} from './log-fixture.test.support.js';
import { verdictsOf } from './verdicts.js';

const TRIALS: Sketch[] = [
  { task: 'lookup', condition: 'baseline', answer: RIGHT.lookup },
  { task: 'lookup', condition: 'optimized', answer: { ...RIGHT.lookup, answer: 'Bruges' } },
  { task: 'aggregate', condition: 'baseline', answer: RIGHT.aggregate },
  { task: 'aggregate', condition: 'optimized', close: { status: 'failed', failure: 'MODEL_TIMEOUT' } },
];

const FROZEN = { keys: null, grader: 'measure test' };

/** A store with one run of four trials: pass, fail, pass, undecided. */
function store(test: TestContext): Store {
  const made = storeFor(test);
  recordRun(made, { trials: TRIALS });
  return made;
}

function gradedStore(test: TestContext): Store {
  const made = store(test);
  gradeRun(made, RUN, FROZEN);
  return made;
}

/** A file of keys beside the store. */
function keys(made: Store, tasks: unknown[], name = 'keys.json'): { keys: string; grader: string } {
  const file = join(dirname(made.root), name);
  writeFileSync(file, tasksFile(tasks));
  return { keys: file, grader: 'measure test' };
}

const gradesIn = (made: Store, run = RUN) =>
  readEvents(made.gradesFile(run)).events.flatMap((event) => (event.type === 'grade' ? [event] : []));
const written = (made: Store) => gradesIn(made).map((grade) => `${grade.trial} ${grade.verdict}`);

/** Code and exit of the Problem that an action throws. */
function problem(action: () => unknown): [string, number] {
  try {
    action();
  } catch (error) {
    if (error instanceof Problem) return [error.code, error.exit];
    throw error;
  }
  return ['nothing was thrown', 0];
}

const FIRST = [
  'lookup/baseline/plain/1 pass',
  'lookup/optimized/plain/1 fail',
  'aggregate/baseline/plain/1 pass',
  'aggregate/optimized/plain/1 undecided',
];

describe('grading a run', () => {
  it('appends a verdict on each trial, by the frozen keys', (test) => {
    const made = store(test);
    const graded = gradeRun(made, RUN, FROZEN);
    assert.deepEqual(written(made), FIRST);
    assert.deepEqual(
      [graded.status, graded.verified, graded.keys, graded.appended],
      ['completed', true, 'frozen', 4],
    );
    assert.deepEqual(graded.trials[1]?.reasons, ['answer: expected "Ghent", got "Bruges"']);
    assert.deepEqual(graded.trials[3]?.reasons, ['failure: failed MODEL_TIMEOUT']);
    assert.deepEqual(
      graded.trials.map((trial) => [trial.was, trial.flipped]),
      Array.from({ length: 4 }, () => [null, false]),
    );
  });

  it('writes whom it judged, by which key, over which log', (test) => {
    const made = store(test);
    gradeRun(made, RUN, FROZEN);
    const { events } = readEvents(made.eventsFile(RUN));
    const grade = gradesIn(made)[0];
    assert.deepEqual(
      [
        grade?.run,
        grade?.task,
        grade?.attempt,
        grade?.keys,
        grade?.grader,
        grade?.log_count,
        grade?.log_head,
      ],
      [RUN, 'lookup', 1, 'frozen', 'measure test', events.length, events.at(-1)?.h],
    );
    const recorded = events[0]?.type === 'run_open' ? events[0].tasks[0]?.key_sha256 : null;
    assert.equal(grade?.key_sha256, recorded);
  });

  it('leaves the log as it is, byte for byte', (test) => {
    const made = store(test);
    const before = readFileSync(made.eventsFile(RUN));
    gradeRun(made, RUN, FROZEN);
    gradeRun(made, RUN, keys(made, [{ ...LOOKUP, expectedAnswer: 'Bruges' }, AGGREGATE]));
    assert.deepEqual(readFileSync(made.eventsFile(RUN)), before);
  });

  it('appends nothing the second time, and shows the same verdicts', (test) => {
    const made = store(test);
    gradeRun(made, RUN, FROZEN);
    const before = readFileSync(made.gradesFile(RUN));
    const again = gradeRun(made, RUN, FROZEN);
    assert.deepEqual(readFileSync(made.gradesFile(RUN)), before);
    assert.deepEqual(
      [again.appended, again.trials.map((trial) => trial.was)],
      [0, ['pass', 'fail', 'pass', 'undecided']],
    );
  });

  it('appends nothing for a file with the same keys', (test) => {
    const made = store(test);
    gradeRun(made, RUN, FROZEN);
    assert.equal(gradeRun(made, RUN, keys(made, [AGGREGATE, LOOKUP])).appended, 0);
  });
});

describe('grading with changed keys', () => {
  const bruges = { ...LOOKUP, expectedAnswer: 'Bruges' };

  it('flips the verdicts on that task alone, and keeps the old ones', (test) => {
    const made = store(test);
    gradeRun(made, RUN, FROZEN);
    const graded = gradeRun(made, RUN, keys(made, [bruges, AGGREGATE]));
    assert.deepEqual(written(made), [
      ...FIRST,
      'lookup/baseline/plain/1 fail',
      'lookup/optimized/plain/1 pass',
    ]);
    assert.deepEqual(
      graded.trials.map((trial) => [trial.was, trial.verdict, trial.flipped]),
      [
        ['pass', 'fail', true],
        ['fail', 'pass', true],
        ['pass', 'pass', false],
        ['undecided', 'undecided', false],
      ],
    );
  });

  it('appends a verdict that stays the same, as its key is another', (test) => {
    const made = store(test);
    gradeRun(made, RUN, FROZEN);
    const caveat = { ...AGGREGATE, requiredCaveats: ['as of 2020'] };
    const graded = gradeRun(made, RUN, keys(made, [LOOKUP, caveat]));
    assert.deepEqual(written(made).slice(4), [
      'aggregate/baseline/plain/1 fail',
      'aggregate/optimized/plain/1 undecided',
    ]);
    assert.deepEqual([graded.appended, graded.trials[3]?.flipped], [2, false]);
  });

  it('ends where it began, after A, B and A again', (test) => {
    const made = store(test);
    gradeRun(made, RUN, FROZEN);
    gradeRun(made, RUN, keys(made, [bruges, AGGREGATE]));
    const graded = gradeRun(made, RUN, FROZEN);
    assert.deepEqual(
      [...verdictsOf(made.gradesFile(RUN), RUN).grades.values()].map((grade) => grade.verdict),
      ['pass', 'fail', 'pass', 'undecided'],
    );
    assert.deepEqual([graded.appended, gradesIn(made).length], [2, 8]);
  });

  it('grades by an aggregate key that the recorded count contradicts, and says so', (test) => {
    const made = store(test);
    const graded = gradeRun(made, RUN, keys(made, [LOOKUP, { ...AGGREGATE, expectedAnswer: '12' }]));
    assert.deepEqual(graded.warnings, [
      'the key of "aggregate" says "12", but the host counted 9 when it recorded the run',
    ]);
    assert.equal(graded.trials[2]?.verdict, 'fail');
    assert.deepEqual(gradeRun(made, RUN, FROZEN).warnings, []);
  });

  it('does not care for keys of questions that were not asked', (test) => {
    const made = store(test);
    const further = { ...LOOKUP, kind: 'essay', question: 'Why?' };
    assert.equal(gradeRun(made, RUN, keys(made, [further, LOOKUP, AGGREGATE])).appended, 4);
  });
});

describe('grading is refused', () => {
  it('where a question changed, with nothing appended', (test) => {
    const made = store(test);
    const changed = keys(made, [{ ...LOOKUP, question: `${LOOKUP.question} ` }, AGGREGATE]);
    assert.deepEqual(
      problem(() => gradeRun(made, RUN, changed)),
      ['QUESTION_CHANGED', 2],
    );
    assert.equal(existsSync(made.gradesFile(RUN)), false);
  });

  it('where a key is missing, with nothing appended', (test) => {
    const made = store(test);
    assert.deepEqual(
      problem(() => gradeRun(made, RUN, keys(made, [AGGREGATE]))),
      ['KEY_MISSING', 2],
    );
    assert.equal(existsSync(made.gradesFile(RUN)), false);
  });

  it('for all runs where it is refused for one of them', (test) => {
    const made = store(test);
    const tasks = [LOOKUP, { ...AGGREGATE, question: 'How many are closed?' }];
    recordRun(made, { run: LATER_RUN, trials: TRIALS, tasks });
    assert.deepEqual(
      problem(() => gradeRuns(made, [RUN, LATER_RUN], keys(made, [LOOKUP, AGGREGATE]))),
      ['QUESTION_CHANGED', 2],
    );
    assert.deepEqual(
      [existsSync(made.gradesFile(RUN)), existsSync(made.gradesFile(LATER_RUN))],
      [false, false],
    );
  });

  it('where the file of keys is missing, a folder, or not a tasks file', (test) => {
    const made = store(test);
    assert.deepEqual(
      problem(() => gradeRun(made, RUN, { ...FROZEN, keys: join(made.root, 'gone.json') })),
      ['KEYS_MISSING', 2],
    );
    assert.deepEqual(
      problem(() => gradeRun(made, RUN, { ...FROZEN, keys: made.root })),
      ['KEYS_MISSING', 2],
    );
    assert.deepEqual(
      problem(() => gradeRun(made, RUN, keys(made, [{ ...LOOKUP, expectedAnswer: '' }]))),
      ['INVALID_TASK_lookup', 2],
    );
  });

  it('where the frozen keys are gone from the store, or were tampered with', (test) => {
    const [made, tampered] = [store(test), store(test)];
    const blob = (of: Store) => join(of.root, of.putBlob(tasksFile([LOOKUP, AGGREGATE])));
    truncateSync(blob(tampered), 10);
    assert.deepEqual(
      problem(() => gradeRun(tampered, RUN, FROZEN)),
      ['BLOB_DAMAGED', 3],
    );
    assert.equal(existsSync(tampered.gradesFile(RUN)), false);
    assert.equal(gradeRun(made, RUN, FROZEN).appended, 4);
  });

  it('where the run kept no tasks', (test) => {
    const made = storeFor(test);
    recordRun(made, { trials: TRIALS, open: { inputs: [] } });
    assert.deepEqual(
      problem(() => gradeRun(made, RUN, FROZEN)),
      ['KEYS_UNKNOWN', 3],
    );
    assert.equal(gradeRun(made, RUN, keys(made, [LOOKUP, AGGREGATE])).appended, 4);
  });

  it('where grades.jsonl is damaged, torn, or of another run, with nothing appended', (test) => {
    const [bad, torn, foreign] = [gradedStore(test), gradedStore(test), gradedStore(test)];
    appendFileSync(bad.gradesFile(RUN), 'not an event\n');
    const whole = readFileSync(torn.gradesFile(RUN));
    truncateSync(torn.gradesFile(RUN), whole.length - 9);
    recordRun(foreign, { run: LATER_RUN, trials: TRIALS });
    copyFileSync(foreign.gradesFile(RUN), foreign.gradesFile(LATER_RUN));
    const refusals = [
      problem(() => gradeRun(bad, RUN, FROZEN)),
      problem(() => gradeRun(torn, RUN, FROZEN)),
      problem(() => gradeRun(foreign, LATER_RUN, FROZEN)),
    ];
    assert.deepEqual(refusals, [
      ['GRADES_DAMAGED', 3],
      ['GRADES_DAMAGED', 3],
      ['GRADES_DAMAGED', 3],
    ]);
    assert.equal(readFileSync(torn.gradesFile(RUN)).length, whole.length - 9);
  });

  it('where one verdict in grades.jsonl was rewritten', (test) => {
    const made = store(test);
    gradeRun(made, RUN, FROZEN);
    const text = readFileSync(made.gradesFile(RUN), 'utf8');
    writeFileSync(made.gradesFile(RUN), text.replace('"verdict":"fail"', '"verdict":"pass"'));
    assert.deepEqual(
      problem(() => gradeRun(made, RUN, FROZEN)),
      ['GRADES_DAMAGED', 3],
    );
  });

  it('where the log has no run_open', (test) => {
    const made = storeFor(test);
    made.createRun(RUN);
    writeFileSync(made.eventsFile(RUN), '');
    assert.deepEqual(
      problem(() => gradeRun(made, RUN, FROZEN)),
      ['LOG_WITHOUT_RUN', 3],
    );
  });
});

describe('grading what is not whole', () => {
  it('never takes an interrupted run for a complete one', (test) => {
    const made = storeFor(test);
    const begun: Sketch = { task: 'aggregate', condition: 'baseline', close: null };
    recordRun(made, { trials: [...TRIALS.slice(0, 1), begun], planned: TRIALS.slice(3), close: null });
    const graded = gradeRun(made, RUN, FROZEN);
    assert.deepEqual([graded.status, graded.verified], ['interrupted', false]);
    assert.deepEqual(written(made), ['lookup/baseline/plain/1 pass', 'aggregate/baseline/plain/1 undecided']);
  });

  it('leaves a trial undecided of which a line is damaged, and judges the others', (test) => {
    const made = store(test);
    const text = readFileSync(made.eventsFile(RUN), 'utf8');
    writeFileSync(made.eventsFile(RUN), text.replace('Bruges', 'Ghent!'));
    const graded = gradeRun(made, RUN, FROZEN);
    assert.equal(graded.verified, false);
    assert.deepEqual(graded.trials[1]?.reasons, ['log: events of this trial are missing or damaged']);
    assert.deepEqual(
      graded.trials.map((trial) => trial.verdict),
      ['pass', 'undecided', 'pass', 'undecided'],
    );
  });

  it('judges again once the log has grown, as the old verdict judged another log', (test) => {
    const made = storeFor(test);
    recordRun(made, { trials: TRIALS, close: null });
    gradeRun(made, RUN, FROZEN);
    const log = EventLog.continue(made.eventsFile(RUN), RUN);
    log.append(runClose({ count: log.head.count }));
    log.close();
    const graded = gradeRun(made, RUN, FROZEN);
    assert.deepEqual([graded.appended, graded.verified], [4, true]);
    assert.deepEqual([...new Set(gradesIn(made).map((grade) => grade.log_count))], [15, 16]);
  });

  it('judges the last attempt at a trial', (test) => {
    const made = storeFor(test);
    const wrong = { task: 'lookup', condition: 'baseline', answer: {}, close: null } as const;
    const right = { task: 'lookup', condition: 'baseline', answer: RIGHT.lookup, attempt: 2 } as const;
    recordRun(made, { trials: [wrong, right] });
    gradeRun(made, RUN, FROZEN);
    assert.deepEqual(
      gradesIn(made).map((grade) => [grade.attempt, grade.verdict]),
      [[2, 'pass']],
    );
  });

  it('has no trials where start-up failed, and needs no keys for that', (test) => {
    const made = storeFor(test);
    const open = { plan: null, limits: null, system: null, system_sha256: null, tasks: [], inputs: [] };
    const close = { status: 'failed', failure: 'STARTUP_FAILED', startup_code: 'INPUT_MISSING' } as const;
    recordRun(made, { trials: [], open, close });
    assert.deepEqual(gradeRun(made, RUN, FROZEN), {
      ...{ run: RUN, status: 'failed', verified: true, keys: 'none', appended: 0, trials: [], warnings: [] },
    });
    assert.equal(existsSync(made.gradesFile(RUN)), false);
  });

  it('judges two runs at once, each in its own file, and a run that is named twice once', (test) => {
    const made = store(test);
    recordRun(made, { run: LATER_RUN, trials: TRIALS.slice(0, 2) });
    const graded = gradeRuns(made, [RUN, LATER_RUN, RUN], FROZEN);
    assert.deepEqual(
      graded.map(({ run, appended }) => [run, appended]),
      [
        [RUN, 4],
        [LATER_RUN, 2],
      ],
    );
    assert.deepEqual([gradesIn(made).length, gradesIn(made, LATER_RUN).length], [4, 2]);
  });
});
