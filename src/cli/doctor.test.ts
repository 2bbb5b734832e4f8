/** `measure doctor` as a shell meets it: exit codes, and what goes where. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { measure, newFolder, ROOT } from './run.test.support.js';

const folder = newFolder();
after(() => rmSync(folder, { recursive: true, force: true }));

const MEMORY = join(ROOT, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js');

describe('measure doctor', { concurrency: 2 }, () => {
  it('exits with 0 where nothing is fatal, and prints one screen', async () => {
    const { code, stdout, stderr } = await measure(
      ['doctor', '--launches', '1', '--', 'node', MEMORY],
      folder,
    );
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^memory-server \S+: node\s/);
    assert.match(stdout, /^WARN {2}no-instructions: /m);
    assert.match(stdout, /^tools\/list +10,794 +[\d,]+$/m);
    assert.match(stdout, /^0 fatal, 1 warning, \d notes; /m);
  });

  it('exits with 1 where something is, for every server of a configuration file', async () => {
    const mcpServers = { gone: { command: './gone' }, here: { command: 'node', args: ['-e', '0'] } };
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers }));
    const { code, stdout } = await measure(['doctor', '--config', '.mcp.json'], folder);
    assert.equal(code, 1);
    assert.match(stdout, /^FATAL not-started: /m);
    assert.match(stdout, /^FATAL never-connects: /m);
    assert.match(stdout, /^gone +1 +0 +0 /m);
    assert.match(stdout, /^here +1 +0 +0 /m);
  });

  it('gives every figure with --json, and nothing else', async () => {
    const { code, stdout } = await measure(['doctor', '--json', '--', './gone'], folder);
    assert.equal(code, 1);
    const { servers, fatal } = JSON.parse(stdout);
    assert.deepEqual([fatal, servers[0].findings[0].code, servers[0].catalog], [1, 'not-started', null]);
  });

  it('exits with 2 where it cannot tell what to look at', async () => {
    const codes = [
      await measure(['doctor'], folder),
      await measure(['doctor', '--config', 'none.json'], folder),
      await measure(['doctor', '--call', 'x', '--arguments', '{', '--', 'node'], folder),
    ];
    assert.deepEqual(
      codes.map(({ code, stdout }) => [code, stdout]),
      codes.map(() => [2, '']),
    );
  });
});
