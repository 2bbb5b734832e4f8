/** Whatever a launch left, there is a story of events that fit the schema, and only a whole result is an answer. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Capture } from './capture.js';
import { captureOf, tell } from './captures.test.support.js';

const SCENES = [
  ...[
    'ok-search-on',
    'parallel-thinking',
    'denied-server-tool',
    'tool-error',
    'retry-529',
    'error-400-later',
  ],
  ...['search-switched-off', 'refusal', 'two-models', 'server-dies-twice', 'killed-sigkill', 'image-result'],
];
const CAPTURES = new Map(SCENES.map((scene) => [scene, captureOf(scene)]));
const scene = fc.constantFrom(...SCENES).map((name) => CAPTURES.get(name) ?? captureOf(name));
const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const bytes = fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array));
const asked = fc.record({ toolSearch: fc.boolean(), server: fc.constantFrom('notes', 'other', null) });
const RUNS = { numRuns: 150 };

/** Cut where a share of it ends. */
const cutAt = (whole: Buffer, at: number) => whole.subarray(0, Math.floor(at * whole.length));
const files = (capture: Capture, change: (whole: Buffer) => Buffer) =>
  capture.transcripts.map(({ file, bytes }) => ({ file, bytes: change(bytes) }));

/** Where the line of the result ends, its newline left out; beyond the end where there is none. */
function endOfResult({ stream }: Capture): number {
  const at = stream.indexOf('"type":"result"');
  return at === -1 ? stream.length + 1 : stream.indexOf(0x0a, at);
}

describe('for any launch', () => {
  it('a stream that was cut anywhere is an answer only with its whole result', () => {
    fc.assert(
      fc.property(scene, share, asked, (capture, at, asked) => {
        const stream = cutAt(capture.stream, at);
        const { verdict, end } = tell({ ...capture, stream }, asked);
        const isWhole = stream.length >= endOfResult(capture);
        assert.ok(isWhole || (verdict.status === 'failed' && end.result === null));
      }),
      RUNS,
    );
  });

  it('a stream that was cut around its result is an answer only with all of it', () => {
    const capture = captureOf('ok-search-off');
    const end = endOfResult(capture);
    const statuses = [-2, -1, 0, 1].map(
      (more) => tell({ ...capture, stream: capture.stream.subarray(0, end + more) }).verdict.status,
    );
    assert.deepEqual(statuses, ['failed', 'failed', 'completed', 'completed']);
  });

  it('a transcript that was cut anywhere never makes an answer of what is none, nor more turns', () => {
    fc.assert(
      fc.property(scene, share, asked, (capture, at, asked) => {
        const whole = tell(capture, asked);
        const cut = tell({ ...capture, transcripts: files(capture, (file) => cutAt(file, at)) }, asked);
        const turns = ({ bodies }: typeof cut) => bodies.filter(({ type }) => type === 'model_turn').length;
        assert.ok(turns(cut) <= turns(whole));
        assert.ok(cut.verdict.status === 'failed' || whole.verdict.failure !== 'HOST_ERROR');
      }),
      RUNS,
    );
  });

  it('bytes that were put into stream and transcript make no error', () => {
    fc.assert(
      fc.property(scene, share, bytes, asked, (capture, at, bytes, asked) => {
        const into = (whole: Buffer) => {
          const head = cutAt(whole, at);
          return Buffer.concat([head, bytes, whole.subarray(head.length)]);
        };
        tell({ ...capture, stream: into(capture.stream), transcripts: files(capture, into) }, asked);
      }),
      RUNS,
    );
  });

  it('any bytes at all make no error, and no answer', () => {
    fc.assert(
      fc.property(bytes, bytes, bytes, asked, (stream, transcript, log, asked) => {
        const named = (bytes: Buffer) => [{ file: 'x.jsonl', bytes }];
        const left = { stream, stderr: log, transcripts: named(transcript), mcpLogs: named(log) };
        const { verdict } = tell(captureOf('no-output', left), asked);
        assert.equal(verdict.status, 'failed');
      }),
      RUNS,
    );
  });

  it('lines whose fields are any JSON make no error', () => {
    const type = fc.constantFrom('assistant', 'user', 'result', 'system', 'api-request', 'api-request-shape');
    const subtype = fc.constantFrom('init', 'api_retry', 'permission_denied', 'success');
    const message = fc.oneof(fc.jsonValue(), fc.record({ id: fc.string(), content: fc.array(block()) }));
    const line = fc.record(
      { type, subtype, message, mcp_servers: fc.jsonValue(), usage: fc.jsonValue(), params: fc.jsonValue() },
      { requiredKeys: ['type'] },
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), asked, (lines, asked) => {
        const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
        const { tapped } = captureOf('ok-search-off');
        tell(
          { ...captureOf('no-output'), stream: bytes, transcripts: [{ file: 'x', bytes }], tapped },
          asked,
        );
      }),
      RUNS,
    );
  });
});

function block() {
  return fc.oneof(
    fc.jsonValue(),
    fc.record({ type: fc.constant('tool_use'), id: fc.string(), name: fc.string(), input: fc.jsonValue() }),
    fc.record({ type: fc.constant('tool_result'), tool_use_id: fc.string(), content: fc.jsonValue() }),
  );
}
