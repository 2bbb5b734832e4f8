/** The catalog as a list: what hosts and providers refuse. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkConstancy, checkEras, checkListing, checkTools, type Listing } from './check-catalog.js';
import type { Outcome } from './finding.js';

const schema = { type: 'object' };
const sound: Listing = { tools: [{}], pages: 1, failure: null, endless: false, bad_cursor: null };
const said = (outcomes: Outcome[]) =>
  outcomes.map((outcome) => [outcome.kind === 'finding' ? outcome.code : outcome.kind, outcome.what]);

describe('a listing', () => {
  it('is well in one page or in several that end', () => {
    assert.deepEqual(said(checkListing(sound)), [['ok', '1 tool, not paged']]);
    assert.deepEqual(said(checkListing({ ...sound, pages: 3 })), [['ok', '1 tool, 3 pages, which end']]);
  });

  it('may not end, break off, or be empty', () => {
    const failure = 'tools/list does not end: page 2 repeats the cursor "a"';
    assert.deepEqual(said(checkListing({ ...sound, failure, endless: true })), [
      ['page-loop', `${failure} (1 tool by then)`],
    ]);
    assert.deepEqual(said(checkListing({ ...sound, failure: 'no answer' })), [
      ['catalog-failed', 'no answer'],
    ]);
    assert.deepEqual(said(checkListing({ ...sound, tools: [] })), [
      ['no-tools', 'tools/list gives an empty list'],
    ]);
  });

  it('may have a cursor that clients refuse, null included', () => {
    assert.deepEqual(said(checkListing({ ...sound, bad_cursor: 'null' })), [
      ['bad-cursor', 'nextCursor is null, no string, after 1 tool'],
    ]);
  });
});

describe('the tools of a catalog', () => {
  it('are well where every schema compiles', () => {
    const tools = [
      { name: 'a', inputSchema: schema, outputSchema: schema },
      { name: 'b', inputSchema: schema },
    ];
    assert.deepEqual(said(checkTools(tools)), [['ok', '2 input schemas and 1 output schema compile']]);
  });

  it('lose the whole list over one that is none', () => {
    const tools = [
      { name: 'a' },
      { inputSchema: schema },
      'b',
      { name: 'c', inputSchema: { type: 'string' } },
      { name: 'd', description: 5, inputSchema: schema },
    ];
    const [outcome] = checkTools(tools);
    assert.deepEqual(said(checkTools(tools)), [['bad-tool', '"a" has no inputSchema; and 4 others']]);
    assert.deepEqual(outcome?.kind === 'finding' && outcome.evidence.tools, [
      { tool: 'a', reason: 'has no inputSchema' },
      { tool: 'entry 2', reason: 'has no name' },
      { tool: 'entry 3', reason: 'is no object' },
      { tool: 'c', reason: 'has an inputSchema of type "string"' },
      { tool: 'd', reason: 'has a description that is no text' },
    ]);
  });

  it('have schemas that do not compile', () => {
    const broken = { type: 'object', properties: { n: { type: 'nonsense' } } };
    const codes = said(checkTools([{ name: 'a', inputSchema: broken, outputSchema: broken }])).map(
      ([code]) => code,
    );
    assert.deepEqual(codes, ['input-schema-broken', 'output-schema-broken']);
  });

  it('have names of their own', () => {
    const tool = { name: 'a', inputSchema: schema };
    assert.deepEqual(said(checkTools([tool, tool])), [['tool-name-twice', '"a" stands there twice']]);
  });
});

describe('a catalog seen several times', () => {
  it('is the same, or makes every cached prompt worthless', () => {
    assert.deepEqual(said(checkConstancy(['x', 'x', 'x'], 'initialize')), [
      ['ok', 'the same in 3 launches with initialize'],
    ]);
    assert.deepEqual(said(checkConstancy(['x', 'y', 'x'], 'initialize')), [
      ['catalog-unstable', '2 different catalogs in 3 launches with initialize'],
    ]);
    assert.deepEqual(checkConstancy(['x'], 'initialize'), []);
  });

  it('is the same in both eras, with the same instructions', () => {
    const face = { instructions: 'Ask.', names: ['a', 'b'] };
    assert.deepEqual(said(checkEras(face, face)), [
      ['ok', 'the same tools and instructions whatever the handshake'],
    ]);
    assert.deepEqual(said(checkEras(face, { instructions: null, names: ['b', 'c'] })), [
      [
        'eras-differ',
        'instructions after initialize alone; tools after initialize alone: a; tools after server/discover alone: c',
      ],
    ]);
  });
});
