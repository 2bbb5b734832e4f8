/** R5: the recipes of docs/verify.md, taken out of the page and run, tell a sound log from a damaged one. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { damage, folderFor, SHORT, toolCall, writeLog } from './events.test.support.js';
import { readLog } from './reader.js';

const PAGE = readFileSync(new URL('../../docs/verify.md', import.meta.url), 'utf8');
const AWKWARD = toolCall({ model_facing_text: 'a,b "c" \\n \u2028 é \u0000 $(x) `y` %s\n' });

/** The first block of code in a language. */
function recipe(language: string): string {
  return new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(PAGE)?.[1] ?? '';
}

interface Check {
  exit: number | null;
  said: string;
}

type Checker = (file: string) => Check;

const withShell: Checker = (file) => {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', recipe('sh'), 'sh', file], { encoding: 'utf8' });
  return { exit: status, said: stdout + stderr };
};

const withPython: Checker = (file) => {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', recipe('python'), file], {
    encoding: 'utf8',
  });
  return { exit: status, said: stdout + stderr };
};

/** What a checker says of a log after some damage. */
function checkAfter(test: TestContext, check: Checker, way: (bytes: Buffer) => Buffer): Check {
  const file = writeLog(folderFor(test), [...SHORT, AWKWARD]);
  damage(file, way);
  return check(file);
}

const replace = (from: string, to: string) => (bytes: Buffer) =>
  Buffer.from(bytes.toString().replace(from, to));
const withoutLine = (index: number) => (bytes: Buffer) =>
  Buffer.from(
    bytes
      .toString()
      .split(/(?<=\n)/)
      .toSpliced(index, 1)
      .join(''),
  );

function tellsThemApart(test: TestContext, check: Checker): void {
  const file = writeLog(folderFor(test), [...SHORT, AWKWARD]);
  const head = [...readLog(file)].at(-1)?.event?.h;
  assert.deepEqual(check(file), { exit: 0, said: `5 events, head ${head}\n` });
  const misfit = (line: number) => ({ exit: 1, said: `line ${line}: h does not fit\n` });
  assert.deepEqual(checkAfter(test, check, replace('SIGTERM', 'SIGKILL')), misfit(3));
  assert.deepEqual(checkAfter(test, check, replace('"seq":0', '"seq": 0')), misfit(1));
  assert.deepEqual(checkAfter(test, check, replace('{"h":"', '{ "h":"')), misfit(1));
  assert.deepEqual(checkAfter(test, check, replace('}\n', '}\r\n')), misfit(1));
  assert.deepEqual(checkAfter(test, check, replace('}\n', '}')), misfit(1));
  assert.deepEqual(checkAfter(test, check, replace('}\n', '}\n\n')), misfit(2));
  assert.deepEqual(checkAfter(test, check, withoutLine(0)), misfit(1));
  assert.deepEqual(checkAfter(test, check, withoutLine(2)), misfit(3));
  assert.deepEqual(
    checkAfter(test, check, (bytes) => bytes.subarray(0, -5)),
    misfit(5),
  );
  assert.equal(checkAfter(test, check, replace('SIGTERM', 'SIG\0TERM')).exit, 1);
}

/** A complete line that lacks only its newline is an event; a tail that was cut at a line is not seen. */
function hasTheLimitsOfThePage(test: TestContext, check: Checker): void {
  const cut = checkAfter(test, check, withoutLine(4));
  const unended = checkAfter(test, check, (bytes) => bytes.subarray(0, -1));
  assert.deepEqual([cut.exit, cut.said.slice(0, 15)], [0, '4 events, head ']);
  assert.deepEqual([unended.exit, unended.said.slice(0, 15)], [0, '5 events, head ']);
}

describe('the recipe for sh and sha256sum', () => {
  it('has what it needs here', () => {
    assert.equal(spawnSync('sh', ['-c', 'command -v sha256sum tr cmp'], { stdio: 'ignore' }).status, 0);
  });

  it('tells a sound log from a damaged one, and names the line', (test) => {
    tellsThemApart(test, withShell);
  });

  it('has the limits that the page states', (test) => {
    hasTheLimitsOfThePage(test, withShell);
  });

  it('is about 20 lines', () => {
    assert.ok(recipe('sh').split('\n').length <= 20);
  });
});

describe('the recipe for Python', () => {
  const absent = spawnSync('python3', ['--version']).status === 0 ? false : 'python3 is not installed here';

  it('tells a sound log from a damaged one, and names the line', { skip: absent }, (test) => {
    tellsThemApart(test, withPython);
  });

  it('has the limits that the page states', { skip: absent }, (test) => {
    hasTheLimitsOfThePage(test, withPython);
  });

  it('is about 20 lines', () => {
    assert.ok(recipe('python').split('\n').length <= 20);
  });
});

describe('the kinds of lines on the page', () => {
  it('are explained, each of them', () => {
    const rows = [...PAGE.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map((row) => row[1]);
    assert.deepEqual(rows, [
      ...['ok', 'torn-tail', 'bad-json', 'bad-schema', 'bad-hash', 'bad-utf8', 'nul-run', 'duplicate-seq'],
      ...['gap', 'after-close'],
    ]);
  });
});
