/** The command of a condition's server, with its placeholders filled in. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sha256 } from '../events/bytes.js';
import { loadStudy } from '../study/load.js';
import type { CommandSpec, ServerSpec } from './mcp.js';
import { PROGRAM, serverSecrets, serverSpec } from './servers.js';
import { writeStudy } from './study.test.support.js';

/** The spec of a command. */
function commandOf(spec: ServerSpec): CommandSpec {
  return 'argv' in spec ? spec : assert.fail('it is a URL');
}

describe('the command of a server', () => {
  it('has paths, hashes, controls and the like in place of their names, and no more than that', (test) => {
    const command = [
      'measure',
      'serve',
      '{snapshot}',
      '{snapshot_sha256}',
      '{controls}/{condition}',
      '{"a":{ b }}',
    ];
    const folder = writeStudy(test, {
      servers: { tools: { command, env: { A: '{snapshot}' }, env_from: ['MEASURE_TEST_ABSENT', 'PATH'] } },
      conditions: { bare: { server: 'tools' }, full: { server: 'tools', controls: ['count', 'cache'] } },
    });
    const study = loadStudy(folder);
    const [bare, full] = study.conditions.map((condition) =>
      commandOf(serverSpec(study, condition, process.env)),
    );
    const rows = join(folder, 'snapshot.json');
    assert.deepEqual(bare?.argv, [
      ...[process.execPath, PROGRAM, 'serve', rows, sha256('[]'), 'none/bare', '{"a":{ b }}'],
    ]);
    assert.equal(full?.argv[5], 'count,cache/full');
    assert.deepEqual(bare?.env, { PATH: process.env.PATH, A: '{snapshot}' });
    assert.equal(bare?.cwd, folder);
  });
});

describe('a server behind a URL', () => {
  const servers = {
    tools: { url: 'http://localhost:1/{trial}', headers_from: { Authorization: 'MEASURE_TEST_TOKEN' } },
  };

  it('is reached with headers out of the environment, whose values are secrets', (test) => {
    const study = loadStudy(writeStudy(test, { servers }));
    const [condition] = study.conditions;
    assert.ok(condition !== undefined);
    const env = { MEASURE_TEST_TOKEN: 'Bearer abcdefgh-1' };
    assert.deepEqual(serverSpec(study, condition, env, 't/only/plain/1'), {
      url: 'http://localhost:1/t/only/plain/1',
      headers: { Authorization: 'Bearer abcdefgh-1' },
    });
    assert.deepEqual(serverSecrets(study, env), [
      { name: 'MEASURE_TEST_TOKEN', text: 'Bearer abcdefgh-1' },
      { name: 'MEASURE_TEST_TOKEN', text: 'abcdefgh-1' },
    ]);
    assert.throws(() => serverSpec(study, condition, {}), { code: 'SERVER_HEADER_UNSET' });
  });

  it('cannot be a command too, and is not handed the credential of the model', (test) => {
    const both = { tools: { url: 'http://localhost:1', command: ['node'] } };
    assert.throws(() => loadStudy(writeStudy(test, { servers: both })), {
      message: /study.json:\d+: INVALID_STUDY: `servers.tools` has exactly one of `command` and `url`/,
    });
    const key = {
      tools: { url: 'http://localhost:1', headers_from: { Authorization: 'ANTHROPIC_API_KEY' } },
    };
    const study = loadStudy(writeStudy(test, { servers: key }));
    const [condition] = study.conditions;
    assert.ok(condition !== undefined);
    assert.throws(() => serverSpec(study, condition, {}), { code: 'SERVER_CREDENTIAL' });
  });
});
