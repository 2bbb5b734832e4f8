/** docs/events.md is what the schemas say, and they say something of every field. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { documentEvents, documentedFields } from './document.js';
import { eventSchema } from './event.js';
import { fieldsOf } from './fields.js';
import { envelope } from './schema/envelope.js';

describe('the reference of events', () => {
  it('has a meaning for every field', () => {
    const silent = [...documentedFields(), ...fieldsOf(z.strictObject(envelope))].filter(
      ({ meaning }) => !meaning,
    );
    assert.deepEqual(
      silent.map(({ name }) => name),
      [],
    );
  });

  it('has a description of every event type', () => {
    const silent = eventSchema.options.filter((option) => !option.description);
    assert.deepEqual(
      silent.map((option) => option.shape.type.value),
      [],
    );
  });

  it('is docs/events.md, which is written anew with: node -e "import(\'./dist/events/document.js\').then((d) => process.stdout.write(d.documentEvents()))" > docs/events.md', () => {
    assert.equal(documentEvents(), readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8'));
  });
});

describe('the fields of a schema', () => {
  it('have dotted names, types in words and their meaning, or null', () => {
    const schema = z.strictObject({
      a: z.int().positive().nullable().describe('A'),
      b: z
        .array(z.strictObject({ c: z.enum(['x', 'y']).describe('C'), d: z.array(z.string()) }))
        .describe('B'),
      e: z
        .strictObject({ f: z.record(z.string(), z.number().nonnegative()).describe('F') })
        .nullable()
        .describe('E'),
      g: z.unknown().describe('G'),
    });
    assert.deepEqual(fieldsOf(schema), [
      { name: 'a', type: 'integer, above 0 or null', meaning: 'A' },
      { name: 'b', type: 'list of object', meaning: 'B' },
      { name: 'b[].c', type: '`x`, `y`', meaning: 'C' },
      { name: 'b[].d', type: 'list of string', meaning: null },
      { name: 'e', type: 'object or null', meaning: 'E' },
      { name: 'e.f', type: 'object of number, from 0', meaning: 'F' },
      { name: 'g', type: 'any JSON', meaning: 'G' },
    ]);
  });
});
