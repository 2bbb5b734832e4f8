/** docs/doctor.md and the findings agree: the same codes and severities, and examples that are what they are said to be. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { checkNames } from './check-names.js';
import { checkDescriptions, checkInstructions } from './check-texts.js';
import { isFinding, type Outcome } from './finding.js';
import { KINDS } from './kinds.js';

const TEXT = readFileSync(new URL('../../../docs/doctor.md', import.meta.url), 'utf8');

/** The entry of a finding, up to the next heading. */
function entry(code: string): string {
  return TEXT.split(/^##+ /m).find((section) => section.startsWith(`\`${code}\` `)) ?? '';
}

/** The cells of the examples of an entry: bad and good. */
function examples(code: string): [string, string][] {
  const rows = entry(code).matchAll(/^\| (?!bad )([^|]+) \| ([^|]+) \|$/gm);
  return Array.from(rows, ([, bad = '', good = '']) => [bad.replaceAll('`', ''), good.replaceAll('`', '')]);
}

const codes = (outcomes: Outcome[]) => outcomes.filter(isFinding).map(({ code }) => code);

/** The codes that the bad and the good examples of an entry give. */
function tried(code: string, check: (example: string) => Outcome[]): [string[][], string[][]] {
  const all = examples(code);
  assert.ok(all.length > 0);
  return [all.map(([bad]) => codes(check(bad))), all.map(([, good]) => codes(check(good)))];
}

/** An example `server / tool`. */
function names(example: string): Outcome[] {
  const [server = '', tool = ''] = example.split(' / ');
  return checkNames(server, [tool]);
}

/** An example `tool: description`. */
function description(example: string): Outcome[] {
  const [name = '', text = ''] = example.split(': ');
  return checkDescriptions([{ name, description: text }]);
}

describe('docs/doctor.md', () => {
  it('has an entry for each finding, with its severity, and no other', () => {
    const headings = TEXT.matchAll(/^### `([a-z0-9-]+)` · (fatal|warning|note)$/gm);
    const written = Array.from(headings, ([, code, severity]) => `${code} ${severity}`).sort();
    assert.deepEqual(written, KINDS.map(({ code, severity }) => `${code} ${severity}`).sort());
  });

  it('says in each entry what to do', () => {
    const silent = KINDS.filter(({ code }) => !/Fix:|Good:|\| good \|/.test(entry(code)));
    assert.deepEqual(silent, []);
  });

  it('has codes that are each of one kind', () => {
    assert.equal(new Set(KINDS.map(({ code }) => code)).size, KINDS.length);
  });
});

describe('the examples of docs/doctor.md', () => {
  it('about full names are bad and good', () => {
    assert.deepEqual(tried('full-name-vague', names), [
      [['full-name-vague'], ['full-name-vague']],
      [[], []],
    ]);
    assert.deepEqual(tried('tool-name-vague', names), [
      [['tool-name-vague'], ['tool-name-vague']],
      [[], []],
    ]);
  });

  it('about names of servers and of built-in tools are bad and good', () => {
    const server = (example: string) => checkNames(example, ['search_notes']);
    const tool = (example: string) =>
      checkNames('notes', [example]).filter((outcome) => !codes([outcome]).includes('tool-name-vague'));
    assert.deepEqual(tried('server-name-vague', server), [
      [['server-name-vague'], ['server-name-vague']],
      [[], []],
    ]);
    assert.deepEqual(tried('tool-name-built-in', tool), [
      [['tool-name-built-in'], ['tool-name-built-in']],
      [[], []],
    ]);
  });

  it('about instructions are bad and good', () => {
    const vague = ['instructions-vague'];
    assert.deepEqual(tried('instructions-vague', checkInstructions), [
      [vague, vague],
      [[], []],
    ]);
    assert.deepEqual(tried('instructions-no-when', checkInstructions), [[['instructions-no-when']], [[]]]);
  });

  it('about descriptions are bad and good', () => {
    const repeats = ['description-repeats-name'];
    assert.deepEqual(tried('description-repeats-name', description), [
      [repeats, repeats],
      [[], []],
    ]);
  });
});
