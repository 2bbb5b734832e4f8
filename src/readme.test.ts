/** The README's own commands, run as they stand there, and the excerpt that it shows. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** A folder like a clone's, in a path with a space, with `measure` on the PATH. */
const folder = mkdtempSync(join(tmpdir(), 'measure readme '));
const { MEASURE_STORE: _store, MEASURE_MODEL: _model, ...own } = process.env;
const env = {
  ...own,
  PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
  NO_COLOR: '1',
  ANTHROPIC_API_KEY: '',
};

function blocks(language: string): string[] {
  const fences = README.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm);
  return [...fences].filter((fence) => fence[1] === language).map((fence) => fence[2] ?? '');
}

/** The commands of the console blocks: lines that begin with `$ measure`. */
const commands = blocks('console').flatMap((block) =>
  block.split('\n').filter((line) => line.startsWith('$ measure ')),
);

function shell(command: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      'sh',
      ['-c', command],
      { cwd: folder, env, timeout: 120_000 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 99), stdout, stderr });
      },
    );
    child.stdin?.end();
  });
}

before(() => {
  symlinkSync(join(ROOT, 'data'), join(folder, 'data'));
  symlinkSync(join(ROOT, 'docs'), join(folder, 'docs'));
  const program = join(folder, 'bin', 'measure');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'bin', 'run.js')}" "$@"\n`);
  chmodSync(program, 0o755);
});

after(() => rmSync(folder, { recursive: true, force: true }));

describe('the README', () => {
  it('has an example of every command', () => {
    const verbs = readdirSync(join(ROOT, 'src', 'commands')).map((name) =>
      name.replace(/(\.test)?\.ts$/, ''),
    );
    const shown = commands.map((command) => command.split(' ')[2]);
    assert.deepEqual(
      [...new Set(verbs)].filter((verb) => !shown.includes(verb)),
      [],
    );
  });

  it('shows commands that run, in the order in which they stand there', async () => {
    const failed: unknown[] = [];
    for (const command of commands) {
      const result = await shell(command.slice(2));
      if (result.code !== 0) failed.push({ command, ...result });
    }
    assert.deepEqual(failed, []);
  });

  it('shows an excerpt that `measure compare` really prints', async () => {
    const { stdout } = await shell('measure compare');
    const printed = stdout.split('\n').map(squeeze);
    const excerpt =
      blocks('text')[0]
        ?.split('\n')
        .map(squeeze)
        .filter((line) => line !== '' && line !== '…') ?? [];
    assert.ok(excerpt.length > 10);
    assert.deepEqual(
      excerpt.filter((line) => !printed.includes(line)),
      [],
    );
  });
});

/** Blanks do not count: a column may be wider where another run has longer names. */
function squeeze(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}
