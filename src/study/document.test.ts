/** Reading documents: what is refused, with which words and at which line. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { parseInput, parseText, readInput } from './document.js';
import { folderFor, makePipe, problemOf } from './study-fixture.test.support.js';

const said = (where: string, what: string) => `${where}: BAD: ${what}: correct it and run again`;
const read = (text: string, file: string) => parseText(text, file, 'BAD').value;
const refused = (text: string, file: string) => problemOf(() => read(text, file));

describe('a JSON document', () => {
  it('is any JSON, however it is written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\t', '\n', '\r'), (value, indent) => {
        const text = `${indent}${JSON.stringify([value], null, indent)}${indent}`;
        assert.deepEqual(read(text, 'x.json'), JSON.parse(text));
      }),
    );
  });

  it('is refused at the line of what is not JSON', () => {
    assert.equal(
      refused('[\n{"a": 1},\n{"a" 2}\n]', 'x.json'),
      said('x.json:3', 'it is not JSON: unexpected "2}"'),
    );
    assert.equal(refused("{'a': 1}", 'x.json'), said('x.json:1', `it is not JSON: unexpected "'a': 1}"`));
    assert.equal(refused('{\n"a": [1\n\n', 'x.json'), said('x.json:2', 'it is not JSON: it stops early'));
  });

  it('is refused with a trailing comma, a comment, or plain YAML', () => {
    assert.equal(refused('[\n1,\n]', 'x.json'), said('x.json:3', 'it is not JSON: unexpected "]"'));
    assert.equal(refused('[ // one\n1]', 'x.JSON'), said('x.JSON:1', 'it is not JSON: unexpected "// one"'));
    assert.equal(refused('a: 1\n', 'x.json'), said('x.json:1', 'it is not JSON: unexpected "a: 1"'));
  });

  it('is refused where a key stands twice, whose last value would win in silence', () => {
    assert.equal(
      refused('{"a": 1,\n"b": 2,\n"a": 3}', 'x.json'),
      said('x.json:3', 'this key stands there twice'),
    );
  });

  it('keeps a field called __proto__ as a field', () => {
    assert.deepEqual(Object.keys(Object(read('{"__proto__": 1}', 'x.json'))), ['__proto__']);
  });
});

describe('a YAML document', () => {
  it('may be JSON with a trailing comma, for it is YAML', () => {
    assert.deepEqual(read('{"a": [1, 2,],}', 'x.yaml'), { a: [1, 2] });
  });

  it('has no surprising values: no is a text', () => {
    assert.deepEqual(read('a: no\nb: 2026-10-21\nc: 1_000\n', 'x.yml'), {
      a: 'no',
      b: '2026-10-21',
      c: '1_000',
    });
  });

  it('is read with CRLF, and refused at the right line', () => {
    assert.deepEqual(read('a: 1\r\nb: two\r\n', 'x.yaml'), { a: 1, b: 'two' });
    const what = 'Nested mappings are not allowed in compact mappings';
    assert.equal(refused('a: 1\r\nb: c: d\r\n', 'x.yaml'), said('x.yaml:2', what));
  });

  it('is refused at the line where it breaks off', () => {
    const what = 'Flow sequence in block collection must be sufficiently indented and end with a ]';
    assert.equal(refused('a: 1\nb: [1, 2\n', 'x.yaml'), said('x.yaml:2', what));
  });

  it('is refused where it is indented with a tab', () => {
    assert.equal(refused('a:\n\tb: 1\n', 'x.yaml'), said('x.yaml:2', 'Tabs are not allowed as indentation'));
  });

  it('is refused where a key stands twice', () => {
    assert.equal(refused('a: 1\nb: 2\na: 3\n', 'x.yaml'), said('x.yaml:3', 'this key stands there twice'));
  });

  it('is refused where there are two', () => {
    const what = 'a second document begins here, and only one is read';
    assert.equal(refused('a: 1\n---\nb: 1\n', 'x.yaml'), said('x.yaml:2', what));
  });

  it('may use an alias, but not a bomb of them', () => {
    assert.deepEqual(read('a: &x [1]\nb: *x\n', 'x.yaml'), { a: [1], b: [1] });
    const ten = (name: string) => `[${Array.from({ length: 10 }, () => name).join(', ')}]`;
    const bomb = `a: &a ${ten('lol')}\nb: &b ${ten('*a')}\nc: &c ${ten('*b')}\nd: &d ${ten('*c')}\n`;
    assert.equal(refused(bomb, 'x.yaml'), said('x.yaml:2', 'its aliases are too many'));
  });

  it('is refused at an alias without an anchor', () => {
    assert.equal(
      refused('a: 1\nb: *gone\n', 'x.yaml'),
      said('x.yaml:2', 'no anchor &gone stands before this'),
    );
  });
});

describe('a document of either kind', () => {
  it('is refused where it is empty', () => {
    assert.equal(refused('', 'x.json'), said('x.json:1', 'this file is empty'));
    assert.equal(refused(' \n\n', 'x.yaml'), said('x.yaml:1', 'this file is empty'));
  });

  it('is refused where it is nested without end, before a parser goes down with it', () => {
    const what = 'this file is nested more than 100 levels deep';
    assert.equal(refused(`${'['.repeat(1e5)}${']'.repeat(1e5)}`, 'x.json'), said('x.json:1', what));
    assert.equal(refused(`${'['.repeat(1e5)}${']'.repeat(1e5)}`, 'x.yaml'), said('x.yaml:1', what));
    assert.equal(refused('- '.repeat(1e5), 'x.yaml'), said('x.yaml:1', what));
    assert.equal(refused('? '.repeat(1e5), 'x.yaml'), said('x.yaml:1', what));
  });

  it('may be nested 100 levels deep, and have brackets in its texts', () => {
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
    assert.equal(JSON.stringify(read(deep, 'x.json')), deep);
    assert.equal(JSON.stringify(read(deep, 'x.yaml')), deep);
    assert.deepEqual(
      read('- 1\n'.repeat(500), 'x.yaml'),
      Array.from({ length: 500 }, () => 1),
    );
    assert.deepEqual(read(`a: "${'['.repeat(200)}"\n`, 'x.yaml'), { a: '['.repeat(200) });
  });
});

describe('bytes that are read against a schema', () => {
  const schema = z.strictObject({ a: z.strictObject({ b: z.array(z.int()) }) });
  const parse = (bytes: string | Buffer, file: string) =>
    parseInput(Buffer.from(bytes), file, schema, 'BAD').value;
  const wrong = (bytes: string | Buffer, file = 'x.yaml') => problemOf(() => parse(bytes, file));

  it('may begin with a byte order mark, as editors write it', () => {
    assert.deepEqual(parse('\ufeff{"a":{"b":[1]}}', 'x.json'), { a: { b: [1] } });
    assert.deepEqual(parse('\ufeffa: { b: [1] }\n', 'x.yaml'), { a: { b: [1] } });
  });

  it('are refused at the line that is not UTF-8', () => {
    const bytes = Buffer.from('a:\n  b: [1]\n  # caf\xe9\n', 'latin1');
    assert.equal(wrong(bytes), 'x.yaml:3: BAD: this line is not valid UTF-8: save the file as UTF-8');
    const wide = Buffer.from('\ufeffa: 1', 'utf16le');
    assert.equal(wrong(wide), 'x.yaml:1: BAD: this line is not valid UTF-8: save the file as UTF-8');
  });

  it('are refused at the line of the field, in YAML and in JSON', () => {
    assert.equal(
      wrong('a:\n  b:\n    - 1\n    - x\n'),
      said('x.yaml:4', '`a.b.1` must be a number, not the text "x"'),
    );
    assert.equal(
      wrong('{\n"a": {\n"b": [1,\n"x"]}}', 'x.json'),
      said('x.json:4', '`a.b.1` must be a number, not the text "x"'),
    );
  });

  it('are refused at the line of a key that nobody knows', () => {
    assert.equal(
      wrong('a:\n  b: [1]\n  c:\n    d: 1\n'),
      said('x.yaml:3', '`a.c` is not a field that is known here'),
    );
  });

  it('are refused at the line of what lacks a field', () => {
    assert.equal(wrong('# nothing\na:\n  {}\n'), said('x.yaml:2', '`a.b` is missing'));
    assert.equal(
      wrong('# nothing\n[]\n'),
      said('x.yaml:2', 'the document must be a map of fields, not a list'),
    );
    assert.equal(wrong('# nothing\n'), said('x.yaml:1', 'the document must be a map of fields, not nothing'));
  });
});

describe('a file that is read', () => {
  it('is refused where it is not there, by the name that was given', () => {
    assert.equal(
      problemOf(() => readInput('no/such.yaml')),
      'no/such.yaml: INPUT_MISSING: there is no such file: check the name and the permissions of the file',
    );
  });

  it('is refused where it is a folder or a pipe, and no pipe is waited for', (test) => {
    const folder = folderFor(test);
    mkdirSync(join(folder, 'study.yaml'));
    makePipe(join(folder, 'pipe'));
    const what = 'INPUT_MISSING: it is not a file: check the name and the permissions of the file';
    assert.equal(
      problemOf(() => readInput(join(folder, 'study.yaml'))),
      `${folder}/study.yaml: ${what}`,
    );
    assert.equal(
      problemOf(() => readInput(join(folder, 'pipe'))),
      `${folder}/pipe: ${what}`,
    );
  });

  it('is refused over the limit, and read at it', (test) => {
    const file = join(folderFor(test), 'five');
    writeFileSync(file, '12345');
    assert.equal(readInput(file, 5).toString(), '12345');
    assert.equal(
      problemOf(() => readInput(file, 4)),
      `${file}: INPUT_TOO_LARGE: it has 5 bytes, over the limit of 4: give a smaller extract`,
    );
  });
});
