/** That the bundle's platform parts still stand for all of the SDK's. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as theirs from '@modelcontextprotocol/server/_shims';
import * as ours from './shims.js';

describe('the platform parts of the bundle', () => {
  it('have the names of those that they replace', () => {
    assert.deepEqual(Object.keys(ours).sort(), Object.keys(theirs).sort());
  });

  it('are the same process', () => {
    assert.equal(ours.process, theirs.process);
  });

  it('refuse to validate, rather than to let anything pass', () => {
    const message = 'the bundled records server has no JSON Schema validator';
    assert.throws(() => new ours.DefaultJsonSchemaValidator().getValidator(), { message });
  });
});
