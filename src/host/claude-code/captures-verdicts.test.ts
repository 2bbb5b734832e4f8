/** What counts as an answer, told by captures of the real command, a scene for each hazard. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { captureOf, deferred, outcomeAndVerdict, tell, upfront } from './captures.test.support.js';

describe('an answer is one', () => {
  it('with tool search and without', () => {
    assert.equal(outcomeAndVerdict(deferred('ok-search-on')), 'answered: completed');
    assert.equal(outcomeAndVerdict(deferred('search-by-words')), 'answered: completed');
    assert.equal(outcomeAndVerdict(upfront('ok-search-off')), 'answered: completed');
    assert.equal(outcomeAndVerdict(upfront('parallel-thinking')), 'answered: completed');
  });

  it('without a tool, and without a server where the condition has none', () => {
    const withoutServer = tell(captureOf('no-server'), { toolSearch: true, server: null });
    assert.equal(outcomeAndVerdict(deferred('no-tool-call')), 'answered: completed');
    assert.equal(outcomeAndVerdict(withoutServer), 'answered: completed');
  });

  it('whatever the tools did, because that is what was measured', () => {
    assert.equal(outcomeAndVerdict(upfront('tool-error')), 'answered: completed');
    assert.equal(outcomeAndVerdict(upfront('unknown-tool')), 'answered: completed');
    assert.equal(outcomeAndVerdict(upfront('short-name')), 'answered: completed');
    assert.equal(outcomeAndVerdict(upfront('forbidden-tool')), 'answered: completed');
    assert.equal(outcomeAndVerdict(upfront('denied-bash')), 'answered: completed');
    assert.equal(outcomeAndVerdict(upfront('image-result')), 'answered: completed');
    assert.equal(outcomeAndVerdict(upfront('long-result')), 'answered: completed');
    assert.equal(outcomeAndVerdict(upfront('real-server')), 'answered: completed');
    assert.equal(outcomeAndVerdict(upfront('server-dies')), 'answered: completed');
    assert.equal(outcomeAndVerdict(upfront('server-dies-twice')), 'answered: completed');
    assert.equal(outcomeAndVerdict(upfront('server-hangs')), 'answered: completed');
    assert.equal(outcomeAndVerdict(upfront('server-late')), 'answered: completed');
  });

  it('after model calls that were made again, and behind a server that prints stray text', () => {
    assert.equal(outcomeAndVerdict(upfront('retry-529')), 'answered: completed');
    assert.equal(outcomeAndVerdict(upfront('stream-cut')), 'answered: completed');
    assert.equal(outcomeAndVerdict(upfront('server-stray-line')), 'answered: completed');
    assert.equal(outcomeAndVerdict(upfront('server-partial-line')), 'answered: completed');
  });
});

describe('no answer is', () => {
  it('an error of the API, though its subtype is success', () => {
    assert.equal(outcomeAndVerdict(upfront('error-400')), 'error_result: HOST_ERROR');
    assert.equal(outcomeAndVerdict(upfront('error-400-later')), 'error_result: HOST_ERROR');
    assert.equal(outcomeAndVerdict(upfront('error-401')), 'error_result: HOST_ERROR');
    assert.equal(outcomeAndVerdict(upfront('error-529')), 'error_result: HOST_ERROR');
    assert.equal(outcomeAndVerdict(upfront('stream-error')), 'error_result: HOST_ERROR');
    assert.equal(
      upfront('error-400').verdict.message,
      'API Error: 400 no such parameter (HTTP 400): success, api_error',
    );
  });

  it('what a model said that refused, paused, or came to its limit', () => {
    assert.equal(outcomeAndVerdict(upfront('refusal')), 'error_result: STOP_refusal');
    assert.equal(outcomeAndVerdict(upfront('stop-unknown')), 'answered: STOP_pause_turn');
    assert.equal(outcomeAndVerdict(upfront('output-limit-always')), 'error_result: STOP_max_tokens');
    assert.equal(outcomeAndVerdict(upfront('empty-answer')), 'answered: HOST_NO_RESULT');
  });

  it('what came within no more turns', () => {
    const story = upfront('turn-limit');
    assert.equal(outcomeAndVerdict(story), 'error_result: TURN_LIMIT');
    assert.match(story.verdict.message ?? '', /^Reached maximum number of turns \(2\)/);
  });

  it('a session whose server failed, is pending, or is not there', () => {
    assert.equal(outcomeAndVerdict(upfront('server-exits')), 'answered: SERVER_NOT_CONNECTED');
    assert.equal(outcomeAndVerdict(deferred('server-exits-search-on')), 'answered: SERVER_NOT_CONNECTED');
    assert.equal(outcomeAndVerdict(upfront('server-absent')), 'answered: SERVER_NOT_CONNECTED');
    assert.equal(outcomeAndVerdict(upfront('server-silent')), 'answered: SERVER_NOT_CONNECTED');
    assert.equal(outcomeAndVerdict(deferred('server-pending')), 'answered: SERVER_NOT_CONNECTED');
    assert.equal(outcomeAndVerdict(tell(captureOf('ok-search-off'), { server: 's1' })), NOT_THERE);
  });

  it('the second launch of a server that prints a line without its end, though the first was one', () => {
    assert.equal(outcomeAndVerdict(deferred('server-partial-line-again')), 'answered: SERVER_NOT_CONNECTED');
  });

  it("a session in which a tool of the study's server was denied", () => {
    const { verdict } = upfront('denied-server-tool');
    assert.deepEqual(verdict, {
      ...{ status: 'failed', failure: 'PERMISSION_DENIED', retry: false },
      message: 'it did not let the model use mcp__notes__read_note',
    });
  });

  it('a session in which refused requests switched tool search off', () => {
    assert.equal(outcomeAndVerdict(deferred('search-switched-off')), 'answered: TOOL_SEARCH_CHANGED');
  });

  it('a session with tool search where the condition has none, and the other way round', () => {
    assert.equal(outcomeAndVerdict(upfront('ok-search-on')), 'answered: TOOL_SEARCH_CHANGED');
    assert.equal(outcomeAndVerdict(deferred('ok-search-off')), 'answered: TOOL_SEARCH_CHANGED');
  });

  it('what a command left that was killed', () => {
    assert.equal(outcomeAndVerdict(upfront('killed-sigterm')), 'no_result: HOST_NO_RESULT');
    assert.equal(outcomeAndVerdict(upfront('killed-sigkill')), 'no_result: HOST_NO_RESULT');
    assert.equal(outcomeAndVerdict(upfront('killed-in-call')), 'no_result: HOST_NO_RESULT');
    assert.equal(outcomeAndVerdict(upfront('killed-first-request')), 'no_result: HOST_NO_RESULT');
    assert.equal(
      upfront('killed-sigterm').verdict.message,
      'it ended before it gave a result (exit code 143)',
    );
  });

  it('what was left after SIGINT, though the exit code is 0', () => {
    assert.equal(upfront('killed-sigint').end.exit_code, 0);
    assert.equal(outcomeAndVerdict(upfront('killed-sigint')), 'error_result: HOST_ERROR');
  });

  it('an answer after the time of the study, or one that was ended with the run', () => {
    const ended = (how: 'timeout' | 'interrupted') => {
      const exit = { exit_code: null, signal: 'SIGTERM', how, elapsed_ms: 300_000 };
      return tell(captureOf('ok-search-off', { exit }));
    };
    assert.equal(outcomeAndVerdict(ended('timeout')), 'timeout: HOST_TIMEOUT');
    assert.equal(outcomeAndVerdict(ended('interrupted')), 'interrupted: HOST_NO_RESULT');
  });
});

describe('another launch', () => {
  it('follows one without any output, and no other', () => {
    assert.equal(outcomeAndVerdict(upfront('no-output')), 'no_output: HOST_NO_OUTPUT, again');
    assert.equal(upfront('no-output').end.stderr_tail, "error: unknown option '--no-such-option'\n");
  });
});

const NOT_THERE = 'answered: SERVER_NOT_CONNECTED';
