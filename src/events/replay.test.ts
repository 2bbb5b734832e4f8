/** Replay: each request is rebuilt from the log and compared with the hash of what was sent. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sha256 } from './bytes.js';
import type { BodyOf, Event, EventBody } from './event.js';
import {
  catalog,
  close,
  damage,
  folderFor,
  handshake,
  modelTurn,
  runClose,
  runOpen,
  SOME,
  stamped,
  toolCall,
  trialOpen,
  turnRequest,
  writeLog,
} from './events.test.support.js';
import { isVerified, replay, replayFile } from './replay.js';

/** SHA-256 of {"model":"model-1",…,"tools":[…]} as conversation.test.ts spells it out, with its bytes. */
const FIRST = {
  request_bytes: 214,
  request_sha256: '08ec5034a959dd9935cd154b9a9dfedd095b7cd122c1481ce961e03d962b6995',
};
const RUN_OF_ONE: EventBody[] = [
  ...[
    runOpen(),
    trialOpen(),
    handshake(),
    catalog(),
    turnRequest(FIRST),
    modelTurn({ stop_reason: 'end_turn' }),
  ],
  ...[close(), runClose()],
];

const NO_BLOBS = { getBlob: () => assert.fail('nothing here is in a blob') };
const replayOf = (events: Event[]) => replay(events, NO_BLOBS);

describe('replay', () => {
  it('says of each request that it holds', () => {
    assert.deepEqual(replayOf(stamped(RUN_OF_ONE)).requests, [
      {
        ...{ event: 4, trial: 't/baseline', turn: 1, attempt: 1, ...FIRST },
        ...{ rebuilt_bytes: FIRST.request_bytes, rebuilt_sha256: FIRST.request_sha256, holds: true },
        kept: false,
      },
    ]);
  });

  it('flags a request whose hash differs, with both hashes', () => {
    const [check] = replayOf(
      stamped(RUN_OF_ONE.with(4, turnRequest({ ...FIRST, request_sha256: SOME }))),
    ).requests;
    assert.deepEqual(
      [check?.holds, check?.request_sha256, check?.rebuilt_sha256],
      [false, SOME, FIRST.request_sha256],
    );
  });

  it('flags a request after a result that is not what the model was sent', () => {
    const second = [toolCall({ model_facing_text: 'other' }), turnRequest({ ...FIRST, turn: 2 })];
    const { requests } = replayOf(stamped(RUN_OF_ONE.toSpliced(6, 0, ...second)));
    assert.deepEqual(
      requests.map(({ holds }) => holds),
      [true, false],
    );
  });

  it('flags a request that it cannot rebuild, because the trial never began or start-up failed', () => {
    const unbegun = replayOf(stamped(RUN_OF_ONE.toSpliced(1, 1))).requests;
    const unplanned = replayOf(stamped(RUN_OF_ONE.with(0, runOpen({ plan: null })))).requests;
    assert.deepEqual(
      [unbegun, unplanned].map((requests) =>
        requests.map(({ holds, rebuilt_bytes }) => [holds, rebuilt_bytes]),
      ),
      [[[false, 0]], [[false, 0]]],
    );
  });

  it('begins each attempt at a trial with a conversation of its own', () => {
    const again = [trialOpen({ attempt: 2 }), catalog(), turnRequest(FIRST)];
    const { requests } = replayOf(stamped(RUN_OF_ONE.toSpliced(7, 0, ...again)));
    assert.deepEqual(
      requests.map(({ holds }) => holds),
      [true, true],
    );
  });

  it('that another program wrote is checked by the bytes that were kept of it, in the line or in a blob', () => {
    const large = Buffer.alloc(300_000, 'x');
    const asked = (bytes: Buffer, raw: BodyOf<'turn_request'>['raw']) =>
      turnRequest({ raw, request_bytes: bytes.length, request_sha256: sha256(bytes) });
    const { requests } = replay(
      stamped([
        ...[runOpen({ host: 'claude-code', system: null, system_sha256: null }), trialOpen()],
        asked(Buffer.from('{"a":1}'), { as: 'utf8', data: '{"a":1}' }),
        asked(large, { as: 'blob', data: sha256(large) }),
        asked(Buffer.from('{"a":1}'), { as: 'utf8', data: '{"a":2}' }),
      ]),
      { getBlob: (hash) => (hash === sha256(large) ? large : assert.fail(hash)) },
    );
    assert.deepEqual(
      requests.map(({ rebuilt_bytes, holds, kept }) => [rebuilt_bytes, holds, kept]),
      [
        [7, true, true],
        [300_000, true, true],
        [7, false, true],
      ],
    );
  });
});

describe('a replayed file', () => {
  it('is verified where it is sound, closed, and every request holds', (test) => {
    assert.equal(isVerified(replayFile(writeLog(folderFor(test), RUN_OF_ONE))), true);
  });

  it('is not where it has no close record (R6), a request differs, or a line is damaged', (test) => {
    const open = replayFile(writeLog(folderFor(test), RUN_OF_ONE.slice(0, -1)));
    const differs = replayFile(writeLog(folderFor(test), RUN_OF_ONE.with(4, turnRequest())));
    const file = writeLog(folderFor(test), RUN_OF_ONE);
    damage(file, (bytes) => Buffer.from(bytes.toString().replace('"exit_code":0', '"exit_code":1')));
    const damaged = replayFile(file);
    assert.deepEqual([open, differs, damaged].map(isVerified), [false, false, false]);
    assert.deepEqual(
      damaged.damage.map(({ number, kind }) => [number, kind]),
      [[7, 'bad-hash']],
    );
  });

  it('gives the same receipt as its events do', (test) => {
    const { receipt } = replayFile(writeLog(folderFor(test), RUN_OF_ONE));
    const folded = replayOf(stamped(RUN_OF_ONE)).receipt;
    assert.deepEqual(receipt?.attempts, folded?.attempts);
  });
});
