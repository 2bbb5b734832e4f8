/** Which file is taken for the program of a server. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { sha256 } from '../../events/bytes.js';
import { findProgram } from './program.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'measure-program-')));
const script = join(folder, 'server.mjs');
writeFileSync(script, '// a server\n');
writeFileSync(join(folder, 'tool'), '#!/bin/sh\n');
chmodSync(join(folder, 'tool'), 0o755);
symlinkSync(join(folder, 'tool'), join(folder, 'alias'));
after(() => rmSync(folder, { recursive: true }));

describe('the program of a server', () => {
  it('is the script, where node runs one', async () => {
    const found = await findProgram({
      argv: [process.execPath, 'server.mjs', '--port', '1'],
      env: {},
      cwd: folder,
    });
    assert.deepEqual(found, { path: script, sha256: sha256('// a server\n') });
  });
  it('is the script behind flags of node too', async () => {
    const argv: [string, ...string[]] = [process.execPath, '--import', 'tool', '--no-warnings', script];
    assert.equal((await findProgram({ argv, env: {}, cwd: '/' }))?.path, script);
  });
  it('is node itself, where the program stands in the arguments', async () => {
    const found = await findProgram({ argv: [process.execPath, '-e', '1', script], env: {}, cwd: folder });
    assert.equal(found?.path, realpathSync(process.execPath));
  });
  it("is looked up along the server's own PATH, links resolved", async () => {
    const found = await findProgram({ argv: ['alias'], env: { PATH: `/nowhere:${folder}` }, cwd: '/' });
    assert.deepEqual(found, { path: join(folder, 'tool'), sha256: sha256('#!/bin/sh\n') });
  });
  it('is null, where there is none', async () => {
    assert.equal(await findProgram({ argv: ['alias'], env: { PATH: '/nowhere' }, cwd: folder }), null);
    assert.equal(await findProgram({ argv: ['./missing'], env: {}, cwd: folder }), null);
  });
});
