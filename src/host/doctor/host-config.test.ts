/** Configuration files of hosts, as people have them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { expand, patientsOf } from './host-config.js';

const folder = mkdtempSync(join(tmpdir(), 'measure-config-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, '.mcp.json');

function read(content: unknown, only: string | null = null, variables = {}) {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return patientsOf(file, only, variables);
}

const servers = {
  notes: { command: 'node', args: [`\${ROOT:-.}/notes.js`, '--dir', `\${DIR}`], env: { KEY: `\${KEY}` } },
  web: { type: 'http', url: `https://\${HOST}/mcp`, headers: { Authorization: `Bearer \${TOKEN}` } },
};

describe('a configuration file', () => {
  it('names commands and URLs, with variables filled in', () => {
    const variables = { DIR: 'd', KEY: 'k', HOST: 'example.com', TOKEN: 't' };
    assert.deepEqual(read({ mcpServers: servers }, null, variables), [
      {
        name: 'notes',
        spec: { argv: ['node', './notes.js', '--dir', 'd'], env: { KEY: 'k' }, cwd: folder },
        outcomes: [],
        ...{ written: `node \${ROOT:-.}/notes.js --dir \${DIR}`, secrets: [] },
      },
      {
        name: 'web',
        spec: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer t' } },
        outcomes: [],
        ...{ written: null, secrets: [] },
      },
    ]);
  });

  it('has variables that are not set: they stay as they stand, and it is said', () => {
    const [notes] = read({ mcpServers: servers }, 'notes', { DIR: 'd' });
    assert.deepEqual(notes?.spec, {
      argv: ['node', './notes.js', '--dir', 'd'],
      env: { KEY: `\${KEY}` },
      cwd: folder,
    });
    assert.deepEqual(
      notes?.outcomes.map(({ what }) => what),
      ['not set here: KEY'],
    );
  });

  it('may call them as VS Code does, and leave some out for now', () => {
    const off = { ...servers.notes, disabled: true };
    assert.deepEqual(
      read({ servers: { ...servers, notes: off } }).map(({ name }) => name),
      ['web'],
    );
    assert.equal(read({ servers: { notes: off } }, 'notes')[0]?.name, 'notes');
    assert.throws(() => read({ servers: { notes: off } }), { message: /every server is disabled/ });
  });

  it('may name secrets, which are not to be shown', () => {
    const [notes] = read({ mcpServers: servers }, 'notes', { DIR: 'd', KEY: 'sk-live-1', HOME: '/home/me' });
    assert.deepEqual(notes?.secrets, [{ name: 'KEY', text: 'sk-live-1' }]);
  });

  it('has to have the server that is asked for', () => {
    assert.throws(() => read({ mcpServers: servers }, 'nots'), {
      message: /UNKNOWN_SERVER: no server is called nots: use one of: notes, web$/,
    });
    assert.throws(() => read({ mcpServers: {} }), { message: /no server stands under mcpServers/ });
  });

  it('that is none is refused with its line', () => {
    assert.throws(() => read('{"mcpServers":\n{"a": 5}}'), {
      code: 'INVALID_CONFIG',
      message: /:2: INVALID_CONFIG/,
    });
    assert.throws(() => read('{"server": {}}'), { code: 'INVALID_CONFIG' });
    assert.throws(() => read({ mcpServers: { a: {} } }), { message: /"a" has neither a command nor a url/ });
    assert.throws(() => patientsOf(join(folder, 'none.json'), null, {}), { code: 'INPUT_MISSING' });
  });
});

describe('variables', () => {
  it('are filled in with a value or a default, and nothing else is touched', () => {
    const unset = new Set<string>();
    assert.equal(expand(`\${A}-\${B:-b}-\${C:-}-$A-\${1}`, { A: 'a' }, unset), `a-b--$A-\${1}`);
    assert.equal(expand(`\${A:-x}`, { A: '' }, unset), '');
    assert.equal(expand(`\${A}`, { A: `\${B}` }, unset), `\${B}`);
    assert.deepEqual([...unset], []);
  });
});
