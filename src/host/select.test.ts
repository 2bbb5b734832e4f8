/** What the model reads of a tool result: nothing is changed but the fields that are left out. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { modelFacingText } from './select.js';

const text = (...texts: string[]) => texts.map((each) => ({ type: 'text', text: each }));
const without = (json: string, ...leaveOut: string[]) => modelFacingText(text(json), false, leaveOut);

describe('model-facing text', () => {
  it('is the text blocks, joined by newlines; what is no text is left out', () => {
    const content = [
      ...text('a', '', 'b'),
      { type: 'image', data: 'x' },
      null,
      'c',
      { type: 'text', text: 5 },
    ];
    assert.equal(modelFacingText(content, false, []), 'a\n\nb');
    assert.equal(modelFacingText([], false, ['cache']), '');
  });

  it('lacks the chosen fields of the top level, in each block, and no others', () => {
    const block = '{"cache":"hit","rows":[{"cache":1}],"sourceHash":"f","n":{"cache":2}}';
    const left = '{"rows":[{"cache":1}],"n":{"cache":2}}';
    assert.equal(modelFacingText(text(block, block), false, ['cache', 'sourceHash']), `${left}\n${left}`);
    assert.equal(without('{"cache":1}', 'cache'), '{}');
  });

  it('of an error, of other text, and of JSON that is no object passes as it is', () => {
    assert.equal(modelFacingText(text('{"cache": 1}'), true, ['cache']), '{"cache": 1}');
    assert.equal(without('{"cache": 1', 'cache'), '{"cache": 1');
    assert.equal(without(' [{"cache": 1}] ', 'cache'), ' [{"cache": 1}] ');
    assert.equal(without('"cache"', 'cache'), '"cache"');
    assert.equal(without('', 'cache'), '');
  });

  it('of an ordinary object is the object written again, blanks and spellings included', () => {
    const spelled = '{ "a" : 1.0 , "b": "\\u0041\\/", "c": 1e2,\n\t"cache": 0, "d": [ ] }';
    assert.equal(without(spelled, 'cache'), '{"a":1,"b":"A/","c":100,"d":[]}');
    assert.equal(without('{"a": 0.10, "b": -0.0e5}', 'cache'), '{"a":0.10,"b":-0.0e5}');
    assert.equal(without('{"a": 0.10}', 'cache'), '{"a":0.1}');
  });

  it('keeps every digit of numbers that JavaScript would round', () => {
    assert.equal(
      without('{"cache":1, "big": 12345678901234567890, "far":1e400,"fine":0.1234567890123456789}', 'cache'),
      '{"big":12345678901234567890,"far":1e400,"fine":0.1234567890123456789}',
    );
  });

  it('keeps the order of keys that JavaScript would sort, keys that stand twice, and __proto__', () => {
    assert.equal(without('{"b":1,"10":2,"cache":3,"2":4}', 'cache'), '{"b":1,"10":2,"2":4}');
    assert.equal(without('{"a":1, "cache":{"a":"}"}, "a":2}', 'cache'), '{"a":1,"a":2}');
    assert.equal(without('{"a":{"x":1,"x":2},"cache":3,"cache":4}', 'cache'), '{"a":{"x":1,"x":2}}');
    assert.equal(without('{"__proto__":{"a":1},"cache":2}', 'cache'), '{"__proto__":{"a":1}}');
    assert.equal(without('{"__proto__":{"a":1},"constructor":2}', '__proto__'), '{"constructor":2}');
    assert.equal(
      without('{"c\\u0061che":1,"1":12345678901234567890}', 'cache'),
      '{"1":12345678901234567890}',
    );
  });

  it('of an object that is nested too deeply to be written again is cut all the same', () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    assert.equal(without(`{"cache":1, "deep":${deep}}`, 'cache'), `{"deep":${deep}}`);
  });

  it('takes no longer than the text is long, whatever its numbers look like', () => {
    const number = `1${'0'.repeat(300_000)}1`;
    const started = performance.now();
    assert.equal(
      without(`{"cache":1,"n":${number}, "e":1e${'9'.repeat(5000)}}`, 'cache').length,
      300_002 + 5013,
    );
    assert.ok(performance.now() - started < 2000);
  });

  it('of any object that JSON.stringify wrote is what JSON.stringify writes without the fields', () => {
    const key = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('cache', 'a', '1', '__proto__', '"'));
    const object = fc.dictionary(key, fc.jsonValue(), { noNullPrototype: true });
    fc.assert(
      fc.property(object, fc.constantFrom(0, 1, '\t'), (value, indent) => {
        const left = Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'cache'));
        assert.equal(without(JSON.stringify(value, null, indent), 'cache'), JSON.stringify(left));
      }),
      { numRuns: 300 },
    );
  });

  it('of an object whose every number is too large to be held has each of them still', () => {
    const digits = fc.bigInt({ min: 10n ** 20n, max: 10n ** 40n }).map((number) => `${number}1`);
    fc.assert(
      fc.property(fc.array(digits, { minLength: 1 }), (numbers) => {
        const members = numbers.map((number, at) => `"k${at}": [${number}]`);
        const expected = numbers.map((number, at) => `"k${at}":[${number}]`);
        assert.equal(without(`{${members.join(' , ')}, "cache":0}`, 'cache'), `{${expected.join(',')}}`);
      }),
      { numRuns: 100 },
    );
  });
});
