/** JSON as text: what counts as the same, and cutting fields out. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cutFields, saysTheSame } from './json-text.js';

describe('two JSON texts', () => {
  it('say the same where only blanks, escapes and the spelling of numbers differ', () => {
    assert.equal(
      saysTheSame('{ "a" : [1.50, 2e3, -0.0, "\\u00e9", true] }', '{"a":[15e-1,2000,-0,"é",true]}'),
      true,
    );
    assert.equal(saysTheSame('100000000000000000000', '1e+20'), true);
    assert.equal(saysTheSame('0', '0.00e7'), true);
  });

  it('differ in any digit, sign, order, key or length', () => {
    assert.equal(saysTheSame('12345678901234567890', '12345678901234567000'), false);
    assert.equal(saysTheSame('-0', '0'), false);
    assert.equal(saysTheSame('1e400', 'null'), false);
    assert.equal(saysTheSame('{"b":1,"a":2}', '{"a":2,"b":1}'), false);
    assert.equal(saysTheSame('{"a":1,"a":2}', '{"a":2}'), false);
    assert.equal(saysTheSame('[1]', '[1,2]'), false);
    assert.equal(saysTheSame('"1"', '1'), false);
  });
});

describe('cutting fields', () => {
  it('leaves every other token as it stands, and no blanks between them', () => {
    const json = '\n{ "a" : 1.0 ,\t"x" : { "x" : [ "} , \\" ]" , 2 ] } , "b\\\\" : " s " , "y":[]}\r\n';
    assert.equal(cutFields(json, ['x']), '{"a":1.0,"b\\\\":" s ","y":[]}');
    assert.equal(cutFields(json, ['a', 'b\\']), '{"x":{"x":["} , \\" ]",2]},"y":[]}');
    assert.equal(cutFields('{}', ['x']), '{}');
    assert.equal(cutFields('{"x":{}}', ['x']), '{}');
  });
});
