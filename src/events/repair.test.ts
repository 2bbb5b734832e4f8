/** Repair moves what stands behind the last valid line, and nothing else. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { sha256 } from './bytes.js';
import { damage, folderFor, runOpen, trialOpen, turnRequest, writeLog } from './events.test.support.js';
import { Problem } from './problem.js';
import { repairTail, tailOf } from './repair.js';

const BODIES = [runOpen(), trialOpen(), turnRequest()];

function sound(test: TestContext): { folder: string; file: string; bytes: Buffer } {
  const folder = folderFor(test);
  const file = writeLog(folder, BODIES);
  return { folder, file, bytes: readFileSync(file) };
}

describe('the end of a log', () => {
  it('that is whole is left alone', (test) => {
    const { folder, file, bytes } = sound(test);
    assert.deepEqual([tailOf(file), repairTail(file)], [null, null]);
    assert.deepEqual([readFileSync(file), readdirSync(folder).length], [bytes, 1]);
  });

  it('that is torn is moved beside the log', (test) => {
    const { folder, file, bytes } = sound(test);
    damage(file, (whole) => Buffer.concat([whole, Buffer.from('{"h":"torn')]));
    assert.deepEqual(tailOf(file), { offset: bytes.length, bytes: 10, lacksNewline: false });
    const hash = sha256('{"h":"torn');
    const quarantine = `quarantine-${bytes.length}-${hash.slice(0, 16)}`;
    const told = { type: 'log_repaired', offset: bytes.length, bytes: 10, sha256: hash, quarantine };
    assert.deepEqual(repairTail(file), told);
    assert.deepEqual(readFileSync(file), bytes);
    assert.equal(readFileSync(join(folder, quarantine), 'utf8'), '{"h":"torn');
    assert.equal(repairTail(file), null);
  });

  it('may have been moved before, by a repair that broke off', (test) => {
    const { folder, file, bytes } = sound(test);
    damage(file, (whole) => Buffer.concat([whole, Buffer.from('\0\0\0')]));
    const name = `quarantine-${bytes.length}-${sha256('\0\0\0').slice(0, 16)}`;
    writeFileSync(join(folder, name), '\0\0\0');
    assert.equal(repairTail(file)?.quarantine, name);
    assert.deepEqual(readFileSync(file), bytes);
  });

  it('that is an event without its newline gets that', (test) => {
    const { file, bytes } = sound(test);
    damage(file, (whole) => whole.subarray(0, -1));
    assert.equal(repairTail(file), null);
    assert.deepEqual(readFileSync(file), bytes);
  });

  it('is not mended where a valid line follows the damage: the log stays as it is', (test) => {
    const { file } = sound(test);
    damage(file, (whole) => Buffer.concat([Buffer.from('x'), whole]));
    const before = readFileSync(file);
    assert.throws(
      () => repairTail(file),
      (error) => error instanceof Problem && error.code === 'LOG_DAMAGED' && error.facts.line === 1,
    );
    assert.deepEqual(readFileSync(file), before);
  });

  it('cut at any place inside its last line is mended to the line before', (test) => {
    const { file, bytes } = sound(test);
    const last = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
    for (let end = last + 1; end < bytes.length - 1; end += 7) {
      writeFileSync(file, bytes.subarray(0, end));
      assert.equal(repairTail(file)?.bytes, end - last);
      assert.deepEqual(readFileSync(file), bytes.subarray(0, last));
      assert.ok(existsSync(file));
    }
  });
});
