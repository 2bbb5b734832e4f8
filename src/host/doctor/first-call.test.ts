/** Which tool may be called on a server that nobody here knows. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseCall } from './first-call.js';

const reads = { readOnlyHint: true };
const free = { type: 'object' };
const needy = { type: 'object', required: ['query'] };

describe('the first call', () => {
  it('is the first tool that says that it only reads, and needs nothing', () => {
    const tools = [
      { name: 'delete_all', inputSchema: free },
      { name: 'search', annotations: reads, inputSchema: needy },
      { name: 'list_notes', annotations: reads, inputSchema: free },
    ];
    assert.deepEqual(chooseCall(tools, null).call, { tool: 'list_notes', arguments: {}, repeatable: true });
  });

  it('is none where a tool might change something, and says why', () => {
    const silent = [{ name: 'list_notes', inputSchema: free }];
    assert.match(chooseCall(silent, null).why ?? '', /no tool is annotated readOnlyHint: true/);
    const hint = [{ name: 'list', annotations: { readOnlyHint: 'yes' }, inputSchema: free }];
    assert.equal(chooseCall(hint, null).call, null);
  });

  it('is none where arguments would have to be guessed', () => {
    const tools = [{ name: 'search', annotations: reads, inputSchema: needy }];
    assert.match(chooseCall(tools, null).why ?? '', /needs arguments; use --call and --arguments/);
    assert.match(chooseCall([], null).why ?? '', /lists no tool/);
  });

  it('is the one that the user names, once, unless it only reads', () => {
    const wish = { tool: 'add', arguments: { n: 1 } };
    const writes = [{ name: 'add', inputSchema: free }];
    assert.deepEqual(chooseCall(writes, wish).call, { ...wish, repeatable: false });
    assert.equal(chooseCall([{ name: 'add', annotations: reads }], wish).call?.repeatable, true);
    assert.match(chooseCall([], wish).why ?? '', /lists no tool add/);
  });
});
