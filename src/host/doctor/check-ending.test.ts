/** The end of a server, in every way that costs somebody something. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkEnding } from './check-ending.js';
import { ended } from './launch.test.support.js';
import type { RawEnd } from './raw-server.js';

const said = (more: Partial<RawEnd>) =>
  checkEnding(ended(more)).map((outcome) => [
    outcome.kind === 'finding' ? outcome.code : outcome.kind,
    outcome.what,
  ]);
const close = (more: Partial<RawEnd['close']>) => ({ close: { ...ended().close, ...more } });

describe('the end of a server', () => {
  it('is well where it exits with 0 when stdin ends', () => {
    assert.deepEqual(said({}), [
      ['ok', 'exits 12 ms after stdin ends, code 0; leaves no process; 0 B on stderr'],
    ]);
  });

  it('is not where it has to be told, and how often', () => {
    assert.deepEqual(said(close({ how: 'sigterm', exit_code: null, signal: 'SIGTERM', elapsed_ms: 2010 })), [
      ['ignores-stdin-end', 'ran on after stdin ended; SIGTERM ended it, 2,010 ms in all'],
    ]);
    assert.deepEqual(said(close({ how: 'sigkill', exit_code: null, signal: 'SIGKILL', elapsed_ms: 4020 })), [
      ['ignores-sigterm', 'ran on after stdin ended and after SIGTERM; SIGKILL ended it, 4,020 ms in all'],
    ]);
  });

  it('is noted where it is slow, or looks like a failure', () => {
    assert.deepEqual(said(close({ exit_code: 1, elapsed_ms: 1500 })), [
      ['slow-to-end', 'took 1,500 ms to exit after stdin ended'],
      ['exit-code', 'exits with code 1 when stdin ends'],
    ]);
  });

  it('leaves nothing behind', () => {
    assert.deepEqual(said({ left_behind: [41, 42] }), [['left-behind', '2 processes ran on: 41, 42']]);
  });

  it('and what came before it leave a pipe of 64 KiB room for stderr', () => {
    assert.deepEqual(said({ stderr_bytes: 65_537, stderr_tail: 'debug' }), [
      ['stderr-flood', '65,537 B on stderr in one short session: "debug"'],
    ]);
  });

  it('cannot be looked at where the server had gone', () => {
    const crashed = { exit_code: 1, signal: null };
    assert.deepEqual(said({ ...close({ how: 'exited', exit_code: 1 }), crashed }), [
      ['skipped', 'the server had gone before it was asked to end'],
    ]);
  });
});
