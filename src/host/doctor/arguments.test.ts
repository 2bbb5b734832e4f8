/** What the command line may ask for. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { patientsFrom, wishFrom } from './arguments.js';

describe('the command line', () => {
  it('has a command, with the variables that it is given', () => {
    const env = ['A=1=2', 'B'];
    assert.deepEqual(patientsFrom(['node', 's.js', '--x'], { env, name: 'notes' }, { B: 'b', C: 'c' }), [
      {
        name: 'notes',
        spec: { argv: ['node', 's.js', '--x'], env: { A: '1=2', B: 'b' }, cwd: process.cwd() },
        ...{ outcomes: [], written: null, secrets: [] },
      },
    ]);
  });

  it('or a URL, with headers whose secrets stand in variables', () => {
    const header = [`Authorization: Bearer \${TOKEN}`];
    assert.deepEqual(patientsFrom(['https://example.com/mcp'], { header }, { TOKEN: 't' }), [
      {
        name: null,
        spec: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer t' } },
        ...{ outcomes: [], written: null, secrets: [] },
      },
    ]);
  });

  it('or a configuration file, and exactly one of the three', () => {
    const refused = (argv: string[], choice: Parameters<typeof patientsFrom>[1]) =>
      assert.throws(() => patientsFrom(argv, choice, {}), { code: 'USAGE', exit: 2 });
    refused([], {});
    refused(['node'], { config: '.mcp.json' });
    refused([], { config: '.mcp.json', env: ['A=1'] });
    refused(['node'], { header: ['a: b'] });
    refused(['https://example.com'], { env: ['A=1'] });
    refused(['https://example.com'], { header: ['nothing'] });
    refused(['https://example.com'], { header: [`a: \${NOT_SET}`] });
    refused(['node'], { env: ['NOT_SET'] });
    for (const address of ['http://[bad', 'ftp://example.com/mcp'])
      assert.throws(() => patientsFrom([address], {}, {}), { code: 'SERVER_URL', exit: 2 });
  });

  it('may ask for one call of one server', () => {
    assert.equal(wishFrom({}, 3), null);
    assert.deepEqual(wishFrom({ call: 'add', arguments: '{"n":1}' }, 1), {
      tool: 'add',
      arguments: { n: 1 },
    });
    assert.deepEqual(wishFrom({ call: 'add' }, 1), { tool: 'add', arguments: {} });
    assert.throws(() => wishFrom({ call: 'add', arguments: '[1]' }, 1), { code: 'USAGE' });
    assert.throws(() => wishFrom({ call: 'add' }, 2), { code: 'USAGE' });
  });
});
