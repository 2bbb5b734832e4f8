/** The shipped studies of Claude Code: they load, have the trials that they say, and their keys are right about the notes. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { formsOf, matchOf } from './accept/match.js';
import { loadStudy } from './load.js';
import { planTrials } from './plan.js';
import type { Task } from './tasks.js';

const folder = (name: string) => fileURLToPath(new URL(`../../data/${name}`, import.meta.url));
const NOTES = `${folder('naming')}/notes`;
const notes = readdirSync(NOTES).map((name) => readFileSync(`${NOTES}/${name}`, 'utf8'));

const scripted = z.looseObject({ scripted: z.looseObject({ line: z.string() }) });

function trialsOf(name: string) {
  const { definition, conditions, tasks } = loadStudy(folder(name));
  return planTrials({
    conditions: conditions.map((condition) => condition.name),
    tasks: tasks.map(({ id }) => id),
    phrasings: Object.keys(definition.phrasings),
    ...{ repetitions: definition.repetitions, order: definition.order, seed: 1 },
    kept: conditions.filter(({ home }) => home === 'kept').map((condition) => condition.name),
  });
}

/** How many notes have a line that has an accepted form of this key, and what the scripted model will find there. */
function held({ key, entry }: Task): [number, boolean] {
  const forms = formsOf(key, 'text');
  const { line } = scripted.parse(entry).scripted;
  const lines = notes.flatMap((note) => note.split('\n').filter((each) => each.includes(line)));
  return [
    notes.filter((note) => matchOf(note, forms) !== null).length,
    matchOf(lines.join(), forms) !== null,
  ];
}

describe('data/naming', () => {
  it('has 192 trials: 12 questions, two phrasings, four conditions, two repetitions', () => {
    assert.equal(trialsOf('naming').length, 192);
  });

  it('has seven notes of 40 to 150 lines, all of them frozen', () => {
    const lines = notes.map((note) => note.trimEnd().split('\n').length);
    assert.equal(notes.length, 7);
    assert.ok(Math.min(...lines) >= 40 && Math.max(...lines) <= 150);
    const frozen = loadStudy(folder('naming')).inputs.filter(({ path }) => path.startsWith(NOTES));
    assert.equal(frozen.length, 7);
  });

  it('has keys whose answers stand in one note alone, in a line that the script finds', () => {
    const { tasks } = loadStudy(folder('naming'));
    assert.deepEqual(
      tasks.map((task) => [task.id, ...held(task)]),
      tasks.map(({ id }) => [id, 1, true]),
    );
  });

  it('accepts each expected answer', () => {
    const { tasks } = loadStudy(folder('naming'));
    const wrong = tasks.filter(({ key }) => matchOf(key.expectedAnswer, formsOf(key, 'text')) === null);
    assert.deepEqual(
      wrong.map(({ id }) => id),
      [],
    );
  });
});

describe('data/overhead', () => {
  it('has a condition without a server beside each that has one', () => {
    const { conditions } = loadStudy(folder('overhead'));
    assert.deepEqual(
      conditions.map(({ server, tool_search }) => [server !== null, tool_search]),
      [
        [false, true],
        [true, true],
        [true, true],
        [false, false],
        [true, false],
      ],
    );
  });
});

describe('data/stdout-faults', () => {
  it('has three launches in one home for four mistakes, none, and a server that ends, tool search on and off', () => {
    const { conditions } = loadStudy(folder('stdout-faults'));
    assert.deepEqual([conditions.length, trialsOf('stdout-faults').length], [12, 36]);
    assert.ok(conditions.every(({ home }) => home === 'kept'));
  });

  it('asks about the notes of data/naming as they are', () => {
    const [asked] = loadStudy(folder('stdout-faults')).tasks;
    const [known] = loadStudy(folder('naming')).tasks.filter(({ id }) => id === 'tap-cost');
    assert.deepEqual(
      [asked?.question_sha256, asked?.key_sha256],
      [known?.question_sha256, known?.key_sha256],
    );
  });
});
