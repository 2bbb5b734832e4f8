/** `measure rerun` as a user meets it: what is printed, and which exit code follows. */
import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { measure, newFolder, STUDY } from '../../cli/run.test.support.js';

const folder = newFolder();
const data = (name: string) => join(STUDY, name);
let run = '';

before(async () => {
  await measure(['record', STUDY, '--condition', 'optimized', '--task', 'lookup', '--seed', '7'], folder);
  run = readdirSync(join(folder, 'runs')).find((name) => name.includes('context-controls')) ?? '';
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe('measure rerun', () => {
  it('finds nothing where the new build answers as the old one did', async () => {
    const server = `measure serve replay ${run} --trial {trial} --store '${join(folder, 'runs')}'`;
    const rules = ['--fail-if', 'result-changed', '--fail-if', 'bytes', '--fail-if', 'evidence-lost'];
    const { code, stdout, stderr } = await measure(['rerun', run, '--server', server, ...rules], folder);
    assert.match(stdout, /^4 calls: 4 same, 0 changed, 0 fail now, 0 work now$/m);
    assert.match(stdout, /^rule evidence-lost: holds \(0\)$/m);
    assert.match(stderr, /^trial probe\/warm_cache: completed$/m);
    assert.equal(code, 0);
  });

  it('exits with 1 where a rule is broken, and tells all of it as JSON', async () => {
    const files = [
      '--snapshot',
      data('snapshot.json'),
      '--fields',
      data('fields.json'),
      '--controls',
      'none',
    ];
    const args = ['rerun', run, '--trial', 'lookup/optimized/plain/1', '--fail-if', 'tool-gone', '--json'];
    const { code, stdout } = await measure([...args, '--', 'measure', 'serve', 'records', ...files], folder);
    const { recorded_run, calls, catalogs, rules } = JSON.parse(stdout);
    assert.deepEqual([code, recorded_run], [1, run]);
    assert.deepEqual(
      calls.map(({ tool, outcome }: { tool: string; outcome: string }) => [tool, outcome]),
      [
        ['find_records', 'fails_now'],
        ['exact_record', 'same'],
      ],
    );
    assert.deepEqual(
      [catalogs[0].gone, rules],
      [['find_records', 'count_by_field'], [{ rule: 'tool-gone', verdict: 'broken', found: '2' }]],
    );
  });

  it('exits with 2 for a rule that is none, and lists those that are', async () => {
    const { code, stderr } = await measure(['rerun', run, '--server', 'x', '--fail-if', 'cost'], folder);
    assert.equal(code, 2);
    assert.match(stderr, /^RULE_UNKNOWN: .*evidence-lost/m);
  });

  it('exits with 3 where the server does not start', async () => {
    const args = ['rerun', run, '--server', 'no-such-program', '--fail-if', 'error'];
    const { code, stdout } = await measure(args, folder);
    assert.equal(code, 3);
    assert.match(stdout, /^NOT FINISHED: \S+: SERVER_START_FAILED: .*\nNOT BEGUN: 1 more trial$/m);
    assert.match(stdout, /^rule error: undecided \(nothing to compare\)$/m);
  });
});
