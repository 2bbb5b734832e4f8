/** Noise on stdout: which kind, how much, and what it did. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkStdout } from './check-stdout.js';
import { isFinding } from './finding.js';
import { ended, firstLaunch, heard, secondLaunch, step } from './launch.test.support.js';

const REPLY = '{"jsonrpc":"2.0","id":0,"result":{}}';
const of = (...lines: ReturnType<typeof heard>[]) => checkStdout([secondLaunch({ lines })]).filter(isFinding);

describe('stdout', () => {
  it('that is protocol alone is well, with its figures', () => {
    const outcomes = checkStdout([
      firstLaunch({ lines: [heard(REPLY)] }),
      secondLaunch({ lines: [heard(REPLY)] }),
    ]);
    assert.deepEqual(
      outcomes.map(({ kind, what }) => [kind, what]),
      [['ok', '2 lines, 200 B in 2 launches: nothing but protocol']],
    );
  });

  it('with a banner before the first reply is harmless, as both launches show', () => {
    const [finding, ...others] = of(heard('Server ready'), heard(REPLY, 0));
    assert.deepEqual(others, []);
    assert.deepEqual([finding?.code, finding?.evidence.effect], ['output-before-handshake', 'harmless']);
    assert.equal(finding?.what, '1 line (12 B) before the first reply, in 1 launch: "Server ready"');
  });

  it('is not called harmless where it cost an answer', () => {
    const steps = [step('initialize'), step('tools/list', { outcome: 'flooded' })];
    const [finding] = checkStdout([secondLaunch({ lines: [heard('x', 1)], steps })]).filter(isFinding);
    assert.deepEqual([finding?.code, finding?.evidence.effect], ['stray-lines', null]);
  });

  it('with a line a request counts them all, the one before the first reply as well', () => {
    const lines = [heard('got it'), heard(REPLY), heard('got it', 1), heard('got it', 2)];
    const [finding, ...others] = of(...lines);
    assert.deepEqual(others, []);
    assert.equal(finding?.code, 'stray-lines');
    assert.deepEqual(finding?.evidence, {
      lines: 3,
      bytes: 18,
      first: 'got it',
      requests: 2,
      effect: 'harmless',
    });
  });

  it('has no effect that is known where a launch failed', () => {
    const [finding] = checkStdout([secondLaunch({ era: null, lines: [heard('x')] })]).filter(isFinding);
    assert.equal(finding?.evidence.effect, null);
  });

  it('with text on the line of the probe’s reply, or at its end, lost nothing this time', () => {
    const [glued] = of(heard(`loading... ${REPLY}`));
    assert.equal(glued?.what, '11 B without a newline on the line of a message: "loading... "');
    const end = ended({ tail: 'bye' });
    const [tail] = checkStdout([secondLaunch({ lines: [heard(REPLY)], end })]).filter(isFinding);
    assert.deepEqual(
      [tail?.code, tail?.what],
      ['partial-line', '3 B without a newline at the end of stdout: "bye"'],
    );
  });

  it('that cost an answer is left to the findings about launches', () => {
    const steps = [step('initialize', { outcome: 'glued', glued: { before: 'x', after: '' } })];
    assert.deepEqual(checkStdout([secondLaunch({ era: null, steps, lines: [heard(`x${REPLY}`)] })]), []);
  });

  it('may have blank lines, carriage returns and bytes that are no UTF-8', () => {
    assert.deepEqual(
      of(heard(REPLY), heard('', 1), heard(`${REPLY}\r`, 1), heard(Buffer.from([0xe9, 0x74, 0xe9]), 1)).map(
        ({ code, what }) => [code, what],
      ),
      [
        ['stray-lines', '1 line (3 B) over 2 requests: "�t�"'],
        ['invalid-utf8', '1 line (3 B) not valid UTF-8: "�t�"'],
        ['blank-lines', '1 line (0 B) blank'],
        ['crlf', '1 line (37 B) ending with a carriage return: "{"jsonrpc":"2.0","id":0,"result":{}}\\r"'],
      ],
    );
  });

  it('shows what a server wrote without letting it move the cursor', () => {
    assert.match(of(heard('\u001b[31mred'))[0]?.what ?? '', /"\\u001b\[31mred"/);
  });
});
