/** Where sources disagree or lack something, told by captures of the real command and by changes to them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  callsOf,
  captureOf,
  faultsOf,
  of,
  receiptOf,
  relined,
  tell,
  turnsOf,
  upfront,
  verdictOf,
} from './captures.test.support.js';

const messages = (scene: string) => of(upfront(scene).bodies, 'fault').map(({ message }) => message);

describe('a fault says', () => {
  it('which model calls were made again, with their status', () => {
    assert.deepEqual(faultsOf(upfront('retry-529')), ['API_RETRY 529', 'API_RETRY 529', 'API_RETRY 529']);
    assert.deepEqual(faultsOf(upfront('error-401')), ['API_RETRY 401', 'API_RETRY 401']);
    assert.deepEqual(faultsOf(upfront('stream-cut')), ['API_RETRY']);
  });

  it('that the host reports usage of answers that no transcript has', () => {
    assert.deepEqual(faultsOf(upfront('empty-answer')), ['USAGE_DIFFERS']);
    assert.match(messages('empty-answer').join(), /^input_tokens 0 in the turns, 3 in usage of the result;/);
    assert.deepEqual(faultsOf(upfront('stream-error')), ['USAGE_DIFFERS']);
  });

  it('that sub-agents answered, and what that took', () => {
    assert.deepEqual(faultsOf(upfront('sub-agent')), ['SUB_AGENT', 'USAGE_DIFFERS']);
    assert.match(
      messages('sub-agent').join(),
      /^1 answers .* output_tokens 70 in the turns, 100 in modelUsage/,
    );
    assert.deepEqual(faultsOf(upfront('two-models')), [
      'CALL_NOT_IN_TRANSCRIPT',
      'SUB_AGENT',
      'USAGE_DIFFERS',
    ]);
  });

  it('that a usage figure of the transcript is another than that of the result', () => {
    const capture = captureOf('ok-search-off');
    const transcripts = capture.transcripts.map(({ file, bytes }) => ({
      file,
      bytes: relined(bytes, (line) => line.replace('"output_tokens":30', '"output_tokens":1')),
    }));
    const story = tell({ ...capture, transcripts });
    assert.deepEqual(faultsOf(story), ['USAGE_DIFFERS']);
    assert.equal(receiptOf(story).totals.output_tokens, 10 + 20 + 1);
    assert.equal(verdictOf(story), 'completed');
  });

  it('that the answer of the result is not that of the last turn', () => {
    const capture = captureOf('ok-search-off');
    const stream = relined(capture.stream, (line) =>
      line.replace('"result":"The budget is', '"result":"My budget is'),
    );
    assert.deepEqual(faultsOf(tell({ ...capture, stream })), ['ANSWER_DIFFERS']);
    assert.deepEqual(faultsOf(upfront('two-texts')), []);
  });

  it('that the session was of another version', () => {
    const capture = captureOf('ok-search-off');
    const stream = relined(capture.stream, (line) => line.replace('2.1.332', '2.1.333'));
    const story = tell({ ...capture, stream });
    assert.deepEqual(faultsOf(story), ['HOST_VERSION_DIFFERS']);
    assert.equal(story.end.version, '2.1.333');
  });

  it('that there is no transcript: the stream tells the same, but for usage', () => {
    const story = tell(captureOf('ok-search-off', { transcripts: [] }));
    assert.deepEqual(turnsOf(story), ['1 msg_1 null', '2 msg_2 null', '3 msg_3 end_turn']);
    assert.deepEqual(callsOf(story), callsOf(upfront('ok-search-off')));
    assert.deepEqual(faultsOf(story), ['TRANSCRIPT_MISSING', 'USAGE_DIFFERS']);
    assert.equal(receiptOf(story).totals.turns_without_usage, 3);
    assert.equal(receiptOf(story).answer_text, 'The budget is 4,200 euros.');
    assert.equal(verdictOf(story), 'completed');
  });

  it('that a transcript lacks its last answer', () => {
    const capture = captureOf('ok-search-off');
    const transcripts = capture.transcripts.map(({ file, bytes }) => ({
      file,
      bytes: relined(bytes, (line) => (line.includes('"id":"msg_3"') ? undefined : line)),
    }));
    const story = tell({ ...capture, transcripts });
    assert.deepEqual(turnsOf(story), ['1 msg_1 tool_use', '2 msg_2 tool_use', '3 msg_3 end_turn']);
    assert.deepEqual(faultsOf(story), ['ANSWER_NOT_IN_TRANSCRIPT', 'USAGE_DIFFERS']);
    assert.equal(receiptOf(story).totals.turns_without_usage, 1);
  });

  it('that stream or transcript end within a line', () => {
    const { stream, transcripts } = captureOf('killed-sigkill');
    const [transcript] = transcripts.map(({ file, bytes }) => ({ file, bytes: bytes.subarray(0, -20) }));
    const cut = tell(
      captureOf('killed-sigkill', {
        stream: stream.subarray(0, -20),
        transcripts: transcript === undefined ? [] : [transcript],
      }),
    );
    assert.deepEqual(faultsOf(cut).slice(0, 2), ['LINE_CUT', 'LINE_CUT']);
    assert.equal(verdictOf(cut), 'HOST_NO_RESULT');
  });

  it('what the tap found on the wire, in its place', () => {
    assert.deepEqual(faultsOf(upfront('server-stray-line')), ['STRAY_LINE']);
    assert.equal(upfront('server-stray-line').bodies[0]?.type, 'fault');
  });
});

describe('nothing is a fault', () => {
  it('in a session in which nothing went wrong', () => {
    assert.deepEqual(faultsOf(upfront('ok-search-off')), []);
    assert.deepEqual(faultsOf(upfront('parallel-thinking')), []);
    assert.deepEqual(faultsOf(upfront('long-result')), []);
    assert.deepEqual(faultsOf(upfront('real-server')), []);
    assert.deepEqual(faultsOf(upfront('tool-error')), []);
  });
});
