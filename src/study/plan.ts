/** The plan of a run: which trials, in which order. */
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export interface PlannedTrial {
  id: string;
  task: string;
  condition: string;
  phrasing: string;
  repetition: number;
}

export interface PlanChoice {
  conditions: string[];
  tasks: string[];
  phrasings: string[];
  repetitions: number;
  order: 'listed' | 'shuffled';
  seed: number;
  /** How many of all trials; all of them where absent. */
  sample?: number | undefined;
  /** Conditions whose repetitions build on one another, so that they run in order; none where absent. */
  kept?: string[] | undefined;
}

/** Every trial: listed by repetition, then condition, phrasing and task; or shuffled from the seed. */
export function planTrials(choice: PlanChoice): PlannedTrial[] {
  const trials: PlannedTrial[] = [];
  for (let repetition = 1; repetition <= choice.repetitions; repetition += 1)
    for (const condition of choice.conditions)
      for (const phrasing of choice.phrasings)
        for (const task of choice.tasks) trials.push(trialOf({ task, condition, phrasing, repetition }));
  const { seed, sample = trials.length, kept = [] } = choice;
  const drawn = sample < trials.length ? sampleOf(trials, sample, seed) : trials;
  return inOrder(choice.order === 'shuffled' ? shuffle(drawn, seed) : drawn, kept);
}

function trialOf(place: Omit<PlannedTrial, 'id'>): PlannedTrial {
  const { task, condition, phrasing, repetition } = place;
  return { id: [task, condition, phrasing, repetition].join('/'), ...place };
}

/** The same places, where the first drawn of a task, phrasing and kept condition is repetition 1, and so on. */
function inOrder(trials: PlannedTrial[], kept: string[]): PlannedTrial[] {
  const taken = new Map<string, number>();
  return trials.map(({ id: _id, ...place }) => {
    const { repetition: _drawn, ...group } = place;
    const name = JSON.stringify(group);
    const repetition = (taken.get(name) ?? 0) + 1;
    taken.set(name, repetition);
    return trialOf(kept.includes(place.condition) ? { ...place, repetition } : place);
  });
}

/** So many of the trials, drawn from the seed and spread over the conditions as evenly as can be; in their order. */
function sampleOf(trials: PlannedTrial[], count: number, seed: number): PlannedTrial[] {
  const drawn = shuffle(trials, seed);
  const rank = new Map<PlannedTrial, number>();
  const taken = new Map<string, number>();
  for (const trial of drawn) {
    const before = taken.get(trial.condition) ?? 0;
    taken.set(trial.condition, before + 1);
    rank.set(trial, before);
  }
  const first = [...drawn].sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0)).slice(0, count);
  const chosen = new Set(first);
  return trials.filter((trial) => chosen.has(trial));
}

/** Draws one after another with xoroshiro128+: the same seed gives the same order on every machine. */
function shuffle<T>(items: T[], seed: number): T[] {
  const random = xoroshiro128plus(seed);
  const pool = [...items];
  const drawn: T[] = [];
  while (pool.length > 0) drawn.push(...pool.splice(uniformInt(random, 0, pool.length - 1), 1));
  return drawn;
}
