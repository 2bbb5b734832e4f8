/** Instructions and descriptions: the examples of docs/doctor.md and their neighbours. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkDescriptions, checkInstructions } from './check-texts.js';
import type { Outcome } from './finding.js';

const said = (outcomes: Outcome[]) =>
  outcomes.map((outcome) => [outcome.kind === 'finding' ? outcome.code : outcome.kind, outcome.what]);
const codes = (text: string | null) => said(checkInstructions(text)).map(([code]) => code);

const GOOD = 'Searches local Markdown notes about llamas. Use it when the user asks about their notes.';

describe('instructions', () => {
  it('that say what there is and when to use it are well', () => {
    assert.deepEqual(said(checkInstructions(GOOD)), [
      [
        'ok',
        'instructions of 15 words say what and when: "Searches local Markdown notes about llamas. Use it when the …"',
      ],
    ]);
  });

  it('that are not there, or blank, are missed', () => {
    assert.deepEqual([codes(null), codes(' \n')], [['no-instructions'], ['no-instructions']]);
  });

  it('that fit any server are vague, with the words that were counted', () => {
    assert.deepEqual(said(checkInstructions('A server for notes.')), [
      ['instructions-vague', '3 words, fewer than 8: "A server for notes."'],
    ]);
    const text = 'This server provides various tools. Use the tools of this server when you need data.';
    assert.deepEqual(said(checkInstructions(text))[0], [
      ...['instructions-vague', `0 words of 15 would not fit any other server: "${text.slice(0, 60)}…"`],
    ]);
  });

  it('that do not say when are noted', () => {
    assert.deepEqual(codes('Full-text search over local Markdown notes about llamas and their wool.'), [
      'instructions-no-when',
    ]);
  });

  it('that Claude Code would cut are noted', () => {
    assert.deepEqual(said(checkInstructions(GOOD + ' wool'.repeat(500))), [
      ['instructions-long', 'the instructions have 2,588 characters'],
    ]);
  });

  it('in another script are not judged by English words', () => {
    assert.deepEqual(codes('ユーザーのローカルMarkdownノートを検索します。'), ['ok']);
  });
});

describe('descriptions', () => {
  const query = {
    type: 'object',
    properties: { query: { type: 'string', description: 'Words to look for' } },
  };
  const search = {
    name: 'search_notes',
    description: 'Full-text search over Markdown notes; returns titles and snippets.',
  };

  it('of tools and of parameters are well where they are there', () => {
    assert.deepEqual(said(checkDescriptions([{ ...search, inputSchema: query }])), [
      ['ok', '1 tool, each described, with its parameters (66 B)'],
    ]);
  });

  it('are missed by name', () => {
    assert.deepEqual(said(checkDescriptions([{ name: 'a' }, { name: 'b', description: ' ' }, search])), [
      ['description-missing', 'no description: a, b'],
    ]);
  });

  it('that say the name again are quoted', () => {
    const tools = [
      { name: 'query', description: 'Runs a query.' },
      { name: 'get', description: 'Gets an item by path.' },
    ];
    assert.deepEqual(said(checkDescriptions(tools)), [
      ['description-repeats-name', 'little beside the name: query: "Runs a query.", and 1 other'],
    ]);
  });

  it('of parameters are missed by tool and name', () => {
    const inputSchema = {
      type: 'object',
      properties: { query: { type: 'string' }, limit: { description: 'Rows' } },
    };
    assert.deepEqual(said(checkDescriptions([{ ...search, inputSchema }])), [
      ['parameters-undescribed', '1 parameter without description: search_notes.query'],
    ]);
  });
});
