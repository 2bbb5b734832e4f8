/** JSON Schemas in keys: strict about what they say, alone among each other, and never without an end. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { conforms, jsonSchema } from './conform.js';
import { problemOf } from './study-fixture.test.support.js';

const faultOf = (schema: unknown) => jsonSchema.safeParse(schema).error?.issues[0]?.message;

describe('a JSON Schema', () => {
  it('is of draft 2020-12', () => {
    assert.equal(
      faultOf({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' }),
      undefined,
    );
    assert.equal(faultOf({ prefixItems: [{ const: 1 }], unevaluatedItems: false }), undefined);
    assert.match(faultOf({ $schema: 'http://json-schema.org/draft-07/schema#' }) ?? '', /no schema with key/);
  });

  it('may refer to itself', () => {
    const list = { type: 'array', items: { $ref: '#' } };
    assert.equal(faultOf(list), undefined);
    assert.equal(conforms(list, [[], [[]]], 'it'), true);
    assert.equal(conforms(list, [[], [1]], 'it'), false);
  });

  it('may have the name that another has', () => {
    assert.equal(conforms({ $id: 'same', type: 'string' }, 'a', 'it'), true);
    assert.equal(conforms({ $id: 'same', type: 'number' }, 'a', 'it'), false);
  });

  it('is refused where it would not be checked: a format, or what only answers later', () => {
    assert.match(faultOf({ format: 'date' }) ?? '', /unknown format "date"/);
    assert.match(faultOf({ $async: true }) ?? '', /`\$async` has no meaning here/);
  });

  it('sees own fields only', () => {
    assert.equal(conforms({ required: ['constructor'] }, {}, 'it'), false);
    assert.equal(conforms({ required: ['constructor'] }, { constructor: 1 }, 'it'), true);
  });

  it('that goes round in a circle is a problem, and not a verdict', () => {
    assert.equal(
      problemOf(() => conforms({ $ref: '#' }, 1, 'the schema')),
      'KEY_TOO_COSTLY: the schema cannot be checked: RangeError: Maximum call stack size exceeded: ' +
        'give the task a simpler schema, in a file for --keys',
    );
  });
});
