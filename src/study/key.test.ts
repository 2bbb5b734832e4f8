/** Digests of questions and keys: literal, and apart from each other. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { AGGREGATE, LOOKUP, readTasks } from './study-fixture.test.support.js';
import { parseTasks } from './tasks.js';

const QUESTION = 'b3058fea4e2f1198ba0649a870bc0b93ac0388612221d9181c73463cd56f1680';
const KEY = '599d56582f8eb922da048055bc02f780d57095b0fa6af2d52f8ad8e452e84aa5';
const digests = (entry: object) =>
  readTasks([entry], null).map(({ question_sha256, key_sha256 }) => [question_sha256, key_sha256])[0];

describe('the digests of a task', () => {
  it('are SHA-256 of the question, and of the key as JSON', () => {
    assert.deepEqual(digests(LOOKUP), [QUESTION, KEY]);
  });

  it('do not change with fields that grading does not know', () => {
    assert.deepEqual(digests({ ...LOOKUP, reviewer: 'me', id: 'another' }), [QUESTION, KEY]);
  });

  it('do not change with the order of fields, nor with null for one that is absent', () => {
    assert.deepEqual(
      digests({ aggregateField: null, ...Object.fromEntries(Object.entries(LOOKUP).reverse()) }),
      [QUESTION, KEY],
    );
  });

  it('differ in the key alone where a caveat is added', () => {
    const changed = digests({ ...LOOKUP, requiredCaveats: ['as of 2020'] });
    assert.deepEqual(changed, [QUESTION, 'cd4b2640e3c3b2f34a070693df6f18d615a2ae3b5c594e309d3bccb9b08589fa']);
  });

  it('differ in the question alone where a space is added', () => {
    assert.deepEqual(digests({ ...LOOKUP, question: 'What is T01? ' }), [
      '9addfef68965e97988bb730bdacc679978879c6499914a620694fb873f984ee3',
      KEY,
    ]);
  });

  it('differ in the key with every part of it', () => {
    const keys = [
      digests(AGGREGATE),
      digests({ ...AGGREGATE, expectedAnswer: '4' }),
      digests({ ...AGGREGATE, evidenceIds: ['T03'] }),
      digests({ ...AGGREGATE, kind: 'lookup' }),
      digests({ ...AGGREGATE, aggregateField: 'detail' }),
      digests({ ...AGGREGATE, aggregateValue: 'closed' }),
      digests({ ...AGGREGATE, detailField: 'detail' }),
    ].map((pair) => pair?.[1]);
    assert.equal(new Set(keys).size, 7);
  });

  it('of the context-controls study are what they were when its first runs were recorded', () => {
    const file = new URL('../../data/context-controls/tasks.json', import.meta.url);
    const tasks = parseTasks(readFileSync(file), 'tasks.json', null);
    assert.deepEqual(
      tasks.map(({ key_sha256 }) => key_sha256),
      [
        '9e257fddb0cc4d4605945f16046b9b9b1de04313503b286c7cf7f830c177f8aa',
        'b3f0b4166f40416ee9828592bcf9c3899e16cb9512b92e05c71478672c11d45d',
        'f6aa607d2a9a21e2f440a6df7928209b7495c2e2146ed4bef0ed173f799c96bb',
      ],
    );
  });

  it('do not change with null for a tool path', () => {
    assert.deepEqual(digests({ ...LOOKUP, toolPath: null }), [QUESTION, KEY]);
  });

  it('differ in the key alone with a tool path, and with every part of it', () => {
    const path = { steps: [{ tool: 'find', arguments: { required: ['a'] } }] };
    const keys = [
      digests(LOOKUP),
      digests({ ...LOOKUP, toolPath: { steps: [] } }),
      digests({ ...LOOKUP, toolPath: path }),
      digests({ ...LOOKUP, toolPath: { ...path, words: 'a search' } }),
      digests({ ...LOOKUP, toolPath: { ...path, controls: ['filter'] } }),
      digests({ ...LOOKUP, toolPath: { ...path, forbidden: ['drop'] } }),
      digests({ ...LOOKUP, toolPath: { steps: [{ tool: 'find', result: { required: ['a'] } }] } }),
    ];
    assert.deepEqual([...new Set(keys.map((pair) => pair?.[0]))], [QUESTION]);
    assert.equal(new Set(keys.map((pair) => pair?.[1])).size, 7);
    assert.equal(keys[2]?.[1], '645471dac56c4a2a8b475081a6d125e201e95fb05a75c5c88875968e245ba2e3');
  });

  it('do not change with the order of the parts of a tool path', () => {
    const path = { steps: [{ tool: 'find', result: { type: 'string' } }], words: 'a search' };
    const turned = { words: 'a search', steps: [{ result: { type: 'string' }, tool: 'find' }] };
    assert.deepEqual(digests({ ...LOOKUP, toolPath: turned }), digests({ ...LOOKUP, toolPath: path }));
  });
});
