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
}

/** Every trial: listed by repetition, then condition, phrasing and task; or shuffled from the seed. */
export function planTrials(choice: PlanChoice): PlannedTrial[] {
  const trials: PlannedTrial[] = [];
  for (let repetition = 1; repetition <= choice.repetitions; repetition += 1)
    for (const condition of choice.conditions)
      for (const phrasing of choice.phrasings)
        for (const task of choice.tasks) {
          const id = [task, condition, phrasing, repetition].join('/');
          trials.push({ id, task, condition, phrasing, repetition });
        }
  const { seed, sample = trials.length } = choice;
  const drawn = sample < trials.length ? sampleOf(trials, sample, seed) : trials;
  return choice.order === 'shuffled' ? shuffle(drawn, seed) : drawn;
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
