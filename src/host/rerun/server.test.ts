/** Specification: how the other build of a server is named. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { serverSpec } from '../servers.js';
import { conditionOf, type ServerChoice, studyOfServer } from './server.js';

const NONE: ServerChoice = { command: [], headers: [], env_from: [] };
const CONDITION = conditionOf('optimized', undefined);

const spec = (choice: Partial<ServerChoice>, env = {}) =>
  serverSpec(studyOfServer({ ...NONE, ...choice }, '/work folder'), CONDITION, env, 'a trial/1');

describe('the other build', () => {
  it('is a command line, split into words, or words already', () => {
    const expected = { argv: ['node', 'my server.js'], env: {}, cwd: '/work folder' };
    assert.deepEqual(spec({ server: "node 'my server.js'" }), expected);
    assert.deepEqual(spec({ command: ['node', 'my server.js'] }), expected);
  });

  it('may be this program, and is told trial, condition and controls where it asks', () => {
    const { argv } = { argv: [''], ...spec({ server: 'measure serve replay latest --trial {trial}' }) };
    assert.equal(argv[0], process.execPath);
    assert.deepEqual(argv.slice(2), ['serve', 'replay', 'latest', '--trial', 'a trial/1']);
    assert.deepEqual({ argv: [], ...spec({ command: ['x', '{condition} {controls}'] }) }.argv, [
      'x',
      'optimized none',
    ]);
  });

  it('is handed the variables that are named, and no other', () => {
    const given = spec({ command: ['x'], env_from: ['TOKEN'] }, { TOKEN: 't', OTHER: 'o' });
    assert.deepEqual({ env: {}, ...given }.env, { TOKEN: 't' });
    assert.throws(() => spec({ command: ['x'], env_from: ['ANTHROPIC_API_KEY'] }), /SERVER_CREDENTIAL/);
  });

  it('is a URL, with headers whose values come from variables', () => {
    const choice = { server: ' https://example.com/mcp ', headers: ['Authorization=MCP_AUTH'] };
    assert.deepEqual(spec(choice, { MCP_AUTH: 'Bearer x' }), {
      url: 'https://example.com/mcp',
      headers: { Authorization: 'Bearer x' },
    });
    assert.throws(() => spec(choice), /^Problem: --server: SERVER_HEADER_UNSET: /);
  });

  it('is named once', () => {
    assert.throws(() => spec({}), /SERVER_REQUIRED/);
    assert.throws(() => spec({ server: '  ' }), /SERVER_REQUIRED/);
    assert.throws(() => spec({ server: 'a', command: ['b'] }), /SERVER_REQUIRED/);
    assert.throws(() => spec({ server: 'http://localhost/', command: ['b'] }), /SERVER_REQUIRED/);
  });

  it('takes headers with a URL only, each with the name of a variable', () => {
    assert.throws(() => spec({ command: ['x'], headers: ['A=B'] }), /SERVER_HEADER: headers go with a URL/);
    const server = 'http://localhost/';
    assert.throws(
      () => spec({ server, headers: ['A: B'] }),
      /SERVER_HEADER: "A: B" is no header and variable/,
    );
  });
});
