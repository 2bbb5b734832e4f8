/** Frozen inputs: whatever happens to their files is seen, with the code that says which it was. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { changedInput, type FrozenInput, freeze } from './freeze.js';
import { folderFor, makePipe } from './study-fixture.test.support.js';

/** One frozen file of that name, holding `abc` or another text. */
function frozen(test: TestContext, name: string, text = 'abc'): FrozenInput {
  const path = join(folderFor(test), name);
  writeFileSync(path, text);
  return freeze(name, path, readFileSync(path));
}

function afterWriting(test: TestContext, name: string, text: string): string | undefined {
  const input = frozen(test, name);
  writeFileSync(input.path, text);
  return changedInput([input])?.code;
}

describe('a frozen input', () => {
  it('has the SHA-256 of its bytes', (test) => {
    assert.equal(
      frozen(test, 'x').sha256,
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('holds while its bytes do, whatever its times', (test) => {
    const input = frozen(test, 'snapshot');
    writeFileSync(input.path, 'abc');
    utimesSync(input.path, 1, 1);
    assert.equal(changedInput([input]), null);
  });

  it('is seen to change, each kind by its own code', (test) => {
    assert.equal(afterWriting(test, 'snapshot', 'abd'), 'SOURCE_CHANGED');
    assert.equal(afterWriting(test, 'fields', 'abcd'), 'ALLOWLIST_CHANGED');
    assert.equal(afterWriting(test, 'tasks', ''), 'TASKS_CHANGED');
    assert.equal(afterWriting(test, 'study', 'x'), 'INPUT_CHANGED');
    assert.equal(afterWriting(test, 'constructor', 'x'), 'INPUT_CHANGED');
  });

  it('has changed where its file is gone', (test) => {
    const input = frozen(test, 'snapshot');
    rmSync(input.path);
    assert.deepEqual(changedInput([input]), { code: 'SOURCE_CHANGED', path: input.path });
  });

  it('has changed where a folder or a pipe took its place, and no pipe is waited for', (test) => {
    const [folder, pipe] = [frozen(test, 'fields'), frozen(test, 'snapshot', '')];
    rmSync(folder.path);
    mkdirSync(folder.path);
    rmSync(pipe.path);
    makePipe(pipe.path);
    assert.equal(changedInput([folder])?.code, 'ALLOWLIST_CHANGED');
    assert.equal(changedInput([pipe])?.code, 'SOURCE_CHANGED');
  });

  it('is named first to last: the first that changed', (test) => {
    const [kept, changed, later] = [frozen(test, 'study'), frozen(test, 'tasks'), frozen(test, 'fields')];
    writeFileSync(changed.path, 'x');
    writeFileSync(later.path, 'x');
    assert.equal(changedInput([kept, changed, later])?.path, changed.path);
  });
});
