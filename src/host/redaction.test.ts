/** Secrets in events and bytes: covered in every spelling, and nothing else is touched. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { close, fault, modelTurn } from '../events/events.test.support.js';
import { redacted, redactedBytes, secretsOf } from './redaction.js';

const SECRETS = secretsOf('TOKEN', 'Bearer abc/def-123');
const MARK = '[redacted: TOKEN]';
const textsOf = (name: string, value: string) => secretsOf(name, value).map(({ text }) => text);
const covered = (text: string) => redactedBytes(Buffer.from(text), SECRETS).toString();

describe('what of a value is secret', () => {
  it('is the whole, and what follows its scheme', () => {
    assert.deepEqual(textsOf('T', ' ApiKey XYZ-1234 '), ['ApiKey XYZ-1234', 'XYZ-1234']);
  });

  it('is each of several cookies', () => {
    assert.deepEqual(textsOf('T', 'theme=dark-1; session=s3cr3t-9'), [
      'theme=dark-1; session=s3cr3t-9',
      'session=s3cr3t-9',
      's3cr3t-9',
      'dark-1',
    ]);
  });

  it('is what Basic credentials say', () => {
    assert.deepEqual(textsOf('T', `Basic ${Buffer.from('me:hunter22').toString('base64')}`), [
      'Basic bWU6aHVudGVyMjI=',
      'bWU6aHVudGVyMjI=',
      'me:hunter22',
      'hunter22',
    ]);
  });

  it('is nothing so short that it stands everywhere', () => {
    assert.deepEqual([textsOf('T', 'a'), textsOf('T', ''), textsOf('T', 'pin4711')], [[], [], ['pin4711']]);
  });
});

describe('a secret in bytes', () => {
  it('is covered as it is, as JSON may escape it, and as a URL encodes it', () => {
    assert.equal(covered('{"a":"abc/def-123"}'), `{"a":"${MARK}"}`);
    assert.equal(covered('{"a":"abc\\/def-123"}'), `{"a":"${MARK}"}`);
    assert.equal(covered('{"a":"{\\"b\\":\\"abc\\\\/def-123\\"}"}'), `{"a":"{\\"b\\":\\"${MARK}\\"}"}`);
    assert.equal(covered('{"a":"\\u0061bc\\u002Fdef-123"}'), `{"a":"${MARK}"}`);
    assert.equal(covered('/x?t=abc%2Fdef-123&y=%31'), `/x?t=${MARK}&y=%31`);
  });

  it('is covered beside bytes that are no text, which stay', () => {
    const bytes = Buffer.concat([Buffer.from([0xff]), Buffer.from('abc/def-123'), Buffer.from([0xfe, 0x0a])]);
    const clean = Buffer.concat([Buffer.from([0xff]), Buffer.from(MARK), Buffer.from([0xfe, 0x0a])]);
    assert.deepEqual(redactedBytes(bytes, SECRETS), clean);
  });

  it('that does not stand there leaves them as they are', () => {
    const bytes = Buffer.from('{"a":"abc\\/def-124 %2F \\u0061"}');
    assert.equal(redactedBytes(bytes, SECRETS), bytes);
  });
});

describe('a secret in an event', () => {
  it('is covered wherever it stands, in names too, and nothing else is touched', () => {
    const event = modelTurn({
      content: [{ text: 'a abc/def-123 b', deep: [['abc/def-123']], 'abc/def-123': 1 }, null],
    });
    assert.deepEqual(redacted(event, SECRETS), {
      ...event,
      content: [{ text: `a ${MARK} b`, deep: [[MARK]], [MARK]: 1 }, null],
    });
    assert.equal(JSON.stringify(event).includes('abc/def-123'), true);
  });

  it('is not hidden by base64', () => {
    const bytes = Buffer.from('\xff abc/def-123', 'latin1');
    const clean = redacted(fault({ base64: bytes.toString('base64') }), SECRETS);
    assert.ok(clean.type === 'fault' && clean.base64 !== null);
    assert.equal(Buffer.from(clean.base64, 'base64').toString('latin1'), `\xff ${MARK}`);
  });

  it('is covered where a text was cut within it', () => {
    const cut = redacted(
      close({ message: 'no answer: abc/def-1…', stderr_tail: 'def-123 is no key' }),
      SECRETS,
    );
    assert.ok(cut.type === 'close');
    assert.deepEqual([cut.message, cut.stderr_tail], [`no answer: ${MARK}…`, `${MARK} is no key`]);
  });

  it('that is not there leaves the event itself', () => {
    const event = close({ message: 'abc' });
    assert.equal(redacted(event, SECRETS), event);
  });
});
