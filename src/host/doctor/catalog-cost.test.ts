/** The cost of a catalog: parts that sum to what was sent, to the byte. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { catalogCost, PARTS } from './catalog-cost.js';

const TOOL =
  '{"name":"search_notes","description":"Sucht Notizen: \\u00e9é","inputSchema":{ "type" : "object" },"extra":12345678901234567890}';
const PAGE = `{"jsonrpc":"2.0","id":1,"result":{"tools":[${TOOL}, {"name":"b"}],"nextCursor":"x"}}`;
const LAST = '{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}';

const cost = catalogCost([Buffer.from(PAGE), Buffer.from(LAST)], 'Ask.', 'my notes');
const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);

describe('the cost of a catalog', () => {
  it('is of the bytes that were sent, escapes, blanks and digits as they were', () => {
    const [row] = cost.rows;
    assert.deepEqual(
      PARTS.map((part) => row?.[part].bytes),
      [14, 25, 21, 0, 68],
    );
    assert.equal(row?.whole.bytes, Buffer.byteLength(TOOL));
  });

  it('sums to the whole, in bytes and in tokens', () => {
    assert.equal(cost.whole.bytes, Buffer.byteLength(PAGE) + LAST.length);
    assert.equal(cost.tools.whole.bytes + cost.around.bytes, cost.whole.bytes);
    assert.equal(total(cost.rows.map(({ whole }) => whole.bytes)), cost.tools.whole.bytes);
    assert.equal(total(PARTS.map((part) => cost.tools[part].bytes)), cost.tools.whole.bytes);
    assert.equal(total(PARTS.map((part) => cost.tools[part].tokens)), cost.tools.whole.tokens);
    assert.equal(cost.tools.whole.tokens + cost.around.tokens, cost.whole.tokens);
    assert.equal(cost.pages, 2);
  });

  it('upfront is what a model is offered, deferred the names and the instructions', () => {
    const offered = JSON.stringify({
      name: 'search_notes',
      description: 'Sucht Notizen: éé',
      input_schema: { type: 'object' },
    });
    assert.equal(cost.upfront.bytes, Buffer.byteLength(offered) + 'Ask.'.length);
    assert.equal(cost.deferred.bytes, 'mcp__my_notes__search_notes\nmcp__my_notes__b'.length + 'Ask.'.length);
    assert.deepEqual([cost.names.bytes, cost.instructions.bytes], ['search_notes\nb'.length, 4]);
  });

  it('deferred has the whole of a tool that asks to be loaded always', () => {
    const tool = { name: 'a', inputSchema: { type: 'object' }, _meta: { 'anthropic/alwaysLoad': true } };
    const reply = Buffer.from(JSON.stringify({ result: { tools: [tool] } }));
    const marked = catalogCost([reply], null, 's');
    assert.deepEqual(marked.always_loaded, ['a']);
    assert.equal(marked.deferred.bytes, marked.upfront.bytes);
  });

  it('counts entries that are no tools, too', () => {
    const odd = catalogCost([Buffer.from('{"result":{"tools":["x",{"name":5}]}}')], null, 's');
    assert.deepEqual(
      odd.rows.map(({ tool, whole }) => [tool, whole.bytes]),
      [
        ['(no name)', 3],
        ['(no name)', 10],
      ],
    );
  });
});
