/** Servers on stdio that do everything wrong: the log says it, loses nothing, and no process is left behind. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { sha256 } from '../events/bytes.js';
import { bytesOf, type Exact } from '../events/payload.js';
import { Store } from '../events/store.js';
import { type Case, logOf, meet, SERVER, stdioCases, studyOf } from './misbehaving.test.support.js';
import type { Recorded } from './study.test.support.js';
import { livingMembers } from './wire/group.js';

/** Records a case. The server keeps copies of what it writes, a file for each of its processes. */
async function meetOnStdio(test: TestContext, found: Case): Promise<void> {
  const command = found.command ?? [process.execPath, SERVER, found.name];
  const study = studyOf(test, found, { command, env: { MISBEHAVING_COPIES: './copies' } });
  const copies = join(study, 'copies');
  mkdirSync(copies);
  const recorded = await meet(test, study, logOf(found.log));
  const pids = readdirSync(copies);
  assert.deepEqual(
    pids.flatMap((pid) => livingMembers(Number(pid))),
    [],
  );
  const kept = linesIn(recorded);
  const written = pids.flatMap((pid) => linesOf(readFileSync(join(copies, pid))));
  const lost = found.endless ? [] : written.filter((line) => !taken(kept, sha256(line)));
  assert.deepEqual(
    lost.map((line) => line.toString().slice(0, 200)),
    [],
  );
}

/** How often the log has each line of a server, by its hash; of those over the cap it has the hash alone. */
function linesIn({ events, store }: Recorded): Map<string | null, number> {
  const blobs = new Store(store);
  const hashOf = (exact: Exact) => sha256(bytesOf(exact, blobs));
  const hashes = events.flatMap((event) => {
    if (event.type === 'message') return event.direction === 'to_client' ? [hashOf(event.raw)] : [];
    if (event.type === 'fault' && event.code === 'OVERSIZE_LINE') return [event.sha256];
    if (event.type === 'fault') return event.raw === undefined ? [] : [hashOf(event.raw)];
    if (event.type !== 'handshake' && event.type !== 'catalog' && event.type !== 'tool_call') return [];
    return event.raw?.response ? [hashOf(event.raw.response)] : [];
  });
  const counts = new Map<string | null, number>();
  for (const hash of hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return counts;
}

/** Whether one more of these lines is there. It is used up. */
function taken(lines: Map<string | null, number>, hash: string): boolean {
  const left = lines.get(hash) ?? 0;
  lines.set(hash, left - 1);
  return left > 0;
}

/** The lines of an output, the last one too where no newline ends it. */
function linesOf(output: Buffer): Buffer[] {
  const lines = output.toString('latin1').split('\n');
  return (lines.at(-1) === '' ? lines.slice(0, -1) : lines).map((line) => Buffer.from(line, 'latin1'));
}

describe('a server that', { concurrency: 4 }, () => {
  for (const found of stdioCases) it(found.does, (test) => meetOnStdio(test, found));
});
