/** R8: the reader is total. Each kind of damage: a way to damage the file, and what must survive. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { serialize } from './chain.js';
import type { EventBody } from './event.js';
import {
  damage,
  folderFor,
  interrupted,
  RUN,
  resumed,
  runClose,
  SHORT,
  toolCall,
  writeLog,
} from './events.test.support.js';
import { readEvents, readLog } from './reader.js';

const NEWLINE = Buffer.from('\n');

/** The lines of a log as pieces of text, newline kept. */
const linesOf = (bytes: Buffer): string[] => bytes.toString('latin1').split(/(?<=\n)/);
const bytesOf = (lines: (string | undefined)[]): Buffer => Buffer.from(lines.join(''), 'latin1');

/** What the reader says of a log of these events after the damage: each line's kind, with the seq of its event. */
function afterDamage(test: TestContext, bodies: EventBody[], way: (bytes: Buffer) => Buffer): string[] {
  const file = writeLog(folderFor(test), bodies);
  damage(file, way);
  return [...readLog(file)].map(({ kind, event }) => (event === null ? kind : `${kind} ${event.seq}`));
}

describe('a sound log', () => {
  it('is ok line by line, with numbers, offsets and lengths', (test) => {
    const file = writeLog(folderFor(test), SHORT.slice(0, 2));
    const lines = [...readLog(file)].map(({ event, ...line }) => ({ ...line, seq: event?.seq }));
    assert.deepEqual(lines, [
      { number: 1, offset: 0, length: 253, newline: true, kind: 'ok', seq: 0, detail: null },
      { number: 2, offset: 253, length: 255, newline: true, kind: 'ok', seq: 1, detail: null },
    ]);
  });

  it('may be empty', (test) => {
    assert.deepEqual(
      afterDamage(test, [], (bytes) => bytes),
      [],
    );
  });

  it('is read alike where lines span the chunks of a read', (test) => {
    const big = [300_000, 900_000, 2_500_000, 1].map((size) =>
      toolCall({ model_facing_text: 'x'.repeat(size) }),
    );
    assert.deepEqual(
      afterDamage(test, big, (bytes) => bytes),
      ['ok 0', 'ok 1', 'ok 2', 'ok 3'],
    );
  });

  it('may go on after its close record where the run was resumed', (test) => {
    assert.deepEqual(
      afterDamage(test, [interrupted(), runClose(), resumed(), interrupted()], (bytes) => bytes),
      ['ok 0', 'ok 1', 'ok 2', 'ok 3'],
    );
  });

  it('may record a repair after its close record', (test) => {
    const repaired: EventBody = {
      type: 'log_repaired',
      offset: 9,
      bytes: 1,
      sha256: 'a'.repeat(64),
      quarantine: 'q',
    };
    assert.deepEqual(
      afterDamage(test, [runClose(), repaired, interrupted()], (bytes) => bytes),
      ['ok 0', 'ok 1', 'after-close 2'],
    );
  });
});

describe('torn-tail', () => {
  it('is a last line that was cut; the events before it survive', (test) => {
    assert.deepEqual(
      afterDamage(test, SHORT, (bytes) => bytes.subarray(0, -30)),
      ['ok 0', 'ok 1', 'ok 2', 'torn-tail'],
    );
  });

  it('is also a cut in the middle of a character', (test) => {
    const bodies = [interrupted(), interrupted({ signal: 'é' })];
    const inside = (bytes: Buffer) => bytes.subarray(0, bytes.indexOf(0xc3) + 1);
    assert.deepEqual(afterDamage(test, bodies, inside), ['ok 0', 'torn-tail']);
  });

  it('is not a complete line that only lacks its newline: that is an event', (test) => {
    const file = writeLog(folderFor(test), SHORT);
    damage(file, (bytes) => bytes.subarray(0, -1));
    const last = [...readLog(file)].at(-1);
    assert.deepEqual([last?.kind, last?.event?.seq, last?.newline, last?.detail], ['ok', 3, false, null]);
  });
});

describe('bad-json', () => {
  it('is a line that is not JSON; the events around it survive', (test) => {
    const way = (bytes: Buffer) =>
      Buffer.from(bytes.toString().replace('"signal":"SIGTERM"', '"signal":SIGTERM'));
    assert.deepEqual(afterDamage(test, SHORT, way), ['ok 0', 'ok 1', 'bad-json', 'ok 3']);
  });

  it('is a stray line among events, which all survive', (test) => {
    const way = (bytes: Buffer) =>
      bytesOf(linesOf(bytes).toSpliced(1, 0, 'Server started on port 3000\n', '\n'));
    assert.deepEqual(afterDamage(test, SHORT, way), ['ok 0', 'bad-json', 'bad-json', 'ok 1', 'ok 2', 'ok 3']);
  });

  it('is a byte order mark', (test) => {
    const way = (bytes: Buffer) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    assert.deepEqual(afterDamage(test, SHORT, way), ['bad-json', 'ok 0', 'ok 1', 'ok 2', 'ok 3']);
  });

  it('is a line that is nested 100,000 deep, which nothing overflows on', (test) => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}\n`;
    const way = (bytes: Buffer) => Buffer.concat([Buffer.from(deep), bytes]);
    assert.deepEqual(afterDamage(test, SHORT.slice(0, 1), way), ['bad-json', 'ok 0']);
  });
});

describe('bad-schema', () => {
  it('is JSON that is not an event; the events around it survive', (test) => {
    const way = (bytes: Buffer) => bytesOf(linesOf(bytes).toSpliced(2, 1, '{"hello":"world"}\n'));
    assert.deepEqual(afterDamage(test, SHORT, way), ['ok 0', 'ok 1', 'bad-schema', 'gap 3']);
  });

  it('is an event with a field too many, a field too few, or another version', (test) => {
    const way = (bytes: Buffer) =>
      Buffer.from(
        bytes
          .toString()
          .replace('"signal":"SIGINT"', '"signal":"SIGINT","extra":1')
          .replace('"measure":"0.1.0",', '')
          .replace(/"v":1(?=.*SIGTERM)/, '"v":2'),
      );
    assert.deepEqual(afterDamage(test, SHORT, way), ['bad-schema', 'bad-schema', 'bad-schema', 'ok 3']);
  });

  it('is a seq that no number can hold', (test) => {
    const way = (bytes: Buffer) => Buffer.from(bytes.toString().replace('"seq":1', '"seq":9007199254740993'));
    assert.deepEqual(afterDamage(test, SHORT, way), ['ok 0', 'bad-schema', 'ok 2', 'ok 3']);
  });

  it('is an event whose h does not stand first', (test) => {
    const way = (bytes: Buffer) => Buffer.from(bytes.toString().replace('{"h":', '{ "h":'));
    assert.deepEqual(afterDamage(test, SHORT, way), ['bad-schema', 'gap 1', 'ok 2', 'ok 3']);
  });

  it('is an event that states two h', (test) => {
    const way = (bytes: Buffer) =>
      Buffer.from(bytes.toString().replace('"v":1', `"h":"${'b'.repeat(64)}","v":1`));
    assert.deepEqual(afterDamage(test, SHORT, way), ['bad-schema', 'ok 1', 'ok 2', 'ok 3']);
  });

  it('is a key __proto__ beside the fields of an event', (test) => {
    const way = (bytes: Buffer) =>
      Buffer.from(bytes.toString().replace('"v":1', '"__proto__":{"v":1},"v":1'));
    assert.deepEqual(afterDamage(test, SHORT, way), ['bad-schema', 'ok 1', 'ok 2', 'ok 3']);
  });

  it('is an event of another run, as after one log was written behind another', (test) => {
    const other = serialize('c'.repeat(64), {
      ...{ ...interrupted(), v: 1, run: 'another', seq: 4, at: '2026-11-03T09:00:00.000Z', mono_ns: 1 },
    });
    assert.deepEqual(
      afterDamage(test, SHORT, (bytes) => Buffer.concat([bytes, other.line])),
      ['ok 0', 'ok 1', 'ok 2', 'ok 3', 'bad-schema'],
    );
  });
});

describe('bad-hash', () => {
  it('is an event whose bytes were changed; the events around it survive', (test) => {
    const way = (bytes: Buffer) => Buffer.from(bytes.toString().replace('SIGTERM', 'SIGKILL'));
    assert.deepEqual(afterDamage(test, SHORT, way), ['ok 0', 'ok 1', 'bad-hash', 'ok 3']);
  });

  it('is a change that JSON does not see: a space, a carriage return, an escape', (test) => {
    const way = (bytes: Buffer) =>
      Buffer.from(
        bytes
          .toString()
          .replace('"seq":0', '"seq": 0')
          .replace('["t/baseline"]}\n', '["t/baseline"]}\r\n')
          .replace('SIGTERM', '\\u0053IGTERM'),
      );
    assert.deepEqual(afterDamage(test, SHORT, way), ['bad-hash', 'bad-hash', 'bad-hash', 'ok 3']);
  });

  it('is a line whose h was changed; the next line shows what it was', (test) => {
    const way = (bytes: Buffer) => Buffer.from(bytes.toString().replace('{"h":"05b1', '{"h":"15b1'));
    assert.deepEqual(afterDamage(test, SHORT, way), ['ok 0', 'bad-hash', 'ok 2', 'ok 3']);
  });

  it('is two lines that changed places', (test) => {
    const way = (bytes: Buffer) => {
      const [first, second, third, fourth] = linesOf(bytes);
      return bytesOf([first, third, second, fourth]);
    };
    assert.deepEqual(afterDamage(test, SHORT, way), ['ok 0', 'gap 2', 'ok 1', 'gap 3']);
  });
});

describe('bad-utf8', () => {
  it('is a line with bytes that are not text; the events around it survive', (test) => {
    const way = (bytes: Buffer) => {
      const copy = Buffer.from(bytes);
      copy[copy.indexOf('SIGTERM')] = 0xff;
      return copy;
    };
    assert.deepEqual(afterDamage(test, SHORT, way), ['ok 0', 'ok 1', 'bad-utf8', 'ok 3']);
  });
});

describe('nul-run', () => {
  it('is a hole at the end, as a power cut leaves it', (test) => {
    const way = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(4096)]);
    assert.deepEqual(afterDamage(test, SHORT, way), ['ok 0', 'ok 1', 'ok 2', 'ok 3', 'nul-run']);
  });

  it('is a hole before an event, which survives', (test) => {
    const way = (bytes: Buffer) => Buffer.concat([Buffer.alloc(512), bytes]);
    assert.deepEqual(afterDamage(test, SHORT, way), ['nul-run', 'ok 0', 'ok 1', 'ok 2', 'ok 3']);
  });

  it('is a hole after an event that lost its newline, which survives and is remarked on', (test) => {
    const file = writeLog(folderFor(test), SHORT.slice(0, 1));
    damage(file, (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.alloc(9)]));
    const { events, damage: found } = readEvents(file);
    assert.equal(events.length, 1);
    assert.deepEqual(
      found.map(({ kind, detail }) => [kind, detail]),
      [
        ['ok', 'no newline ends this event, though bytes follow it'],
        ['nul-run', '9 NUL bytes'],
      ],
    );
  });
});

describe('a line that was glued to another', () => {
  it('is found again after a write that was torn', (test) => {
    const way = (bytes: Buffer) => {
      const [first, second, ...rest] = linesOf(bytes);
      return bytesOf([first, second?.slice(0, 90), second, ...rest]);
    };
    assert.deepEqual(afterDamage(test, SHORT, way), ['ok 0', 'bad-json', 'ok 1', 'ok 2', 'ok 3']);
  });

  it('is found again where a newline was lost, and the loss is remarked on', (test) => {
    const file = writeLog(folderFor(test), SHORT);
    damage(file, (bytes) => bytesOf([linesOf(bytes).join('').replace('\n', '')]));
    const { events, damage: found } = readEvents(file);
    assert.deepEqual(
      events.map((event) => event.seq),
      [0, 1, 2, 3],
    );
    assert.deepEqual(
      found.map(({ number, offset, length, newline }) => ({ number, offset, length, newline })),
      [{ number: 1, offset: 0, length: 252, newline: false }],
    );
  });
});

describe('duplicate-seq', () => {
  it('is a line that is there twice', (test) => {
    const way = (bytes: Buffer) => bytesOf(linesOf(bytes).flatMap((line) => [line, line]));
    assert.deepEqual(afterDamage(test, SHORT.slice(0, 2), way), [
      'ok 0',
      'duplicate-seq',
      'ok 1',
      'duplicate-seq',
    ]);
  });

  it('is a whole log that is there twice', (test) => {
    assert.deepEqual(
      afterDamage(test, SHORT.slice(0, 2), (bytes) => Buffer.concat([bytes, bytes])),
      ['ok 0', 'ok 1', 'duplicate-seq', 'duplicate-seq'],
    );
  });

  it('is what a second writer wrote at the same place; the first goes on', (test) => {
    const way = (bytes: Buffer) => {
      const [first, second, ...rest] = linesOf(bytes);
      const fields = { ...interrupted(), v: 1, run: RUN, at: '2026-11-03T09:00:00.000Z', mono_ns: 1 };
      const one = serialize(first?.slice(6, 70) ?? '', { ...fields, seq: 1 });
      const two = serialize(one.h, { ...fields, seq: 2 });
      return bytesOf([first, second, one.line.toString(), two.line.toString(), ...rest]);
    };
    assert.deepEqual(afterDamage(test, SHORT, way), [
      ...['ok 0', 'ok 1', 'duplicate-seq', 'bad-hash', 'ok 2', 'ok 3'],
    ]);
  });

  it('is not an event whose damaged copy stands before it', (test) => {
    const way = (bytes: Buffer) => {
      const [first, second, ...rest] = linesOf(bytes);
      return bytesOf([first, second?.replace('0.1.0', '6.6.6'), second, ...rest]);
    };
    assert.deepEqual(afterDamage(test, SHORT, way), ['ok 0', 'bad-hash', 'ok 1', 'ok 2', 'ok 3']);
  });
});

describe('gap', () => {
  it('is the first event after lines that were deleted; it says that its h could not be checked', (test) => {
    const file = writeLog(folderFor(test), SHORT);
    damage(file, (bytes) => bytesOf(linesOf(bytes).toSpliced(1, 1)));
    assert.deepEqual(
      readEvents(file).damage.map(({ kind, event, detail }) => [kind, event?.seq, detail]),
      [['gap', 2, 'seq 1 was expected, 2 found; its h cannot be checked without the line before']],
    );
  });

  it('is the first line where the beginning of a log is gone', (test) => {
    const way = (bytes: Buffer) => bytesOf(linesOf(bytes).slice(2));
    assert.deepEqual(afterDamage(test, SHORT, way), ['gap 2', 'ok 3']);
  });

  it('costs one line where only a seq was changed: the next fits its h', (test) => {
    const way = (bytes: Buffer) => Buffer.from(bytes.toString().replace('"seq":1', '"seq":7'));
    assert.deepEqual(afterDamage(test, SHORT, way), ['ok 0', 'gap 7', 'ok 2', 'ok 3']);
  });
});

describe('after-close', () => {
  it('is an event that follows the close record', (test) => {
    assert.deepEqual(
      afterDamage(test, [runClose(), interrupted(), resumed(), interrupted()], (bytes) => bytes),
      ['ok 0', 'after-close 1', 'ok 2', 'ok 3'],
    );
  });
});

describe('a file that cannot be read is not called damaged', () => {
  const unreadable = { code: 'LOG_UNREADABLE', exit: 3 };

  it('where it is missing', (test) => {
    const file = join(folderFor(test), 'events.jsonl');
    assert.throws(() => [...readLog(file)], { ...unreadable, message: /ENOENT/ });
  });

  it('where it is a folder', (test) => {
    const folder = join(folderFor(test), 'events.jsonl');
    mkdirSync(folder);
    assert.throws(() => [...readLog(folder)], unreadable);
  });

  it('where it is a pipe, which nobody waits for', (test) => {
    const pipe = join(folderFor(test), 'events.jsonl');
    execFileSync('mkfifo', [pipe]);
    assert.throws(() => [...readLog(pipe)], { ...unreadable, message: /not a regular file/ });
  });
});

describe('the descriptor of the reader', () => {
  it('is closed where the consumer stops early, and where the file is refused', (test) => {
    const folder = folderFor(test);
    const file = writeLog(folder, SHORT);
    const before = readdirSync('/proc/self/fd').length;
    const [first] = readLog(file);
    assert.equal(first?.kind, 'ok');
    assert.throws(() => [...readLog(folder)]);
    assert.equal(readdirSync('/proc/self/fd').length, before);
  });

  it('never changes the file', (test) => {
    const file = join(folderFor(test), 'events.jsonl');
    writeFileSync(file, Buffer.concat([Buffer.from('not a log'), NEWLINE, Buffer.from([0, 255])]));
    readEvents(file);
    assert.deepEqual(readFileSync(file), Buffer.from('not a log\n\0\xff', 'latin1'));
  });
});
