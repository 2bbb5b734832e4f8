/** Output schemas: a verdict on each result, whatever the schema or the result is. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OutputSchemas } from './output-schema.js';

function schemas(outputSchema: unknown): OutputSchemas {
  const all = new OutputSchemas();
  all.learn([null, { name: 'sum', outputSchema }, { name: 'free' }]);
  return all;
}

const SUM = { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] };

describe('structured content', () => {
  it('fits its schema, or the verdict says where it does not', () => {
    const checked = schemas({ $schema: 'http://json-schema.org/draft-07/schema#', ...SUM });
    assert.deepEqual(checked.check('sum', { structuredContent: { sum: 3 } }), {
      ...{ schema_verdict: 'valid', schema_detail: null },
    });
    assert.deepEqual(checked.check('sum', { structuredContent: { sum: 'three' } }), {
      ...{ schema_verdict: 'invalid', schema_detail: 'structuredContent/sum must be integer' },
    });
  });

  it('may be absent from an error only', () => {
    const checked = schemas(SUM);
    assert.equal(checked.check('sum', {}).schema_verdict, 'missing');
    assert.equal(checked.check('sum', { isError: true }).schema_verdict, 'unchecked');
  });

  it('is not asked for by a tool without a schema, and not checked for an unlisted one', () => {
    const checked = schemas(SUM);
    assert.equal(checked.check('free', { structuredContent: {} }).schema_verdict, 'no_schema');
    assert.equal(checked.check('other', { structuredContent: {} }).schema_verdict, 'unchecked');
  });
});

describe('a schema', () => {
  it('that does not compile is broken, and the call goes on', () => {
    const reply = { structuredContent: {} };
    const tuple = { type: 'object', properties: { a: { items: [{ type: 'number' }] } } };
    const draft07 = { ...tuple, $schema: 'http://json-schema.org/draft-07/schema#' };
    const newest = { ...tuple, $schema: 'https://json-schema.org/draft/2020-12/schema' };
    assert.deepEqual(
      [tuple, draft07, newest].map((each) => schemas(each).check('sum', reply).schema_verdict),
      ['valid', 'valid', 'schema_broken'],
    );
    assert.equal(schemas({ type: 'no type' }).check('sum', reply).schema_verdict, 'schema_broken');
    assert.equal(schemas({ $ref: 'http://localhost/s' }).check('sum', reply).schema_verdict, 'schema_broken');
    assert.equal(schemas('text').check('sum', reply).schema_verdict, 'schema_broken');
    assert.equal(schemas({ pattern: '(' }).check('sum', reply).schema_verdict, 'schema_broken');
  });

  it('that takes for ever is given up after a second', () => {
    const endless = { properties: { text: { pattern: '^(a+)+$' } } };
    const started = performance.now();
    assert.deepEqual(schemas(endless).check('sum', { structuredContent: { text: `${'a'.repeat(60)}!` } }), {
      ...{ schema_verdict: 'unchecked', schema_detail: 'checking takes over 1000 ms' },
    });
    assert.ok(performance.now() - started < 5000);
  });

  it('of a later page of the same name counts', () => {
    const checked = schemas(SUM);
    checked.check('sum', { structuredContent: {} });
    checked.learn([{ name: 'sum', outputSchema: {} }]);
    assert.equal(checked.check('sum', { structuredContent: {} }).schema_verdict, 'valid');
  });
});
