/** A launch's server as the trial has it: read out of the spool of a real tap. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { exactOf } from '../../events/payload.js';
import { Store } from '../../events/store.js';
import { PROGRAM } from '../servers.js';
import { folderFor } from '../study.test.support.js';
import { standIn } from '../wire/stand-in.test.support.js';
import type { TappedBody } from './capture.js';
import { readTapped, sessionsIn } from './tapped.js';

const SERVER = standIn(
  `if (message.method === 'tools/call') reply(message.id, { content: [{ type: 'text', text: 'x'.repeat(300000) }] });
   else reply(message.id, { tools: [{ name: 'find', inputSchema: { type: 'object' } }] })`,
);

const say = (id: number, method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const CALL = { name: 'find', arguments: {}, _meta: { 'claudecode/toolUseId': 'toolu_1' } };
const SESSION = [
  say(0, 'initialize', { protocolVersion: '2025-06-18' }),
  say(1, 'tools/list'),
  say(2, 'tools/call', CALL),
];

/** Runs a tap in front of the server, says this to it, and ends it; killed, it ends as soon as it has the last reply. */
async function tapped(test: TestContext, lines: string[], killed = false): Promise<string> {
  const tap = folderFor(test);
  const args = [PROGRAM, 'tap', '--spool', tap, '--', ...SERVER];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  let heard = '';
  for (const line of lines) {
    const lengthBefore = heard.length;
    child.stdin.write(line);
    while (!heard.slice(lengthBefore).includes('\n')) heard += (await once(child.stdout, 'data'))[0];
  }
  if (killed) child.kill('SIGKILL');
  else child.stdin.end();
  await once(child, 'close');
  return tap;
}

function read(tap: string, blobs: Store): TappedBody[] {
  const exact = (bytes: Buffer) => exactOf(bytes, blobs);
  return readTapped(tap, sessionsIn(tap), { trial: 't/c/p/1', program: null, exact });
}

describe('a tapped server', () => {
  it('is in the trial with its handshake, catalog and calls', async (test) => {
    const blobs = new Store(folderFor(test));
    const bodies = read(await tapped(test, SESSION), blobs);
    assert.deepEqual(
      bodies.map(({ type, trial }) => [type, trial]),
      ['handshake', 'catalog', 'tool_call'].map((type) => [type, 't/c/p/1']),
    );
    const [, , call] = bodies;
    assert.ok(call?.type === 'tool_call');
    assert.deepEqual([call.call_id, call.content_bytes], ['toolu_1', 300_027]);
    assert.equal(blobs.getBlob(call.raw?.response?.data ?? '').length, call.wire?.response_bytes);
  });

  it('has all of them where its tap is killed with the last reply', async (test) => {
    const bodies = read(await tapped(test, SESSION, true), new Store(folderFor(test)));
    assert.deepEqual(
      bodies.map((body) => (body.type === 'fault' ? body.code : body.type)),
      ['handshake', 'catalog', 'tool_call', 'TAP_KILLED'],
    );
  });

  it('that was never started has no session', (test) => {
    assert.deepEqual(sessionsIn(`${folderFor(test)}/none`), []);
  });
});
