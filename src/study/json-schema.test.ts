/** The JSON Schema for editors: up to date, and with words for every field. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { studyJsonSchema } from './json-schema.js';

const place = new URL('../../docs/study.schema.json', import.meta.url);
const node = z.looseObject({
  description: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).default({}),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
});

/** Paths of the fields of a schema that have no description. */
function undescribed(schema: unknown, path = ''): string[] {
  const parsed = node.safeParse(schema);
  if (!parsed.success) return [];
  const { properties, additionalProperties, items } = parsed.data;
  const fields = Object.entries(properties).flatMap(([name, field]) => [
    ...(node.parse(field).description ? [] : [`${path}/${name}`]),
    ...undescribed(field, `${path}/${name}`),
  ]);
  return [...fields, ...undescribed(additionalProperties, `${path}/*`), ...undescribed(items, `${path}/-`)];
}

describe('docs/study.schema.json', () => {
  it('is what the schema of study.yaml says today', () => {
    const written = readFileSync(place, 'utf8');
    assert.equal(written, `${JSON.stringify(studyJsonSchema(), null, 2)}\n`);
  });

  it('has a description on every field', () => {
    assert.deepEqual(undescribed(studyJsonSchema()), []);
  });

  it('finds a field without one', () => {
    const record = { additionalProperties: { properties: { b: { items: { properties: { c: {} } } } } } };
    assert.deepEqual(undescribed({ properties: { a: { description: 'x', ...record } } }), [
      '/a/*/b',
      '/a/*/b/-/c',
    ]);
  });

  it('asks only for what has no default', () => {
    const { required } = z.object({ required: z.array(z.string()) }).parse(studyJsonSchema());
    assert.deepEqual(required, ['name', 'tasks', 'servers', 'conditions']);
  });
});
