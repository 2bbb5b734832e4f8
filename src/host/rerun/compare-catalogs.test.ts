/** Specification: how two catalogs compare. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareCatalog, merged } from './compare-catalogs.js';

const listing = (tools: unknown[], change = {}) => ({
  server: 's 1, protocol p',
  instructions: null,
  tools,
  ...change,
});
const tool = (name: string, change = {}) => ({
  name,
  description: 'D.',
  inputSchema: { type: 'object' },
  ...change,
});
const one = () => 1;

const compare = (before: unknown[], after: unknown[], allowed: string[] | null = null) =>
  compareCatalog('t', allowed, listing(before), listing(after), one);

describe('two catalogs', () => {
  it('are the same where every tool is, whatever the order of keys', () => {
    const { inputSchema, ...rest } = tool('a');
    assert.deepEqual(compare([tool('a')], [{ inputSchema, ...rest }]), {
      ...{ trials: ['t'], server: { before: 's 1, protocol p', after: 's 1, protocol p' } },
      ...{ instructions_changed: false, gone: [], added: [], changed: [], reordered: false },
      ...{ bytes: { before: 66, after: 66 }, tokens: { before: 1, after: 1 } },
    });
  });

  it('name tools that are gone, new, or stand elsewhere', () => {
    const { gone, added, reordered } = compare(
      [tool('a'), tool('b'), tool('c')],
      [tool('c'), tool('d'), tool('b')],
    );
    assert.deepEqual([gone, added, reordered], [['a'], ['d'], true]);
  });

  it('say of each tool what changed: description, schemas, or something else', () => {
    const before = tool('a', { outputSchema: { type: 'object' }, title: 'A' });
    const after = tool('a', {
      description: 'E.',
      inputSchema: { type: 'object', required: ['x'] },
      title: 'B',
    });
    assert.deepEqual(compare([before], [after]).changed, [
      { tool: 'a', aspect: 'description', difference: '"D." → "E."' },
      { tool: 'a', aspect: 'input_schema', difference: 'required: absent → ["x"]' },
      { tool: 'a', aspect: 'output_schema', difference: '{"type":"object"} → absent' },
      { tool: 'a', aspect: 'other', difference: 'title: "A" → "B"' },
    ]);
  });

  it('cost what a host would advertise of them', () => {
    const { bytes, tokens } = compare([tool('a'), tool('b'), { name: 'no schema' }], [tool('a')], ['a']);
    assert.deepEqual(
      [bytes, tokens],
      [
        { before: 66, after: 66 },
        { before: 1, after: 1 },
      ],
    );
  });

  it('pass over what is no tool', () => {
    assert.deepEqual(compare([null, 7, { title: 'x' }, tool('a')], [tool('a')]).gone, []);
  });

  it('that met in several trials are told once', () => {
    const [a, b, other] = ['t1', 't2', 't3'].map((trial, at) =>
      compareCatalog(trial, null, listing([tool('a')]), listing(at === 2 ? [] : [tool('a')]), one),
    );
    assert.deepEqual(
      merged([a, b, other].filter((comparison) => comparison !== undefined)).map(({ trials }) => trials),
      [['t1', 't2'], ['t3']],
    );
  });
});
