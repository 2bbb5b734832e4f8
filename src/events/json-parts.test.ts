/** JSON in parts is JSON.stringify in parts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sha256 } from './bytes.js';
import { jsonFacts, jsonParts } from './json-parts.js';

const LONG = 'x'.repeat(1024 * 1024 - 1);

describe('JSON in parts', () => {
  it('is the JSON of any list', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (blocks) => {
        assert.equal([...jsonParts(blocks)].join(''), JSON.stringify(blocks));
      }),
    );
  });

  it('is it where texts are long, whatever stands where they are cut', () => {
    const texts = [`${LONG}"\\\n`, `${LONG}😀${LONG}`, `${LONG}\ud800`, `${LONG}\udc00${LONG}\ud83d`];
    const blocks = texts.map((text) => ({ type: 'text', gone: undefined, text, more: [text] }));
    assert.equal([...jsonParts(blocks)].join(''), JSON.stringify(blocks));
    assert.ok([...jsonParts([{ text: LONG + LONG + LONG }])].every((part) => part.length <= 1024 * 1024));
  });

  it('has the size and the hash of the whole', () => {
    const blocks = [{ text: `é${LONG}${LONG}` }, { text: '\ud800' }];
    const json = JSON.stringify(blocks);
    assert.deepEqual(jsonFacts(blocks), { bytes: Buffer.byteLength(json), sha256: sha256(json) });
  });
});
