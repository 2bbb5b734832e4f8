/** First against second launch: each class, with the cause that tells what to mend. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkLaunches } from './check-launches.js';
import { isFinding } from './finding.js';
import { ended, firstLaunch, secondLaunch, step } from './launch.test.support.js';
import { NO_SUCH_TOOL } from './requests.js';

const glued = { outcome: 'glued', glued: { before: 'loading... ', after: '' } } as const;
const eaten = { outcome: 'silent', elapsed_ms: 8000, ping_ms: 3 } as const;

/** Codes and causes of the findings. */
const classes = (...launches: Parameters<typeof checkLaunches>) =>
  checkLaunches(...launches)
    .filter(isFinding)
    .map(({ code, severity, evidence }) => [severity, code, evidence.cause]);

describe('two launches', () => {
  it('that both connect are well, with their times', () => {
    const [outcome] = checkLaunches(firstLaunch(), secondLaunch());
    assert.deepEqual(outcome?.what, 'first launch connected in 10 ms, second in 5.0 ms');
    assert.deepEqual(classes(firstLaunch(), secondLaunch()), []);
  });

  it('of which only the first connects are fatal: text without newline before the first reply', () => {
    const first = firstLaunch({ steps: [step('server/discover', glued), step('initialize')] });
    const second = secondLaunch({ era: null, steps: [step('initialize', glued)] });
    const [finding] = checkLaunches(first, second).filter(isFinding);
    assert.deepEqual(classes(first, second), [['fatal', 'first-launch-only', 'glued']]);
    assert.equal(
      finding?.what,
      'second launch: "loading... " (11 B, no newline) stands before the reply to initialize on its line; ' +
        'in the first, it stood before the reply to server/discover, which no host needs',
    );
    assert.equal(finding?.evidence.before_bytes, 11);
    assert.match(finding?.fix ?? '', /stderr/);
  });

  it('of which only the first connects are fatal: a listener that eats the first request', () => {
    const first = firstLaunch({
      steps: [step('server/discover', { outcome: 'silent' }), step('initialize')],
    });
    const second = secondLaunch({ era: null, steps: [step('initialize', eaten)] });
    const [finding] = checkLaunches(first, second).filter(isFinding);
    assert.deepEqual(classes(first, second), [['fatal', 'first-launch-only', 'eaten']]);
    assert.match(
      finding?.what ?? '',
      /no answer in 8,000 ms, though a ping sent after it was answered in 3\.0 ms/,
    );
    assert.match(finding?.what ?? '', /in the first, server\/discover was lost instead/);
    assert.match(finding?.fix ?? '', /stdin/);
  });

  it('of which only the first connects are fatal whatever the cause', () => {
    const second = secondLaunch({ era: null, steps: [step('initialize', { outcome: 'exited' })] });
    const [finding] = checkLaunches(firstLaunch(), second).filter(isFinding);
    assert.deepEqual([finding?.code, finding?.evidence.cause], ['first-launch-only', 'exited']);
    assert.match(finding?.what ?? '', /^second launch: the server .*; the first connected in 10 ms$/);
  });

  it('of which only the second connects are fatal for hosts that probe', () => {
    const steps = [step('server/discover', { outcome: 'silent' }), step('initialize', { outcome: 'silent' })];
    assert.deepEqual(classes(firstLaunch({ era: null, steps }), secondLaunch()), [
      ['fatal', 'first-launch-fails', 'silent'],
    ]);
  });

  it('of which none connects say why: exit, silence, refusal, a line that does not end', () => {
    const failing = (more: Parameters<typeof step>[1], end = ended()) => {
      const steps = [step('initialize', more)];
      return classes(firstLaunch({ era: null, steps, end }), secondLaunch({ era: null, steps, end }));
    };
    const tail = '{"jsonrpc":"2.0","id":0,"result":{}}';
    assert.deepEqual(failing({ outcome: 'exited' }), [['fatal', 'never-connects', 'exited']]);
    assert.deepEqual(failing({ outcome: 'silent' }), [['fatal', 'never-connects', 'silent']]);
    assert.deepEqual(failing({ outcome: 'refused' }), [['fatal', 'never-connects', 'refused']]);
    assert.deepEqual(failing({ outcome: 'silent' }, ended({ tail })), [
      ['fatal', 'never-connects', 'no_newline'],
    ]);
  });

  it('that fail by an exit quote its code and the line of stderr that tells', () => {
    const close = { how: 'exited', exit_code: 3, signal: null, elapsed_ms: 1 } as const;
    const end = ended({ close, stderr_tail: 'TypeError: no such thing\n    at x\n\nNode.js v20\n' });
    const launch = secondLaunch({ era: null, steps: [step('initialize', { outcome: 'exited' })], end });
    const [finding] = checkLaunches(launch, launch);
    assert.equal(
      finding?.what,
      'the server exited with code 3 before it answered initialize; on stderr: "TypeError: no such thing"',
    );
  });

  it('of a program that cannot be started have no second', () => {
    const launch = firstLaunch({ era: null, steps: [], end: null, start_error: 'spawn nope ENOENT' });
    assert.deepEqual(classes(launch, null), [['fatal', 'not-started', undefined]]);
  });

  it('show a server that does not survive the probe, and one that is silent to it', () => {
    assert.deepEqual(classes(firstLaunch({ respawned: true }), secondLaunch()), [
      ['warning', 'exits-on-probe', undefined],
    ]);
    const steps = [step('server/discover', { outcome: 'silent' }), step('initialize')];
    assert.deepEqual(classes(firstLaunch({ steps }), secondLaunch()), [
      ['note', 'probe-unanswered', undefined],
    ]);
    const late = [step('server/discover', { outcome: 'silent', late_ms: 3400 }), step('initialize')];
    assert.deepEqual(classes(firstLaunch({ steps: late }), secondLaunch()), [
      ['note', 'probe-late', undefined],
    ]);
  });
});

describe('a session that connects', () => {
  const later = (more: Parameters<typeof step>[1]) =>
    classes(firstLaunch(), secondLaunch({ steps: [step('initialize'), step('tools/call', more)] }));

  it('may lose a reply later on', () => {
    assert.deepEqual(later(glued), [['fatal', 'reply-lost', 'glued']]);
    assert.deepEqual(later({ outcome: 'silent' }), [['fatal', 'reply-lost', 'silent']]);
  });

  it('may lose the server', () => {
    assert.deepEqual(later({ outcome: 'exited' }), [['fatal', 'crashed', 'exited']]);
  });

  it('may leave a call of a tool that does not exist without an answer', () => {
    assert.deepEqual(later({ outcome: 'silent', tool: NO_SUCH_TOOL }), [
      ['warning', 'unknown-tool-silent', 'silent'],
    ]);
  });
});
