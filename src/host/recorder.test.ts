/** The recorder: every event durable and folded, an end at once when a signal comes, and no growth with the run. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Event } from '../events/event.js';
import {
  catalog,
  close,
  fault,
  folderFor,
  handshake,
  modelTurn,
  RUN,
  runClose,
  runOpen,
  toolCall,
  trialOpen,
  turnRequest,
} from '../events/events.test.support.js';
import { EventLog } from '../events/log.js';
import { readEvents } from '../events/reader.js';
import { replayFile } from '../events/replay.js';
import { Interrupted, Recorder } from './recorder.js';

function openRecorder(
  test: TestContext,
  onEvent?: (event: Event) => void,
): { recorder: Recorder; log: EventLog } {
  const log = EventLog.create(`${folderFor(test)}/events.jsonl`, RUN);
  return { recorder: new Recorder(log, NO_BLOBS, onEvent), log };
}

/** For runs whose payloads all fit into their lines. */
const large = () => assert.fail('no payload here is large');
const NO_BLOBS = { putBlob: large, putParts: large };

const typesIn = (log: EventLog) => readEvents(log.file).events.map(({ type }) => type);

describe('a recorder', () => {
  it('keeps the receipt that a replay of its log gives, and tells each event once it is written', (test) => {
    const told: string[] = [];
    const { recorder, log } = openRecorder(test, ({ type }) => {
      assert.equal(typesIn(log).at(-1), type);
      told.push(type);
    });
    const bodies = [
      runOpen(),
      trialOpen(),
      handshake(),
      catalog(),
      turnRequest(),
      modelTurn(),
      toolCall(),
      close(),
    ];
    bodies.map((body) => recorder.append(body));
    assert.deepEqual(recorder.receipt, replayFile(log.file).receipt);
    assert.deepEqual(
      told,
      bodies.map(({ type }) => type),
    );
    assert.equal(recorder.trial('t/baseline').status, 'completed');
  });

  it('hides a credential before it is hashed', (test) => {
    const log = EventLog.create(`${folderFor(test)}/events.jsonl`, RUN);
    const recorder = new Recorder(log, NO_BLOBS, () => {}, [{ name: 'KEY', text: 'sk-12345678' }]);
    recorder.append(runOpen({ system: 'Use sk-12345678.' }));
    assert.deepEqual(replayFile(log.file).damage, []);
    assert.equal(recorder.receipt.open.system, 'Use [redacted: KEY].');
  });
});

describe('a signal', () => {
  it('writes one event, kills the server, aborts the model call, and lets nothing follow', (test) => {
    const { recorder, log } = openRecorder(test);
    const killed: string[] = [];
    recorder.guard(() => killed.push('server'));
    recorder.append(runOpen());
    recorder.append(trialOpen());
    recorder.append(turnRequest());
    recorder.interrupt('SIGTERM');
    recorder.interrupt('SIGINT');
    recorder.note(() => fault());
    assert.throws(() => recorder.append(close()), new Interrupted('SIGTERM'));
    assert.deepEqual(typesIn(log), ['run_open', 'trial_open', 'turn_request', 'run_interrupted']);
    assert.deepEqual([killed, recorder.abort.signal.aborted, recorder.signal], [['server'], true, 'SIGTERM']);
    const { receipt } = replayFile(log.file);
    assert.deepEqual(receipt, recorder.receipt);
    assert.deepEqual(
      [receipt?.status, receipt?.signal, recorder.trial('t/baseline').status],
      ['interrupted', 'SIGTERM', 'in_doubt'],
    );
  });

  it('while several trials are under way names them all, and kills what each has guarded', (test) => {
    const { recorder, log } = openRecorder(test);
    const killed: string[] = [];
    recorder.append(runOpen());
    for (const trial of ['a', 'b', 'c']) recorder.append(trialOpen({ trial }));
    recorder.guard(() => killed.push('a'));
    recorder.guard(() => killed.push('b'))();
    recorder.guard(() => killed.push('c'));
    recorder.append(close({ trial: 'b' }));
    recorder.interrupt('SIGTERM');
    const last = readEvents(log.file).events.at(-1);
    assert.ok(last?.type === 'run_interrupted');
    assert.deepEqual([last.trial, last.trials, killed], ['a', ['a', 'c'], ['a', 'c']]);
  });

  it('between trials names none', (test) => {
    const { recorder, log } = openRecorder(test);
    recorder.append(runOpen());
    recorder.append(trialOpen());
    recorder.append(close());
    recorder.interrupt('SIGHUP');
    const last = readEvents(log.file).events.at(-1);
    assert.ok(last?.type === 'run_interrupted');
    assert.deepEqual([last.signal, last.trial], ['SIGHUP', null]);
  });

  it('before the run is open is written as soon as it is', (test) => {
    const { recorder, log } = openRecorder(test);
    recorder.interrupt('SIGINT');
    assert.deepEqual(typesIn(log), []);
    assert.throws(() => recorder.append(runOpen()), new Interrupted('SIGINT'));
    assert.deepEqual(typesIn(log), ['run_open', 'run_interrupted']);
    assert.deepEqual([recorder.receipt.signal, recorder.isOpen], ['SIGINT', true]);
  });

  it('after the run has closed writes nothing', (test) => {
    const { recorder, log } = openRecorder(test);
    recorder.append(runOpen());
    recorder.append(runClose());
    recorder.interrupt('SIGINT');
    recorder.note(() => fault());
    assert.deepEqual(typesIn(log), ['run_open', 'run_close']);
    assert.equal(recorder.receipt.status, 'completed');
  });
});

describe('a log that cannot be written', () => {
  it('ends the run at the next step, from a callback and from a signal too', (test) => {
    const { recorder, log } = openRecorder(test);
    const killed: string[] = [];
    recorder.guard(() => killed.push('server'));
    recorder.append(runOpen());
    log.close();
    recorder.note(() => fault({ trial: null }));
    assert.throws(() => recorder.append(trialOpen()), { code: 'LOG_CLOSED' });
    recorder.interrupt('SIGINT');
    assert.throws(() => recorder.append(trialOpen()), { code: 'LOG_CLOSED' });
    assert.deepEqual(killed, ['server']);
  });
});

describe('a long run', () => {
  it('takes no longer for a trial at its end than at its start', (test) => {
    const { recorder } = openRecorder(test);
    recorder.append(runOpen());
    const trial = [trialOpen(), catalog(), turnRequest(), modelTurn(), toolCall(), close()];
    const timed = (trials: number) => {
      const started = process.cpuUsage();
      Array.from({ length: trials }, () => trial.map((body) => recorder.append(body)));
      const { user, system } = process.cpuUsage(started);
      return (user + system) / 1000 / trials;
    };
    timed(20);
    const early = timed(20);
    timed(140);
    const late = timed(20);
    test.diagnostic(
      `${early.toFixed(2)} ms of processor a trial after 20 trials, ${late.toFixed(2)} ms after 200`,
    );
    assert.ok(late < 3 * early + 2, `${early} ms, then ${late} ms`);
  });
});
