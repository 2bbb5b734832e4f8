/** Names: the examples of docs/doctor.md and their neighbours. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkNames } from './check-names.js';
import { isFinding } from './finding.js';
import { tellingWords, wordsOf } from './vocabulary.js';

const said = (server: string, ...tools: string[]) =>
  checkNames(server, tools)
    .filter(isFinding)
    .map(({ code, what }) => [code, what]);

describe('names', () => {
  it('that say what they hold are well', () => {
    assert.deepEqual(said('notes', 'search_notes', 'readNote'), []);
    assert.deepEqual(said('memory', 'read_graph', 'open_nodes'), []);
  });

  it('of server and tool that fit anything hide the tool', () => {
    assert.deepEqual(said('s1', 'query', 'get'), [
      ['full-name-vague', 'these names say nothing about what is behind: mcp__s1__query, mcp__s1__get'],
    ]);
    assert.deepEqual(said('my-mcp-server', 'run', 'search_invoices')[0]?.[0], 'full-name-vague');
  });

  it('of a tool may lean on that of the server', () => {
    assert.deepEqual(said('notes', 'search', 'read_note'), [
      ['tool-name-vague', 'this name says nothing about what is behind: search'],
    ]);
  });

  it('of a server alone are noted', () => {
    assert.deepEqual(said('tools', 'search_notes'), [
      ['server-name-vague', 'the server\'s name "tools" says nothing about what it holds'],
    ]);
  });

  it('of built-in tools are noted, however they are written', () => {
    assert.deepEqual(said('notes', 'Grep', 'web_search', 'read_note'), [
      ['tool-name-built-in', 'named like a built-in tool of Claude Code: Grep, web_search'],
    ]);
  });

  it('that providers refuse are warned about', () => {
    const refusal = (tool: string) => said('notes', tool).find(([code]) => code === 'tool-name-refused')?.[1];
    assert.equal(
      refusal('notes.search'),
      '"notes.search" has characters other than letters, digits, "_" and "-"',
    );
    assert.match(refusal(`${'note'.repeat(16)}s`) ?? '', /has 65 characters; OpenAI takes 64, Anthropic 128/);
    assert.equal(refusal('n'.repeat(64)), undefined);
    assert.match(
      checkNames('n'.repeat(70), ['note_'.repeat(12)])[0]?.what ?? '',
      /has 137 characters with mcp__n+__ before it; 128 are taken/,
    );
  });
});

describe('words', () => {
  it('come out of every way to write a name', () => {
    assert.deepEqual(wordsOf('searchNotes get_library-docs v2 a'), [
      'search',
      'note',
      'get',
      'library',
      'doc',
    ]);
    assert.deepEqual(wordsOf('queries classes boxes status this echoes'), [
      ...['query', 'class', 'box', 'status', 'thi', 'echo'],
    ]);
  });

  it('say something unless they fit every server', () => {
    assert.deepEqual(tellingWords('This server provides various tools and functions to access the data'), []);
    assert.deepEqual(tellingWords('Searches Markdown notes about llamas'), ['markdown', 'note', 'llama']);
  });
});
