/** The command of a condition's server, with its placeholders filled in. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sha256 } from '../events/bytes.js';
import { loadStudy } from '../study/load.js';
import { PROGRAM, serverCommand } from './servers.js';
import { writeStudy } from './study.test.support.js';

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
    const [bare, full] = study.conditions.map((condition) => serverCommand(study, condition));
    const rows = join(folder, 'snapshot.json');
    assert.deepEqual(bare?.argv, [
      ...[process.execPath, PROGRAM, 'serve', rows, sha256('[]'), 'none/bare', '{"a":{ b }}'],
    ]);
    assert.equal(full?.argv[5], 'count,cache/full');
    assert.deepEqual(bare?.env, { PATH: process.env.PATH, A: '{snapshot}' });
    assert.equal(bare?.cwd, folder);
  });
});
