/** Servers that others wrote, from npm: each has nothing fatal, and the bytes that were measured by hand. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Examination } from './examine.js';
import { codesOf, examined, ROOT } from './notes-server.test.support.js';

const folder = mkdtempSync(join(tmpdir(), 'measure-doctor-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function examinedPackage(name: string, ...args: string[]): Promise<Examination> {
  const script = join(ROOT, 'node_modules', name, 'dist', 'index.js');
  return examined([process.execPath, script, ...args], { timeoutMs: 20_000 });
}

/** Tools, and bytes of the reply to tools/list; the figures measured by hand count its newline as well. */
const sizeOf = ({ catalog }: Examination) => [catalog?.rows.length, (catalog?.whole.bytes ?? 0) + 1];

describe('public servers', { concurrency: 3 }, () => {
  it('everything', async () => {
    const examination = await examinedPackage('@modelcontextprotocol/server-everything');
    assert.deepEqual([examination.counts.fatal, sizeOf(examination)], [0, [13, 7698]]);
    assert.equal(examination.call?.tool, 'get-env');
    assert.equal(examination.times.length, 3);
  });

  it('filesystem', async () => {
    const examination = await examinedPackage('@modelcontextprotocol/server-filesystem', folder);
    assert.deepEqual([examination.counts.fatal, sizeOf(examination)], [0, [14, 13_018]]);
    assert.deepEqual(codesOf(examination), ['no-instructions', 'parameters-undescribed', 'content-twice']);
  });

  it('memory', async () => {
    const examination = await examinedPackage('@modelcontextprotocol/server-memory');
    assert.deepEqual([examination.counts.fatal, sizeOf(examination)], [0, [9, 10_795]]);
    assert.equal(examination.call?.tool, 'read_graph');
  });

  it('sequential-thinking', async () => {
    const examination = await examinedPackage('@modelcontextprotocol/server-sequential-thinking');
    assert.deepEqual([examination.counts.fatal, sizeOf(examination)], [0, [1, 4685]]);
    assert.match(examination.skipped[0]?.what ?? '', /every read-only tool needs arguments/);
  });

  it('context7, which speaks both eras', async () => {
    const { counts, times, launches } = await examinedPackage('@upstash/context7-mcp');
    assert.equal(counts.fatal, 0);
    assert.deepEqual(
      times.map(({ era, step }) => [era, step]),
      [
        ['legacy', 'initialize'],
        ['legacy', 'tools/list'],
        ['modern', 'server/discover'],
        ['modern', 'tools/list'],
      ],
    );
    assert.deepEqual([launches?.first.era, launches?.second?.opening], ['modern', 'discover']);
  });
});
