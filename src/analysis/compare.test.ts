/** Comparison: literal figures in, literal sums and ratios out, and nothing left out in silence. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { runClose } from '../events/events.test.support.js';
import { EventLog } from '../events/log.js';
import { Problem } from '../events/problem.js';
import type { Store } from '../events/store.js';
import { type CompareResult, compareRun } from './compare.js';
import { gradeRun } from './grade.js';
import {
  AGGREGATE,
  LOOKUP,
  RIGHT,
  RUN,
  type RunSketch,
  recordRun,
  type Sketch,
  storeFor,
  tasksFile,
} from './log-fixture.test.support.js';

const call = (wire: number, facing: number) => ({
  wire: {
    request_bytes: 10,
    request_sha256: 'b'.repeat(64),
    response_bytes: wire,
    response_sha256: 'b'.repeat(64),
  },
  model_facing_bytes: facing,
});
const pass = (task: Sketch['task'], condition: string, change: Partial<Sketch> = {}): Sketch => ({
  ...{ task, condition, answer: RIGHT[task] },
  ...change,
});
const wrong = (task: Sketch['task'], condition: string): Sketch => ({ task, condition, answer: {} });
const dead = (task: Sketch['task'], condition: string): Sketch => ({
  ...{ task, condition },
  close: { status: 'failed', failure: 'SERVER_EXITED' },
});

function graded(test: TestContext, sketch: RunSketch): Store {
  const store = storeFor(test);
  recordRun(store, sketch);
  gradeRun(store, RUN, { keys: null, grader: 'measure test' });
  return store;
}

const compare = (test: TestContext, trials: Sketch[], more: Partial<RunSketch> = {}): CompareResult =>
  compareRun(graded(test, { trials, ...more }), RUN, 'baseline');
const leftOut = ({ left_out }: CompareResult) =>
  left_out.map((pair) => `${pair.task} ${pair.condition}: ${pair.reason}`);
const pairs = ({ comparisons }: CompareResult) =>
  comparisons.map((each) => `${each.task ?? 'total'} ${each.condition}: ${each.pairs}`);

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

describe('a comparison', () => {
  const trials = [
    pass('lookup', 'baseline', { tokens: [1000, 50], calls: [call(9000, 8000)] }),
    pass('lookup', 'optimized', { tokens: [250, 50], calls: [call(500, 400), call(400, 400)] }),
    pass('aggregate', 'baseline', { tokens: [100, 10] }),
    pass('aggregate', 'optimized', { tokens: [400, 20], calls: [call(100, 90)] }),
  ];

  it('sums the figures of each task, and of all, and divides them', (test) => {
    const { comparisons } = compare(test, trials);
    // The turn with calls has the tokens of the sample turn: 107 in and 20 out.
    assert.deepEqual(comparisons[0], {
      ...{ task: 'lookup', condition: 'optimized', pairs: 1 },
      base: {
        turns: 2,
        calls: 1,
        input_tokens: 1107,
        output_tokens: 70,
        wire_bytes: 9000,
        model_facing_bytes: 8000,
      },
      condition_sum: {
        ...{
          turns: 2,
          calls: 2,
          input_tokens: 357,
          output_tokens: 70,
          wire_bytes: 900,
          model_facing_bytes: 800,
        },
      },
      ratio: {
        ...{ turns: 1, calls: 2, input_tokens: 357 / 1107, output_tokens: 1, wire_bytes: 0.1 },
        model_facing_bytes: 0.1,
      },
    });
    assert.deepEqual(comparisons[2], {
      ...{ task: null, condition: 'optimized', pairs: 2 },
      base: {
        turns: 3,
        calls: 1,
        input_tokens: 1207,
        output_tokens: 80,
        wire_bytes: 9000,
        model_facing_bytes: 8000,
      },
      condition_sum: {
        ...{
          turns: 4,
          calls: 3,
          input_tokens: 864,
          output_tokens: 110,
          wire_bytes: 1000,
          model_facing_bytes: 890,
        },
      },
      ratio: {
        ...{
          turns: 4 / 3,
          calls: 3,
          input_tokens: 864 / 1207,
          output_tokens: 110 / 80,
          wire_bytes: 1000 / 9000,
        },
        model_facing_bytes: 890 / 8000,
      },
    });
  });

  it('may find that a condition costs more, and has no ratio to a base of nothing', (test) => {
    const { comparisons } = compare(test, trials);
    assert.deepEqual(comparisons[1]?.ratio, {
      ...{ turns: 2, calls: null, input_tokens: 507 / 100, output_tokens: 4, wire_bytes: null },
      model_facing_bytes: null,
    });
  });

  it('has a row for each trial, with its verdict', (test) => {
    const { trials: rows, usage_source, undecided, verified } = compare(test, trials);
    assert.deepEqual(rows[1], {
      ...{ trial: 'lookup/optimized/plain/1', task: 'lookup', phrasing: 'plain', repetition: 1 },
      ...{ condition: 'optimized', verdict: 'pass', graded: 'pass', override: null, called: true },
      ...{ usage_source: 'estimate', turns_without_usage: 0 },
      ...{
        turns: 2,
        calls: 2,
        input_tokens: 357,
        output_tokens: 70,
        wire_bytes: 900,
        model_facing_bytes: 800,
      },
    });
    assert.deepEqual([rows.length, usage_source, undecided, verified], [4, 'estimate', false, true]);
  });

  it('may have any condition for its base', (test) => {
    const { comparisons } = compareRun(graded(test, { trials }), RUN, 'optimized');
    assert.deepEqual(
      comparisons.map((each) => [each.task, each.condition, each.ratio.wire_bytes]),
      [
        ['lookup', 'baseline', 10],
        ['aggregate', 'baseline', 0],
        [null, 'baseline', 9],
      ],
    );
  });
});

describe('what is left out of a comparison', () => {
  it('is a pair in which either answer fails, or is undecided', (test) => {
    const result = compare(test, [
      ...[wrong('lookup', 'baseline'), pass('lookup', 'optimized')],
      ...[pass('aggregate', 'baseline'), dead('aggregate', 'optimized')],
    ]);
    assert.deepEqual(leftOut(result), [
      'lookup optimized: baseline failed',
      'aggregate optimized: optimized is undecided',
    ]);
    assert.deepEqual([result.comparisons, result.undecided], [[], true]);
  });

  it('says the reason of the base where both have one', (test) => {
    const result = compare(test, [dead('lookup', 'baseline'), wrong('lookup', 'optimized')]);
    assert.deepEqual(leftOut(result), ['lookup optimized: baseline is undecided']);
  });

  it('does not hide the pairs that pass', (test) => {
    const result = compare(test, [
      ...[pass('lookup', 'baseline'), wrong('lookup', 'optimized')],
      ...[pass('aggregate', 'baseline'), pass('aggregate', 'optimized')],
    ]);
    assert.deepEqual(pairs(result), ['aggregate optimized: 1', 'total optimized: 1']);
    assert.deepEqual(leftOut(result), ['lookup optimized: optimized failed']);
    assert.equal(result.undecided, false);
  });

  it('is a trial that its base never had', (test) => {
    const result = compare(test, [
      pass('lookup', 'baseline'),
      pass('lookup', 'optimized'),
      pass('aggregate', 'optimized'),
    ]);
    assert.deepEqual(leftOut(result), ['aggregate optimized: baseline has no such trial']);
  });

  it('is a trial that was planned and never began, on either side', (test) => {
    const result = compare(test, [pass('lookup', 'baseline'), pass('aggregate', 'optimized')], {
      planned: [pass('lookup', 'optimized'), pass('aggregate', 'baseline')],
      close: null,
    });
    assert.deepEqual(leftOut(result), [
      'aggregate optimized: baseline did not get to it',
      'lookup optimized: optimized did not get to it',
    ]);
    assert.deepEqual([result.undecided, result.verified, result.trials.length], [true, false, 2]);
  });

  it('keeps a run open that was closed before a planned trial began', (test) => {
    const planned = [pass('lookup', 'optimized')];
    const { verified, undecided } = compare(test, [pass('lookup', 'baseline')], { planned });
    assert.deepEqual([verified, undecided], [true, true]);
  });

  it('is a trial whose tokens are not known, for a sum without them would be too small', (test) => {
    const result = compare(test, [pass('lookup', 'baseline'), pass('lookup', 'optimized', { tokens: null })]);
    assert.deepEqual(leftOut(result), ['lookup optimized: optimized has a turn whose tokens are not known']);
  });

  it('is everything before the run is graded', (test) => {
    const store = storeFor(test);
    recordRun(store, { trials: [pass('lookup', 'baseline'), pass('lookup', 'optimized')] });
    const result = compareRun(store, RUN, 'baseline');
    assert.deepEqual(leftOut(result), ['lookup optimized: baseline is not graded: run `measure grade`']);
    assert.deepEqual([result.trials[0]?.verdict, result.undecided], ['not graded', true]);
  });

  it('is everything again once the log has grown after its grading', (test) => {
    const store = graded(test, {
      trials: [pass('lookup', 'baseline'), pass('lookup', 'optimized')],
      close: null,
    });
    const log = EventLog.continue(store.eventsFile(RUN), RUN);
    log.append(runClose({ count: log.head.count }));
    log.close();
    const result = compareRun(store, RUN, 'baseline');
    assert.deepEqual(
      result.trials.map((trial) => trial.verdict),
      ['not graded', 'not graded'],
    );
  });

  it('follows the last grading, by whatever keys', (test) => {
    const bruges = { ...RIGHT.lookup, answer: 'Bruges' };
    const store = graded(test, {
      trials: [
        pass('lookup', 'baseline', { answer: bruges }),
        pass('lookup', 'optimized', { answer: bruges }),
      ],
    });
    assert.deepEqual(leftOut(compareRun(store, RUN, 'baseline')), ['lookup optimized: baseline failed']);
    const keys = join(store.root, 'keys.json');
    writeFileSync(keys, tasksFile([{ ...LOOKUP, expectedAnswer: 'Bruges' }, AGGREGATE]));
    gradeRun(store, RUN, { keys, grader: 'measure test' });
    assert.deepEqual(pairs(compareRun(store, RUN, 'baseline')), [
      'lookup optimized: 1',
      'total optimized: 1',
    ]);
  });
});

describe('phrasings and repetitions', () => {
  it('pair by their own, and sum up', (test) => {
    const result = compare(test, [
      pass('lookup', 'baseline', { repetition: 1, tokens: [100, 1] }),
      pass('lookup', 'baseline', { repetition: 2, tokens: [200, 2] }),
      pass('lookup', 'optimized', { repetition: 1, tokens: [10, 1] }),
      pass('lookup', 'optimized', { repetition: 2, tokens: [20, 1] }),
      pass('lookup', 'optimized', { repetition: 3, tokens: [9999, 1] }),
      pass('lookup', 'optimized', { phrasing: 'short', tokens: [9999, 1] }),
    ]);
    assert.deepEqual(pairs(result), ['lookup optimized: 2', 'total optimized: 2']);
    const [lookup] = result.comparisons;
    assert.deepEqual([lookup?.base.input_tokens, lookup?.condition_sum.input_tokens], [300, 30]);
    assert.deepEqual(
      result.left_out.map((pair) => [pair.phrasing, pair.repetition, pair.reason]),
      [
        ['short', 1, 'baseline has no such trial'],
        ['plain', 3, 'baseline has no such trial'],
      ],
    );
  });
});

describe('a comparison is refused', () => {
  it('where the run has no such condition', (test) => {
    const store = graded(test, { trials: [pass('lookup', 'baseline')] });
    assert.deepEqual(
      problem(() => compareRun(store, RUN, 'none')),
      ['CONDITION_UNKNOWN', 2],
    );
  });

  it('as incomplete where the run failed at start-up', (test) => {
    const open = { plan: null, limits: null, system: null, system_sha256: null, tasks: [], inputs: [] };
    const store = graded(test, { trials: [], open });
    assert.deepEqual(
      problem(() => compareRun(store, RUN, 'baseline')),
      ['RUN_WITHOUT_TRIALS', 3],
    );
  });
});
