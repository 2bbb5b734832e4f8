/** A spool: what is read back is what passed, wherever its writer was killed. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { exactOf } from '../../events/payload.js';
import { folderFor } from '../study.test.support.js';
import { heardIn } from './heard.js';
import type { Direction } from './pass.js';
import { readSpool } from './read-spool.js';
import { Spool } from './spool.js';

const OPENED = { command: ['node', 's.js'], env_names: ['PATH'], at_ms: 1 };

/** Spools these chunks; gives the bytes of the file. */
async function spooled(test: TestContext, chunks: [Direction, Buffer][], ends = true): Promise<Buffer> {
  const folder = join(folderFor(test), 'spools');
  const spool = new Spool(folder, 's', OPENED);
  spool.started(7);
  for (const [direction, bytes] of chunks) spool.chunk(direction, bytes);
  if (ends) await spool.end({ exit_code: 0, signal: null, error: null });
  const [file = ''] = readdirSync(folder);
  return readFileSync(join(folder, file));
}

const line = (message: object) => Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const SESSION: [Direction, Buffer][] = [
  ['to_server', line({ id: 0, method: 'initialize', params: {} })],
  ['to_client', line({ id: 0, result: { protocolVersion: '2025-06-18', serverInfo: { name: 's' } } })],
  ['to_server', line({ id: 1, method: 'tools/call', params: { name: 'find' } })],
];

const nothingLarge = () => assert.fail('nothing here is large');
const facts = {
  ...{ trial: 't', program: null },
  exact: (bytes: Buffer) => exactOf(bytes, { putBlob: nothingLarge, putParts: nothingLarge }),
};

describe('a spool', () => {
  it('gives the frames back, whatever bytes passed', async (test) => {
    const bytes = Buffer.from([0x0a, 0xff, 0x7b, 0x0a, 0x00]);
    const frames = [...readSpool(await spooled(test, [['to_client', bytes]]))];
    assert.deepEqual(
      frames.map(({ frame }) => frame.kind),
      ['opened', 'started', 'chunk', 'ended'],
    );
    assert.deepEqual(frames[2]?.bytes, bytes);
  });

  it('is the events of its session: a call that was never answered is one too', async (test) => {
    const { bodies, ended } = heardIn(await spooled(test, SESSION), facts);
    assert.equal(ended, true);
    assert.deepEqual(
      bodies.map((body) => (body.type === 'handshake' ? [body.argv, body.env_names, body.pid] : [body.type])),
      [[['node', 's.js'], ['PATH'], 7], ['tool_call']],
    );
    const call = bodies[1];
    assert.equal(call?.type === 'tool_call' ? call.error_code : null, 'NO_REPLY');
  });

  it('whose writer was killed says so, and has what passed before', async (test) => {
    const { bodies, ended } = heardIn(await spooled(test, SESSION, false), facts);
    assert.deepEqual([ended, bodies.length], [false, 2]);
  });

  it('can be cut anywhere: what is read is a beginning of what was written', async (test) => {
    const whole = await spooled(test, SESSION);
    const frames = [...readSpool(whole)];
    fc.assert(
      fc.property(fc.nat(whole.length), (length) => {
        const read = [...readSpool(whole.subarray(0, length))];
        assert.deepEqual(read, frames.slice(0, read.length));
      }),
    );
  });
});
