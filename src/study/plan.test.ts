/** The order of trials: listed, and drawn from a seed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type PlanChoice, planTrials } from './plan.js';

const choice: PlanChoice = {
  conditions: ['baseline', 'optimized'],
  tasks: ['lookup', 'count'],
  phrasings: ['plain', 'short'],
  repetitions: 2,
  order: 'listed',
  seed: 7,
};
const ids = (change: Partial<PlanChoice>) => planTrials({ ...choice, ...change }).map((trial) => trial.id);

const LISTED = [
  'lookup/baseline/plain/1',
  'count/baseline/plain/1',
  'lookup/baseline/short/1',
  'count/baseline/short/1',
  'lookup/optimized/plain/1',
  'count/optimized/plain/1',
  'lookup/optimized/short/1',
  'count/optimized/short/1',
  'lookup/baseline/plain/2',
  'count/baseline/plain/2',
  'lookup/baseline/short/2',
  'count/baseline/short/2',
  'lookup/optimized/plain/2',
  'count/optimized/plain/2',
  'lookup/optimized/short/2',
  'count/optimized/short/2',
];

const SEVEN = [
  'lookup/baseline/plain/1',
  'count/optimized/short/1',
  'lookup/optimized/plain/1',
  'lookup/optimized/short/1',
  'count/optimized/plain/1',
  'lookup/baseline/short/1',
  'count/baseline/plain/1',
  'count/baseline/short/1',
];

describe('a plan', () => {
  it('lists trials by repetition, then condition, then phrasing, then task', () => {
    assert.deepEqual(ids({}), LISTED);
  });

  it('holds of each trial what it is', () => {
    assert.deepEqual(planTrials({ ...choice, repetitions: 1 })[3], {
      ...{
        id: 'count/baseline/short/1',
        task: 'count',
        condition: 'baseline',
        phrasing: 'short',
        repetition: 1,
      },
    });
  });

  it('draws this order from seed 7', () => {
    assert.deepEqual(ids({ order: 'shuffled', repetitions: 1 }), SEVEN);
  });

  it('draws another order from seed 8, and the first again from 7', () => {
    assert.notDeepEqual(ids({ order: 'shuffled', repetitions: 1, seed: 8 }), SEVEN);
    assert.deepEqual(ids({ order: 'shuffled', repetitions: 1, seed: 7 }), SEVEN);
  });

  it('is the same set of trials whatever the seed, and the same order for the same one', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        assert.deepEqual(ids({ order: 'shuffled', seed }).sort(), [...LISTED].sort());
        assert.deepEqual(ids({ order: 'shuffled', seed }), ids({ order: 'shuffled', seed }));
      }),
    );
  });

  it('puts each trial first for some seed', () => {
    const first = new Set(Array.from({ length: 300 }, (_, seed) => ids({ order: 'shuffled', seed })[0]));
    assert.equal(first.size, 16);
  });
});

describe('a sample', () => {
  it('is drawn from the seed, spread over the conditions, and stands in the order of the plan', () => {
    assert.deepEqual(ids({ sample: 3 }), [
      'lookup/baseline/plain/1',
      'lookup/baseline/plain/2',
      'count/optimized/short/2',
    ]);
    assert.deepEqual(ids({ sample: 3, order: 'shuffled' }).sort(), ids({ sample: 3 }).sort());
  });

  it('of all trials or more is all of them', () => {
    assert.deepEqual([ids({ sample: 16 }), ids({ sample: 99 })], [LISTED, LISTED]);
  });

  it('has of each condition as many, but for one', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 16 }), (seed, sample) => {
        const drawn = planTrials({ ...choice, seed, sample });
        const [a, b] = ['baseline', 'optimized'].map(
          (name) => drawn.filter(({ condition }) => condition === name).length,
        );
        assert.equal((a ?? 0) + (b ?? 0), sample);
        assert.ok(Math.abs((a ?? 0) - (b ?? 0)) <= 1);
      }),
    );
  });
});

describe('a condition whose repetitions build on one another', () => {
  const kept = ['optimized'];

  it('has them in order, at the places that were drawn', () => {
    const drawn: Partial<PlanChoice> = { order: 'shuffled', seed: 8, tasks: ['count'], phrasings: ['plain'] };
    assert.deepEqual(ids(drawn), [
      'count/optimized/plain/2',
      'count/baseline/plain/1',
      'count/baseline/plain/2',
      'count/optimized/plain/1',
    ]);
    assert.deepEqual(ids({ ...drawn, kept }), [
      'count/optimized/plain/1',
      'count/baseline/plain/1',
      'count/baseline/plain/2',
      'count/optimized/plain/2',
    ]);
  });

  it('begins with the first in a sample, too, and leaves none out', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 16 }), (seed, sample) => {
        const all = ids({ order: 'shuffled', kept, seed, sample });
        const later = all.filter((id) => /^.*\/optimized\/.*\/2$/.test(id));
        const before = later.map((id) => all.indexOf(id.replace(/2$/, '1')));
        assert.equal(new Set(all).size, sample);
        assert.ok(later.every((id, at) => (before[at] ?? -1) >= 0 && (before[at] ?? -1) < all.indexOf(id)));
      }),
    );
  });
});
