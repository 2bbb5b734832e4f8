/** What is read of a home after a launch. */
import assert from 'node:assert/strict';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { folderFor } from '../study.test.support.js';
import { filesOf, READ_LIMIT, readLeft } from './evidence.js';

function homeWith(test: TestContext, files: string[]): string {
  const home = folderFor(test);
  for (const file of files) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), file);
  }
  return home;
}

const OLD = '.claude/projects/-work/0ld.jsonl';
const MAIN = '.claude/projects/-work/main.jsonl';
const AGENT = '.claude/projects/-work/main/subagents/agent-1.jsonl';
const LOG = '.cache/claude-cli-nodejs/-work/mcp-logs-notes/1.jsonl';
const OTHERS = ['.claude.json', '.claude/projects/-work/note.txt', '.cache/claude-cli-nodejs/-work/x.jsonl'];

describe('what a launch left', () => {
  it('is its transcripts, the session first and those of sub-agents after it, and the logs of its servers', (test) => {
    const home = homeWith(test, [AGENT, MAIN, LOG, ...OTHERS, 'out', 'err']);
    const left = readLeft({ home, stdout: join(home, 'out'), stderr: join(home, 'err') }, new Set());
    assert.deepEqual(
      [left.stream, left.stderr].map((bytes) => bytes.toString()),
      ['out', 'err'],
    );
    assert.deepEqual(
      [...left.transcripts, ...left.mcpLogs].map(({ file, bytes }) => [file, bytes.toString()]),
      [MAIN, AGENT, LOG].map((file) => [file, file]),
    );
    assert.deepEqual(left.cut, []);
  });

  it('is not what earlier launches left in a home that is kept', (test) => {
    const home = homeWith(test, [OLD]);
    const before = filesOf(home);
    writeFileSync(join(home, MAIN), '');
    const { transcripts } = readLeft({ home, stdout: 'none', stderr: 'none' }, before);
    assert.deepEqual(
      transcripts.map(({ file }) => file),
      [MAIN],
    );
  });

  it('is nothing where there is nothing', (test) => {
    const home = folderFor(test);
    assert.deepEqual(readLeft({ home, stdout: join(home, 'out'), stderr: join(home, 'err') }, new Set()), {
      ...{ stream: Buffer.alloc(0), stderr: Buffer.alloc(0), transcripts: [], mcpLogs: [], cut: [] },
    });
  });

  it('is read up to a limit, and says where it was cut', (test) => {
    const home = homeWith(test, ['out']);
    truncateSync(join(home, 'out'), READ_LIMIT + 1);
    const { stream, cut } = readLeft({ home, stdout: join(home, 'out'), stderr: 'none' }, new Set());
    assert.deepEqual([stream.length, cut], [READ_LIMIT, ['stdout']]);
  });
});
