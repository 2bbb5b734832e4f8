/** R1–R3, R5, R6, R15: the writer of logs. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  damage,
  folderFor,
  interrupted,
  modelTurn,
  RUN,
  resumed,
  runClose,
  SHORT,
  tickingClock,
  toolCall,
  writeLog,
} from './events.test.support.js';
import { EventLog } from './log.js';
import { readEvents, readLog } from './reader.js';

const THREE_LINES = `{"h":"75fd0b747b28fef1f58e7fa095010d37b18590457fd67c33a1093a48506672ea","v":1,"run":"20261103T090000000Z-sample-0123456789abcdef","seq":0,"at":"2026-11-03T09:00:01.000Z","mono_ns":1000000,"type":"run_interrupted","signal":"SIGINT","trial":"t/baseline"}
{"h":"05b1507f2fa89d9f9b8875fec1697b17cc46e2fc04d6c38a2661fd8ffa37c109","v":1,"run":"20261103T090000000Z-sample-0123456789abcdef","seq":1,"at":"2026-11-03T09:00:02.000Z","mono_ns":2000000,"type":"run_resumed","measure":"0.1.0","remaining":["t/baseline"]}
{"h":"e7c8e80900e17f7c0c24b2367e96be16a05799c9bb628f7255357cee08f24c9a","v":1,"run":"20261103T090000000Z-sample-0123456789abcdef","seq":2,"at":"2026-11-03T09:00:03.000Z","mono_ns":3000000,"type":"run_interrupted","signal":"SIGTERM","trial":null}
`;

describe('a log', () => {
  it('is these bytes for these events and this clock (R5, R15)', (test) => {
    const file = writeLog(folderFor(test), SHORT.slice(0, 3));
    assert.equal(readFileSync(file, 'utf8'), THREE_LINES);
  });

  it('is on the disk, whole, when append returns, and append returns what will be read (R1)', (test) => {
    const file = join(folderFor(test), 'events.jsonl');
    const log = EventLog.create(file, RUN, tickingClock());
    const returned = [log.append(modelTurn()), log.append(toolCall())];
    assert.deepEqual(readEvents(file), { events: returned, damage: [] });
    log.close();
  });

  it('counts its events, and its head is the h of the last', (test) => {
    const log = EventLog.create(join(folderFor(test), 'events.jsonl'), RUN, tickingClock());
    log.append(interrupted());
    log.append(resumed());
    assert.deepEqual(log.head, {
      h: '05b1507f2fa89d9f9b8875fec1697b17cc46e2fc04d6c38a2661fd8ffa37c109',
      count: 2,
    });
    log.close();
  });

  it('is for its owner alone, whatever the mask', (test) => {
    const file = writeLog(folderFor(test), []);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it('keeps every byte of verbatim values: __proto__ keys, lone surrogates, separators (R16)', (test) => {
    const verbatim: unknown = JSON.parse(
      '{"__proto__":{"x":1},"constructor":2,"a":"\\ud800\\u2028","10":1,"9":2}',
    );
    const file = writeLog(folderFor(test), [toolCall({ arguments: verbatim })]);
    const [event] = readEvents(file).events;
    assert.equal(
      JSON.stringify(event?.type === 'tool_call' && event.arguments),
      '{"9":2,"10":1,"__proto__":{"x":1},"constructor":2,"a":"\\ud800\u2028"}',
    );
  });

  it('writes a line of several megabytes as one line (R2)', (test) => {
    const file = writeLog(folderFor(test), [
      toolCall({ model_facing_text: 'é'.repeat(3_000_000) }),
      resumed(),
    ]);
    const lines = [...readLog(file)].map(({ number, kind, newline }) => ({ number, kind, newline }));
    assert.deepEqual(lines, [
      { number: 1, kind: 'ok', newline: true },
      { number: 2, kind: 'ok', newline: true },
    ]);
  });
});

describe('creating a log (R3)', () => {
  it('refuses a file that exists and leaves its bytes', (test) => {
    const file = join(folderFor(test), 'events.jsonl');
    writeFileSync(file, 'mine');
    assert.throws(() => EventLog.create(file, RUN), { code: 'LOG_EXISTS' });
    assert.equal(readFileSync(file, 'utf8'), 'mine');
  });

  it('refuses a symbolic link, also one that leads nowhere', (test) => {
    const folder = folderFor(test);
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'events.jsonl'));
    assert.throws(() => EventLog.create(join(folder, 'events.jsonl'), RUN), { code: 'LOG_EXISTS' });
    assert.deepEqual(readdirSync(folder), ['events.jsonl']);
  });

  it('says so where the folder is missing', (test) => {
    const file = join(folderFor(test), 'missing', 'events.jsonl');
    assert.throws(() => EventLog.create(file, RUN), { code: 'LOG_UNWRITABLE', exit: 3 });
  });
});

describe('going on with a log', () => {
  it('gives the same lines as writing them at once, but for the monotonic stamp', (test) => {
    const file = writeLog(folderFor(test), SHORT.slice(0, 2));
    const log = EventLog.continue(file, RUN, tickingClock());
    const event = log.append(interrupted({ signal: 'SIGTERM', trial: null }));
    log.close();
    assert.deepEqual({ seq: event.seq, mono_ns: event.mono_ns }, { seq: 2, mono_ns: 1_000_000 });
    assert.deepEqual(readEvents(file).damage, []);
  });

  it('creates one that is missing', (test) => {
    const file = join(folderFor(test), 'grades.jsonl');
    EventLog.continue(file, RUN).close();
    assert.equal(readFileSync(file, 'utf8'), '');
  });

  it('refuses a log with a torn tail', (test) => {
    const file = writeLog(folderFor(test), SHORT);
    damage(file, (bytes) => bytes.subarray(0, -20));
    assert.throws(() => EventLog.continue(file, RUN), { code: 'LOG_DAMAGED', message: /:4: .*torn-tail/ });
  });

  it('refuses a log whose last line lacks its newline', (test) => {
    const file = writeLog(folderFor(test), SHORT);
    damage(file, (bytes) => bytes.subarray(0, -1));
    assert.throws(() => EventLog.continue(file, RUN), { code: 'LOG_DAMAGED', message: /no newline ends it/ });
  });

  it('refuses a log that was changed in the middle', (test) => {
    const file = writeLog(folderFor(test), SHORT);
    damage(file, (bytes) => Buffer.from(bytes.toString().replace('SIGINT', 'SIGHUP')));
    assert.throws(() => EventLog.continue(file, RUN), { code: 'LOG_DAMAGED', message: /:1: .*bad-hash/ });
  });

  it('refuses the log of another run', (test) => {
    const file = writeLog(folderFor(test), SHORT);
    assert.throws(() => EventLog.continue(file, `${RUN}0`), { code: 'LOG_DAMAGED', message: /belongs to/ });
  });

  it('refuses a pipe and a folder, and does not wait for them', (test) => {
    const folder = folderFor(test);
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    mkdirSync(join(folder, 'folder'));
    assert.throws(() => EventLog.continue(join(folder, 'pipe'), RUN), { code: 'LOG_UNWRITABLE' });
    assert.throws(() => EventLog.continue(join(folder, 'folder'), RUN), { code: 'LOG_UNWRITABLE' });
  });

  it('leaves no descriptor open where it refuses', (test) => {
    const file = writeLog(folderFor(test), SHORT);
    damage(file, (bytes) => bytes.subarray(0, -20));
    const before = readdirSync('/proc/self/fd').length;
    assert.throws(() => EventLog.continue(file, RUN));
    assert.throws(() => EventLog.create(file, RUN));
    assert.equal(readdirSync('/proc/self/fd').length, before);
  });
});

describe('what cannot be an event', () => {
  it('is refused before a byte is written, and the log goes on', (test) => {
    const file = join(folderFor(test), 'events.jsonl');
    const log = EventLog.create(file, RUN, tickingClock());
    assert.throws(() => log.append(modelTurn({ http_status: -1 })), /not an event: http_status/);
    assert.throws(() => log.append(modelTurn({ usage: undefined })), /not an event: usage/);
    assert.throws(() => log.append(Object.assign(interrupted(), { extra: 1 })), /not an event: .*extra/);
    assert.throws(() => log.append(toolCall({ arguments: 1n })), TypeError);
    log.append(resumed());
    log.close();
    assert.deepEqual(readEvents(file).damage, []);
    assert.equal(readEvents(file).events.length, 1);
  });

  it('includes values that are nested more than 1,000 levels deep', (test) => {
    const log = EventLog.create(join(folderFor(test), 'events.jsonl'), RUN);
    const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    log.append(toolCall({ arguments: nested(999) }));
    assert.throws(() => log.append(toolCall({ arguments: nested(1000) })), /nested deeper than 1000 levels/);
    assert.throws(() => log.append(toolCall({ arguments: nested(100_000) })), RangeError);
    log.close();
  });

  it('cannot override what the writer stamps', (test) => {
    const log = EventLog.create(join(folderFor(test), 'events.jsonl'), RUN, tickingClock());
    const event = log.append(
      Object.assign(interrupted(), { seq: 9, run: 'mine', at: '2020-01-01T00:00:00.000Z' }),
    );
    log.close();
    assert.deepEqual([event.seq, event.run, event.at], [0, RUN, '2026-11-03T09:00:01.000Z']);
  });
});

describe('a closed log', () => {
  it('takes no event, since its descriptor may be another file by now', (test) => {
    const log = EventLog.create(join(folderFor(test), 'events.jsonl'), RUN);
    log.close();
    log.close();
    assert.throws(() => log.append(interrupted()), { code: 'LOG_CLOSED' });
  });
});

describe('a log on a disk that is full (R2, R11, R12)', () => {
  const WRITE_UNTIL_IT_FAILS = `
    const { EventLog } = await import(process.argv[1]);
    const log = EventLog.create(process.argv[2], process.argv[3]);
    const body = { type: 'run_interrupted', signal: 'x'.repeat(1500), trial: null };
    const codes = [];
    for (let n = 0; n < 8; n += 1) {
      try { log.append(body); codes.push('ok'); } catch (error) { codes.push(error.code); }
    }
    console.log(JSON.stringify({ codes, count: log.head.count }));`;

  it('keeps each acknowledged event, takes no more after the failure, and shows a torn tail', (test) => {
    const file = join(folderFor(test), 'events.jsonl');
    const limited = `trap '' XFSZ; ulimit -f 16; exec "$0" --input-type=module -e "$1" "$2" "$3" "$4"`;
    const module = new URL('./log.js', import.meta.url).href;
    const args = ['-c', limited, process.execPath, WRITE_UNTIL_IT_FAILS, module, file, RUN];
    const said: unknown = JSON.parse(execFileSync('sh', args, { encoding: 'utf8' }));
    const failed = 'LOG_WRITE_FAILED';
    assert.deepEqual(said, { codes: ['ok', 'ok', 'ok', 'ok', failed, failed, failed, failed], count: 4 });
    assert.deepEqual(
      [...readLog(file)].map((line) => line.kind),
      ['ok', 'ok', 'ok', 'ok', 'torn-tail'],
    );
  });
});

describe('the close record (R6)', () => {
  it('ends a log: what follows it is shown as such', (test) => {
    const file = writeLog(folderFor(test), [interrupted(), runClose({ count: 1 }), interrupted()]);
    assert.deepEqual(
      [...readLog(file)].map((line) => line.kind),
      ['ok', 'ok', 'after-close'],
    );
  });
});
