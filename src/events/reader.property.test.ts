/** R8 as properties: whatever the bytes, each is accounted for, and nothing that was changed passes for sound. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { EventBody } from './event.js';
import {
  catalog,
  folderFor,
  interrupted,
  modelTurn,
  resumed,
  runClose,
  toolCall,
  writeLog,
} from './events.test.support.js';
import { type LogLine, readLog } from './reader.js';

const BODIES: EventBody[] = [
  ...[interrupted(), resumed(), toolCall({ model_facing_text: 'é\u2028\u0000"\\' }), modelTurn()],
  ...[
    interrupted({ signal: 'x' }),
    catalog(),
    toolCall({ arguments: { a: [[{}]] } }),
    runClose({ count: 7 }),
  ],
];
const RUNS = { numRuns: 120 };

/** A way to damage a file; places are shares of its size, so that they fit whatever was done before. */
const wayToDamage = fc.oneof(
  fc.record({ way: fc.constant('flip' as const), at: share(), bit: fc.nat(7) }),
  fc.record({ way: fc.constant('delete' as const), at: share(), bytes: fc.nat(600) }),
  fc.record({
    ...{ way: fc.constant('insert' as const), at: share() },
    bytes: fc.uint8Array({ maxLength: 300 }),
  }),
  fc.record({ way: fc.constant('truncate' as const), at: share() }),
  fc.record({ way: fc.constant('hole' as const), at: share(), bytes: fc.nat(600) }),
  fc.record({ way: fc.constant('repeat line' as const), at: share() }),
  fc.record({ way: fc.constant('drop line' as const), at: share() }),
);
type Damage = typeof wayToDamage extends fc.Arbitrary<infer T> ? T : never;

function share(): fc.Arbitrary<number> {
  return fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
}

function apply(bytes: Buffer, damage: Damage): Buffer {
  const at = Math.floor(damage.at * bytes.length);
  const cut = (count: number, ...between: Uint8Array[]) =>
    Buffer.concat([bytes.subarray(0, at), ...between, bytes.subarray(at + count)]);
  switch (damage.way) {
    case 'flip':
      return bytes.length === 0 ? bytes : cut(1, Buffer.from([(bytes[at] ?? 0) ^ (1 << damage.bit)]));
    case 'delete':
      return cut(damage.bytes);
    case 'insert':
      return cut(0, damage.bytes);
    case 'truncate':
      return bytes.subarray(0, at);
    case 'hole':
      return cut(damage.bytes, Buffer.alloc(damage.bytes));
    case 'repeat line':
      return lineByLine(bytes, damage.at, (line) => line + line);
    case 'drop line':
      return lineByLine(bytes, damage.at, () => '');
    default:
      return damage satisfies never;
  }
}

function textLines(bytes: Buffer): string[] {
  return bytes.toString('latin1').split(/(?<=\n)/);
}

function lineByLine(bytes: Buffer, at: number, change: (line: string) => string): Buffer {
  const lines = textLines(bytes);
  const chosen = Math.floor(at * lines.length);
  return Buffer.from(lines.map((line, index) => (index === chosen ? change(line) : line)).join(''), 'latin1');
}

/** The bytes that a line covers, its newline left off. */
function covered(bytes: Buffer, { offset, length, newline }: LogLine): string {
  return bytes.toString('latin1', offset, offset + length - (newline ? 1 : 0));
}

/** Lines that were not touched, stand there for the first time, and follow the line that they are chained to. */
function untouched(before: string[], after: string[]): string[] {
  return after.filter((line, index) => {
    const place = before.indexOf(line);
    const first = place >= 0 && after.indexOf(line) === index;
    return first && (place === 0 ? index === 0 : after.indexOf(before[place - 1] ?? '') === index - 1);
  });
}

describe('the reader', () => {
  it('accounts for every byte of any file, and throws on none', (test) => {
    const file = join(folderFor(test), 'events.jsonl');
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 2000 }),
      fc.array(
        fc.constantFrom('\n', '\0', '{"h":"', 'a'.repeat(64), '",', '{', '}', '\xff', '"seq":0', '1'),
        {
          maxLength: 60,
        },
      ),
    );
    const check = (value: Uint8Array | string[]) => {
      const bytes = value instanceof Uint8Array ? value : Buffer.from(value.join(''), 'latin1');
      writeFileSync(file, bytes);
      const lines = [...readLog(file)];
      const ends = lines.map((line) => line.offset + line.length);
      assert.deepEqual(
        lines.map((line) => line.offset),
        [0, ...ends].slice(0, lines.length),
      );
      assert.equal(ends.at(-1) ?? 0, bytes.length);
    };
    fc.assert(fc.property(anything, check), RUNS);
  });

  it('accounts for every byte of a damaged log', (test) => {
    const file = writeLog(folderFor(test), BODIES);
    const sound = readFileSync(file);
    const check = (damages: Damage[]) => {
      const bytes = damages.reduce(apply, sound);
      writeFileSync(file, bytes);
      const lines = [...readLog(file)];
      const ends = lines.map((line) => line.offset + line.length);
      assert.deepEqual(
        lines.map((line) => line.offset),
        [0, ...ends].slice(0, lines.length),
      );
      assert.equal(ends.at(-1) ?? 0, bytes.length);
    };
    fc.assert(fc.property(fc.array(wayToDamage, { minLength: 1, maxLength: 6 }), check), RUNS);
  });

  it('calls nothing ok that was changed, and nothing twice', (test) => {
    const file = writeLog(folderFor(test), BODIES);
    const sound = readFileSync(file);
    const originals = textLines(sound).map((line) => line.trimEnd());
    const check = (damages: Damage[]) => {
      const bytes = damages.reduce(apply, sound);
      writeFileSync(file, bytes);
      const places = [...readLog(file)]
        .filter((line) => line.kind === 'ok')
        .map((line) => originals.indexOf(covered(bytes, line)));
      assert.deepEqual(
        places,
        [...new Set(places)].filter((place) => place >= 0).sort((a, b) => a - b),
      );
    };
    fc.assert(fc.property(fc.array(wayToDamage, { minLength: 1, maxLength: 6 }), check), RUNS);
  });

  it('gives the event of every line that still stands behind the line that it is chained to', (test) => {
    const file = writeLog(folderFor(test), BODIES);
    const sound = readFileSync(file);
    const check = (damages: Damage[]) => {
      const bytes = damages.reduce(apply, sound);
      writeFileSync(file, bytes);
      const read = [...readLog(file)].filter((line) => line.event !== null);
      const given = new Set(read.map((line) => `${covered(bytes, line)}\n`));
      const due = untouched(textLines(sound), textLines(bytes));
      assert.deepEqual(
        due.filter((line) => !given.has(line)),
        [],
      );
    };
    fc.assert(fc.property(fc.array(wayToDamage, { minLength: 1, maxLength: 6 }), check), RUNS);
  });

  it('loses the event of one line only where one byte was changed', (test) => {
    const file = writeLog(folderFor(test), BODIES);
    const sound = readFileSync(file);
    const text = sound.toString('latin1');
    const flip = fc.record({ way: fc.constant('flip' as const), at: share(), bit: fc.nat(7) });
    const check = (damage: Damage) => {
      const bytes = apply(sound, damage);
      writeFileSync(file, bytes);
      const lines = [...readLog(file)];
      const same = lines.filter((line) => text.includes(covered(bytes, line)) && line.event !== null);
      assert.ok(same.length >= BODIES.length - 1);
      assert.ok(lines.some((line) => line.detail !== null));
    };
    fc.assert(fc.property(flip, check), { numRuns: 250 });
  });
});
