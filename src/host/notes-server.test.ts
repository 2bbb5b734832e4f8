/** The notes server as a host meets it: through the recorder, and under examination. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { codesOf, examined, ROOT } from './doctor/notes-server.test.support.js';
import { type CatalogPage, type Fault, openSession } from './mcp.js';

const folder = mkdtempSync(join(tmpdir(), 'measure notes '));
writeFileSync(join(folder, 'llama.md'), '# The llama\n\nIt hums.');
after(() => rmSync(folder, { recursive: true, force: true }));

const command = (...more: string[]): [string, ...string[]] => [
  process.execPath,
  join(ROOT, 'bin', 'run.js'),
  'serve',
  'notes',
  folder,
  ...more,
];

async function recorded(argv: [string, ...string[]], era: 'legacy' | 'auto') {
  const faults: Fault[] = [];
  const options = { connectTimeoutMs: 20_000, onFault: (fault: Fault) => faults.push(fault), era };
  const session = await openSession({ argv, env: {}, cwd: folder }, options);
  const pages: CatalogPage[] = [];
  for await (const page of session.pages()) pages.push(page);
  return { session, pages, faults };
}

describe('the notes server', () => {
  it('is recorded without a fault, in either era, from handshake to close', async () => {
    for (const era of ['legacy', 'auto'] as const) {
      const { session, pages, faults } = await recorded(command(), era);
      const reply = await session.call('search_notes', { query: 'hum' }, 10_000);
      const refusal = await session.call('read_note', { path: '../a.md' }, 10_000);
      const closed = await session.close();
      assert.deepEqual([session.handshake.server_name, session.handshake.era], ['notes', 'legacy']);
      assert.deepEqual([pages.length, pages[0]?.tools.length], [1, 2]);
      assert.deepEqual([reply.is_error, refusal.is_error], [false, true]);
      assert.deepEqual([closed.how, closed.exit_code, closed.signal], ['stdin_end', 0, null]);
      assert.match(session.stderrTail(), /^notes: 1 notes indexed in \d+ ms\n$/);
      assert.deepEqual(faults, []);
    }
  });

  it('is recorded with its instructions under vague names', async () => {
    const { session } = await recorded(
      command('--naming', 'vague', '--instructions', 'Holds notes.'),
      'legacy',
    );
    const { server_name, instructions } = session.handshake;
    await session.close();
    assert.deepEqual([server_name, instructions], ['s1', 'Holds notes.']);
  });

  it('has nothing fatal and no warning with instructions, and is found vague where it is', async () => {
    const instructions = "Searches the user's notes about llamas. Use it for questions about them.";
    const clear = await examined(command('--instructions', instructions));
    const vague = await examined(command('--naming', 'vague'));
    assert.deepEqual([clear.counts.fatal, clear.counts.warning, codesOf(clear)], [0, 0, []]);
    assert.equal(vague.counts.fatal, 0);
    assert.ok(codesOf(vague).includes('full-name-vague'));
  });
});
