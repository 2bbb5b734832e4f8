/** What a command line asks of the notes server. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readOptions } from './options.js';

const folder = mkdtempSync(join(tmpdir(), 'measure notes '));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('options', () => {
  it('are clear names and nothing else by default', () => {
    assert.deepEqual(readOptions(['docs']), {
      folder: 'docs',
      naming: 'clear',
      instructions: undefined,
      alwaysLoad: [],
    });
  });

  it('may stand before or after the folder, which may begin with a dash', () => {
    assert.equal(readOptions(['--naming', 'vague', 'docs']).naming, 'vague');
    assert.equal(readOptions(['--naming=vague', '--', '-docs']).folder, '-docs');
  });

  it('need one folder', () => {
    const message = /INVALID_ARGUMENTS: one folder of notes is needed: measure serve notes DIR /;
    assert.throws(() => readOptions([]), message);
    assert.throws(() => readOptions(['']), message);
    assert.throws(() => readOptions(['a', 'b']), message);
  });

  it('are refused where they are not known', () => {
    assert.throws(() => readOptions(['a', '--naming', 'odd']), /INVALID_ARGUMENTS: "odd" is not a naming: /);
    assert.throws(
      () => readOptions(['a', '--nameing', 'clear']),
      /INVALID_ARGUMENTS: Unknown option '--nameing'/,
    );
  });
});

describe('the tools to load at once', () => {
  it('are named as they are offered, or all', () => {
    assert.deepEqual(readOptions(['a', '--always-load', 'read_note']).alwaysLoad, ['read_note']);
    assert.deepEqual(readOptions(['a', '--naming', 'vague', '--always-load', 'all']).alwaysLoad, [
      'query',
      'get',
    ]);
  });

  it('are refused under names that are not offered', () => {
    assert.throws(
      () => readOptions(['a', '--naming', 'vague', '--always-load', 'read_note']),
      /INVALID_ARGUMENTS: --always-load read_note: the tools are query and get here: /,
    );
  });
});

describe('instructions', () => {
  const instructions = (value: string) => readOptions(['a', '--instructions', value]).instructions;

  it('are a text, or the file that holds it', () => {
    const file = join(folder, 'instructions.txt');
    writeFileSync(file, 'Searches notes about llamas.\n\nUse it.\n');
    assert.equal(instructions('Two sentences. Of text/words.'), 'Two sentences. Of text/words.');
    assert.equal(instructions(file), 'Searches notes about llamas.\n\nUse it.');
  });

  it('are none where there is no text', () => {
    writeFileSync(join(folder, 'empty'), '\n');
    assert.deepEqual(
      [instructions(''), instructions(' '), instructions(join(folder, 'empty'))],
      [undefined, undefined, undefined],
    );
  });

  it('are not the name of a file that is not there', () => {
    assert.throws(
      () => instructions('instructons.txt'),
      /^Problem: instructons\.txt: INSTRUCTIONS_MISSING: /,
    );
    assert.throws(() => instructions('./instructions'), /INSTRUCTIONS_MISSING: there is no such file/);
  });
});
