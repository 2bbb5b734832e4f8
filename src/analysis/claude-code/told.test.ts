/** What a model was told of a server that was not connected, out of transcripts that are made up in the shape of real ones. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupTold, toldIn } from './told.js';

const line = (value: unknown) => JSON.stringify(value);
const sent = (text: string) =>
  line({ type: 'api-request-blob', message: { role: 'system', content: [{ type: 'text', text }] } });
const FAILED = 'The following MCP servers are configured but failed to connect:\nnotes (CONNECTION_CLOSED)';

describe('what a transcript says of a server', () => {
  it('is each paragraph about its connection, once', () => {
    const transcript = [
      line({
        type: 'user',
        message: { role: 'user', content: 'Check my notes. Did an MCP server connect?' },
      }),
      sent(`# Environment\n\n${FAILED}\n\nThe following skills are there.`),
      sent(FAILED),
    ].join('\n');
    assert.deepEqual(toldIn(transcript, 'notes'), ['Check my notes. Did an MCP server connect?', FAILED]);
  });

  it('is nothing where no paragraph names the server', () => {
    assert.deepEqual(toldIn(sent(FAILED), 's1'), []);
    assert.deepEqual(toldIn(sent(FAILED.replace('notes', 'my-notes')), 'notes'), []);
    assert.deepEqual(toldIn(sent('Servers of notes failed to connect.'), 'notes'), []);
  });

  it('is not what the model says of it', () => {
    assert.deepEqual(toldIn(line({ type: 'assistant', message: { content: FAILED } }), 'notes'), []);
  });

  it('is read as far as lines are JSON', () => {
    assert.deepEqual(toldIn(`${sent(FAILED)}\n{"type":"user","mess`, 'notes'), [FAILED]);
    assert.deepEqual(toldIn('', 'notes'), []);
  });
});

describe('trials by what they were told', () => {
  it('stand together, the most frequent first, and those that were told nothing too', () => {
    const trials = [
      { trial: 'a', told: ['x', 'y'] },
      { trial: 'b', told: [] },
      { trial: 'c', told: [] },
    ];
    assert.deepEqual(groupTold(trials), [
      { text: null, trials: ['b', 'c'] },
      { text: 'x\n\ny', trials: ['a'] },
    ]);
  });
});
