/** Specification: the trials of a log, and which damage touches which. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { EventBody } from './event.js';
import {
  close,
  damage,
  folderFor,
  handshake,
  runClose,
  runOpen,
  toolCall,
  trialOpen,
  writeLog,
} from './events.test.support.js';
import { Problem } from './problem.js';
import { chooseTrials, type RecordedRun, readRecorded } from './recorded.js';

/** The events of a trial with this id: opened, one call, closed. */
const trial = (id: string, attempt = 1): EventBody[] => [
  trialOpen({ trial: id, attempt }),
  handshake({ trial: id }),
  toolCall({ trial: id }),
  close({ trial: id }),
];
const TWO = [runOpen(), ...trial('a'), ...trial('b'), runClose()];

/** Reads these events from a log in which one line, from 1, has lost a byte. */
function readDamaged(test: TestContext, bodies: EventBody[], line: number): RecordedRun {
  const file = writeLog(folderFor(test), bodies);
  damage(file, (bytes) => {
    const lines = bytes.toString('utf8').split('\n');
    lines[line - 1] = lines[line - 1]?.slice(0, -1) ?? '';
    return Buffer.from(lines.join('\n'));
  });
  return readRecorded(file);
}

const refused = (code: string, exit: number) => (error: unknown) =>
  error instanceof Problem && error.code === code && error.exit === exit;

describe('the trials of a log', () => {
  it('have their own events, in order', (test) => {
    const run = readRecorded(writeLog(folderFor(test), TWO));
    assert.equal(run.open?.study.name, 'sample');
    assert.deepEqual(
      chooseTrials(run, []).map(({ open, events, closed }) => [
        open.trial,
        events.map(({ seq }) => seq),
        closed,
      ]),
      [
        ['a', [2, 3, 4], true],
        ['b', [6, 7, 8], true],
      ],
    );
  });

  it('count by their last attempt, also where it was interrupted', (test) => {
    const again = trial('a', 2).slice(0, 2);
    const run = readRecorded(writeLog(folderFor(test), [runOpen(), ...trial('a'), ...again]));
    const [chosen] = chooseTrials(run, ['a']);
    assert.deepEqual([chosen?.open.attempt, chosen?.events.length, chosen?.closed], [2, 1, false]);
  });

  it('are listed where a name fits none', (test) => {
    const run = readRecorded(writeLog(folderFor(test), TWO));
    assert.throws(
      () => chooseTrials(run, ['c']),
      /TRIAL_UNKNOWN: the run has no trial "c": use one of: a, b$/,
    );
  });
});

describe('a damaged line', () => {
  it('touches the trial that it stands in and no other', (test) => {
    const run = readDamaged(test, TWO, 4);
    assert.throws(() => chooseTrials(run, ['a']), refused('RECORDING_DAMAGED', 3));
    assert.throws(() => chooseTrials(run, []), refused('RECORDING_DAMAGED', 3));
    assert.equal(chooseTrials(run, ['b']).length, 1);
  });

  it('between trials touches none', (test) => {
    const run = readDamaged(test, TWO, 1);
    assert.equal(chooseTrials(run, []).length, 2);
  });

  it('in place of a beginning loses the trial, and says so', (test) => {
    const run = readDamaged(test, TWO, 6);
    assert.throws(() => chooseTrials(run, ['b']), refused('RECORDING_DAMAGED', 3));
    assert.equal(chooseTrials(run, ['a']).length, 1);
  });

  it('in place of the beginning of a later attempt touches the trial', (test) => {
    const run = readDamaged(test, [runOpen(), ...trial('a'), ...trial('a', 2)], 6);
    assert.throws(() => chooseTrials(run, ['a']), refused('RECORDING_DAMAGED', 3));
  });

  it('at the end of the log touches a trial that was under way', (test) => {
    const run = readDamaged(test, [runOpen(), ...trial('a').slice(0, 3)], 4);
    assert.throws(() => chooseTrials(run, ['a']), refused('RECORDING_DAMAGED', 3));
  });
});
