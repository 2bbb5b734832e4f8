/** Payloads: exact bytes in a line, and those that are too many for one in blobs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sha256, utf8Bytes } from './bytes.js';
import type { BodyOf } from './event.js';
import { folderFor, stamped, toolCall } from './events.test.support.js';
import { bytesOf, exactOf, hydrated, withBlobs } from './payload.js';
import { Store } from './store.js';

const LARGE = Buffer.alloc(256 * 1024 + 1, 'x');
const TEXT = LARGE.toString('utf8');
const CONTENT = [{ type: 'text', text: TEXT }];

/** A call with a large result, as it is before it is written. */
function largeCall(change: Partial<BodyOf<'tool_call'>> = {}): BodyOf<'tool_call'> {
  const json = JSON.stringify(CONTENT);
  return toolCall({
    ...{ content: CONTENT, content_bytes: json.length, content_sha256: sha256(json) },
    ...{ model_facing_text: TEXT, model_facing_bytes: utf8Bytes(TEXT), model_facing_sha256: sha256(TEXT) },
    ...change,
  });
}

describe('bytes', () => {
  it('stand in a line as text, or in base64 where they are no text', (test) => {
    const blobs = new Store(folderFor(test));
    const odd = Buffer.from([0x7b, 0xff, 0x0d]);
    assert.deepEqual(exactOf(Buffer.from('{"é": 1.0}\r'), blobs), { as: 'utf8', data: '{"é": 1.0}\r' });
    assert.deepEqual(exactOf(odd, blobs), { as: 'base64', data: 'e/8N' });
    assert.deepEqual(bytesOf({ as: 'base64', data: 'e/8N' }, blobs), odd);
    assert.deepEqual(bytesOf({ as: 'utf8', data: '\u00e9' }, blobs), Buffer.from('é'));
  });

  it('over 256 KiB are a blob that their hash names', (test) => {
    const blobs = new Store(folderFor(test));
    const exact = exactOf(LARGE, blobs);
    assert.deepEqual(exact, { as: 'blob', data: sha256(LARGE) });
    assert.deepEqual(bytesOf(exact, blobs), LARGE);
    assert.throws(() => bytesOf({ as: 'blob', data: sha256('gone') }, blobs), { code: 'BLOB_MISSING' });
  });
});

describe('a call with a large result', () => {
  it('is a short line and two blobs, and whole again when it is read', (test) => {
    const blobs = new Store(folderFor(test));
    const body = withBlobs(largeCall(), blobs);
    assert.deepEqual(
      [body.content, body.model_facing_text, body.in_blobs],
      [[], null, ['content', 'text_of_content']],
    );
    const [event] = stamped([body]);
    assert.ok(event !== undefined);
    const whole = hydrated(event, blobs);
    assert.ok(whole.type === 'tool_call');
    assert.deepEqual([whole.content, whole.model_facing_text], [CONTENT, TEXT]);
  });

  it('keeps in its line what is no text, and what is small', (test) => {
    const blobs = new Store(folderFor(test));
    const odd = withBlobs(largeCall({ model_facing_text: `${TEXT}\ud800` }), blobs);
    assert.deepEqual([odd.model_facing_text?.length, odd.in_blobs], [262146, ['content']]);
    const small = toolCall();
    assert.equal(withBlobs(small, blobs), small);
  });
});
