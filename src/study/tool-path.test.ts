/** The tool paths of the three kinds of a records study, as the data that they are. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { AGGREGATE, LATER_PAGE, LOOKUP, readTasks } from './study-fixture.test.support.js';
import { toolPathOf } from './tool-path.js';

const pathOf = (entry: object) => readTasks([entry], null).map(({ key }) => toolPathOf(key))[0];
const having = (field: string, schema: object) => ({
  type: 'object',
  required: [field],
  properties: { [field]: schema },
});

describe('the tool path', () => {
  it('of a lookup is made from its detail field and its evidence', () => {
    const detail = { const: 'detail' };
    const evidence = { enum: ['T01', 'T04'] };
    assert.deepEqual(pathOf({ ...LOOKUP, evidenceIds: ['T01', 'T04'] }), {
      controls: ['filter'],
      words: 'find_records with brief fields that shows an evidence id, then exact_record of it',
      steps: [
        {
          tool: 'find_records',
          arguments: {
            properties: {
              matchField: { not: detail },
              fields: { not: { type: 'array', contains: detail } },
            },
          },
          result: having('rows', { type: 'array', contains: having('id', evidence) }),
        },
        { tool: 'exact_record', arguments: having('id', evidence) },
      ],
    });
  });

  it('of an aggregate is a count', () => {
    assert.deepEqual(pathOf(AGGREGATE), {
      controls: ['count'],
      words: 'a call of count_by_field',
      steps: [{ tool: 'count_by_field' }],
    });
  });

  it('of a later page is a search with a cursor', () => {
    assert.deepEqual(pathOf(LATER_PAGE), {
      controls: ['filter', 'paginate'],
      words: 'a continuation: find_records with a cursor',
      steps: [{ tool: 'find_records', arguments: having('cursor', { not: { enum: [null, '', 0, false] } }) }],
    });
  });

  it('of any other kind is none, but its own where it has one', () => {
    const plain = { question: 'Why?', expectedAnswer: 'because' };
    assert.equal(pathOf(plain), null);
    assert.equal(pathOf({ ...plain, kind: 'constructor' }), null);
    assert.deepEqual(pathOf({ ...plain, toolPath: { steps: [{ tool: 'ask' }] } }), {
      steps: [{ tool: 'ask' }],
    });
  });

  it('of a key replaces the one of its kind', () => {
    const toolPath = { steps: [{ tool: 'list_records' }] };
    assert.deepEqual(pathOf({ ...AGGREGATE, toolPath }), toolPath);
  });

  it('of the example in docs/study.md is one', () => {
    const text = readFileSync(new URL('../../docs/study.md', import.meta.url), 'utf8');
    const example = /^```json task\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? '';
    const path = pathOf(JSON.parse(example));
    assert.deepEqual(path?.forbidden, ['write_file', 'edit_file']);
    assert.deepEqual(path?.steps[1]?.result, { type: 'string', pattern: '\\nowner: ' });
  });
});
