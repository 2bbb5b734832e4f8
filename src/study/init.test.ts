/** A new study: what is copied, where it is refused, and that the copy loads whatever its folder is called. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { initStudy } from './init.js';
import { loadStudy } from './load.js';
import {
  AGGREGATE,
  FIELDS,
  folderFor,
  LATER_PAGE,
  LOOKUP,
  lines,
  problemOf,
  ROWS,
} from './study-fixture.test.support.js';

/** The name of the study that init makes in a folder of that name. */
function nameIn(test: TestContext, folder: string): string {
  const target = join(folderFor(test), folder);
  initStudy(target);
  return loadStudy(target).definition.name;
}

describe('measure init', () => {
  it('writes six files, which load as a study', (test) => {
    const target = join(folderFor(test), 'deep', 'my-study');
    const files = initStudy(target);
    const names = ['study.yaml', 'script.yaml', 'snapshot.json', 'fields.json', 'tasks.json', 'SOURCES.md'];
    assert.deepEqual(
      files,
      names.map((name) => join(target, name)),
    );
    const study = loadStudy(target);
    assert.deepEqual([study.definition.name, study.tasks.length], ['my-study', 3]);
  });

  it('writes into an empty folder, and files that their owner may replace', (test) => {
    const target = folderFor(test);
    const [first = ''] = initStudy(target);
    assert.equal(statSync(first).mode & 0o200, 0o200);
  });

  it('makes a study that still loads once its three inputs are replaced', (test) => {
    const target = folderFor(test);
    initStudy(target);
    writeFileSync(join(target, 'snapshot.json'), lines(ROWS));
    writeFileSync(join(target, 'fields.json'), JSON.stringify(FIELDS));
    writeFileSync(join(target, 'tasks.json'), lines([LOOKUP, AGGREGATE, LATER_PAGE]));
    assert.equal(loadStudy(target).records?.snapshot.rows.length, 6);
  });

  it('names the study after its folder, spaces and odd letters apart', (test) => {
    assert.equal(nameIn(test, 'my study (2)'), 'my-study-2');
    assert.equal(nameIn(test, 'Étude d’été'), 'tude-d-t');
    assert.equal(nameIn(test, '.hidden'), 'hidden');
    assert.equal(nameIn(test, '研究'), 'study');
    assert.equal(nameIn(test, '$& "quoted": #x'), 'quoted-x');
  });

  it('keeps a name a text, though YAML would read it as something else', (test) => {
    assert.equal(nameIn(test, '2026'), '2026');
    assert.equal(nameIn(test, 'null'), 'null');
    assert.equal(nameIn(test, 'true'), 'true');
    assert.equal(nameIn(test, '1e3'), '1e3');
  });

  it('refuses a folder that has anything in it, and leaves it as it is', (test) => {
    const target = folderFor(test);
    writeFileSync(join(target, '.keep'), 'mine');
    assert.equal(
      problemOf(() => initStudy(target)),
      `${target}: FOLDER_NOT_EMPTY: this folder has files in it: name a new or an empty folder`,
    );
    assert.deepEqual(readdirSync(target), ['.keep']);
  });

  it('refuses a file in the place of the folder, or above it, and leaves it as it is', (test) => {
    const file = join(folderFor(test), 'file');
    writeFileSync(file, 'mine');
    const said =
      'FOLDER_UNUSABLE: there is a file where the folder would be: name a new or an empty folder that you may write';
    assert.equal(
      problemOf(() => initStudy(file)),
      `${file}: ${said}`,
    );
    assert.equal(
      problemOf(() => initStudy(join(file, 'study'))),
      `${file}/study: ${said}`,
    );
    assert.equal(readFileSync(file, 'utf8'), 'mine');
  });

  it('refuses a link that leads nowhere', (test) => {
    const link = join(folderFor(test), 'link');
    symlinkSync('nowhere', link);
    assert.match(
      problemOf(() => initStudy(link)),
      /FOLDER_UNUSABLE/,
    );
  });

  it('writes into the folder that a link leads to', (test) => {
    const folder = folderFor(test);
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'link'));
    initStudy(join(folder, 'link'));
    assert.equal(readdirSync(join(folder, 'real')).length, 6);
  });
});
