/** What a model is offered of a catalog, and what is left out of it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { advertise, advertisedFacts, unusableTools } from './advertise.js';

const inputSchema = { type: 'object', a: 1 };
const GOOD = { name: 'good', description: '', input_schema: inputSchema };
const ODD = [
  ...[null, 'tool', { title: 'nameless', inputSchema }, { name: 'a b', inputSchema }],
  ...[{ name: 'bare' }, { name: 'list', inputSchema: { type: 'array' } }],
  ...[
    { name: 'numbered', description: 5, inputSchema },
    { name: 'good', inputSchema },
  ],
];

describe('what is advertised', () => {
  it('leaves out what no model can be offered, and loses no other', () => {
    assert.deepEqual(advertise(ODD, null), [GOOD]);
    assert.deepEqual(advertise(ODD, ['bare', 'list']), []);
  });

  it('has the first of two tools with one name, on whatever pages they are', () => {
    const again = { name: 'good', description: 'again', inputSchema };
    assert.deepEqual(advertise([{ name: 'good', inputSchema }, again], null), [GOOD]);
    assert.deepEqual(advertise([again], null, [GOOD]), []);
    assert.deepEqual(unusableTools([again], [GOOD]), [
      'the tool "good" is listed twice; the first one counts',
    ]);
  });

  it('says of each tool that is left out why', () => {
    assert.deepEqual(unusableTools(ODD, []), [
      'entry 1 is no object',
      'entry 2 is no object',
      'entry 3 has no name of 1 to 128 letters, digits, "_" and "-"',
      'the tool "a b" has no name of 1 to 128 letters, digits, "_" and "-"',
      'the tool "bare" has no inputSchema of type object',
      'the tool "list" has no inputSchema of type object',
      'the tool "numbered" has a description that is no text',
    ]);
  });

  it('is recorded by names, bytes and hash of the tools as JSON', () => {
    assert.deepEqual(advertisedFacts([{ name: 'é', description: '', input_schema: {} }]), {
      ...{ names: ['é'], bytes: 50 },
      sha256: 'cc74e7ea0495988df669f4c046633a62698751745483f7b1ef0c316354d697a2',
    });
  });
});
