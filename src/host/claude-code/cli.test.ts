/** Which program is started, and that an update of it is seen. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { sha256 } from '../../events/bytes.js';
import { folderFor } from '../study.test.support.js';
import { assertSameCli, findClaude } from './cli.js';

/** A program that says this on `--version`. */
function program(file: string, says: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho '${says}'\n`);
  chmodSync(file, 0o755);
  return file;
}

const VERSION = '2.1.332 (Claude Code)';

describe('the command of Claude Code', () => {
  it('is the one that is named', async (test) => {
    const file = program(join(folderFor(test), 'any-name'), VERSION);
    const { path, version, sha256: hash } = await findClaude(file, {});
    assert.deepEqual([path, version], [file, '2.1.332']);
    assert.equal(hash, sha256(`#!/bin/sh\necho '${VERSION}'\n`));
  });

  it('is looked for on PATH, past programs that only have its name', async (test) => {
    const folder = folderFor(test);
    program(join(folder, 'a/claude'), 'claude, an editor, 2.1.332');
    const file = program(join(folder, 'b/claude'), VERSION);
    const PATH = `${join(folder, 'a')}:${join(folder, 'none')}:${join(folder, 'b')}`;
    assert.equal((await findClaude(undefined, { PATH })).path, file);
  });

  it('in the package from npm is the program for this platform, not the placeholder', async (test) => {
    const scope = join(folderFor(test), 'node_modules/@anthropic-ai');
    program(join(scope, 'claude-code/bin/claude.exe'), 'run the install script first');
    const native = program(join(scope, `claude-code-${process.platform}-${process.arch}/claude`), VERSION);
    mkdirSync(join(scope, '../.bin'));
    symlinkSync('../@anthropic-ai/claude-code/bin/claude.exe', join(scope, '../.bin/claude'));
    assert.equal((await findClaude(join(scope, '../.bin/claude'), {})).path, native);
  });

  it('that is not there is a problem that says how to install it', async (test) => {
    await assert.rejects(findClaude(undefined, { PATH: folderFor(test) }), {
      code: 'CLAUDE_MISSING',
      exit: 2,
      message: /npm install -g @anthropic-ai\/claude-code.*--claude PATH/,
    });
  });

  it('that was named and is another program is a problem, not a reason to look elsewhere', async (test) => {
    const file = program(join(folderFor(test), 'claude'), 'something else');
    await assert.rejects(findClaude(file, {}), { code: 'CLAUDE_UNUSABLE', message: /--version/ });
    await assert.rejects(findClaude(`${file}-gone`, {}), { code: 'CLAUDE_UNUSABLE', message: /no program/ });
  });
});

describe('an update in the middle of a run', () => {
  it('is none where nothing changed, or the file was only touched', async (test) => {
    const file = program(join(folderFor(test), 'claude'), VERSION);
    const cli = await findClaude(file, {});
    await assertSameCli(cli);
    rmSync(file);
    program(file, VERSION);
    await assertSameCli(cli);
  });

  it('is seen where the file was written over', async (test) => {
    const file = program(join(folderFor(test), 'claude'), VERSION);
    const cli = await findClaude(file, {});
    program(file, '2.1.400 (Claude Code)');
    const what = /was 2\.1\.332 \([0-9a-f]{12}\) when the run began; it is 2\.1\.400 \([0-9a-f]{12}\) now/;
    await assert.rejects(assertSameCli(cli), { code: 'HOST_VERSION_CHANGED', message: what });
  });

  it('is seen where a link leads elsewhere, or nowhere', async (test) => {
    const folder = folderFor(test);
    const link = join(folder, 'claude');
    symlinkSync(program(join(folder, 'versions/1'), VERSION), link);
    const cli = await findClaude(link, {});
    rmSync(link);
    symlinkSync(program(join(folder, 'versions/2'), '2.1.333 (Claude Code)'), link);
    await assert.rejects(assertSameCli(cli), { message: /it is 2\.1\.333/ });
    rmSync(link);
    await assert.rejects(assertSameCli(cli), { message: /there is no program/ });
  });
});
