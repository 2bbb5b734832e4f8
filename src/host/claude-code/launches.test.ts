/** How launches end, and what is made of that: with stand-ins for the command, which do what it was seen to do. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { folderFor, only, typesOf } from '../study.test.support.js';
import { fakeClaude, recordClaude, workFolders, writeClaudeStudy } from './claude.test.support.js';

after(() => assert.deepEqual(workFolders(), []));

/** Counts its launches in a file, so that one can differ from the next. */
const counting = (file: string) =>
  `const n = existsSync('${file}') ? Number(readFileSync('${file}', 'utf8')) + 1 : 1; writeFileSync('${file}', String(n));`;

const bare = { conditions: { bare: {} } };
const key = { tasks: ['key'] };

describe('a launch that gives nothing', { concurrency: 2 }, () => {
  it('is followed by another, and both are in the log', async (test) => {
    const count = join(folderFor(test), 'count');
    const claude = fakeClaude(
      test,
      `${counting(count)} if (n === 1) process.exit(2); init(); answer("Yes.");`,
    );
    const { receipt, events } = await recordClaude(test, writeClaudeStudy(test, bare), { claude, ...key });
    assert.deepEqual(typesOf(events), [
      ...['trial_open', 'launch', 'launch_end', 'launch', 'model_turn', 'launch_end', 'close'],
    ]);
    assert.deepEqual(
      receipt.attempts[0]?.launches.map(({ launch, outcome, exit_code }) => [launch, outcome, exit_code]),
      [
        [1, 'no_output', 2],
        [2, 'answered', 0],
      ],
    );
    const homes = only(events, 'launch').map(({ settings }) => settings.HOME);
    assert.notEqual(homes[0], homes[1]);
  });

  it('is not followed for ever', async (test) => {
    const claude = fakeClaude(test, 'console.error("not today"); process.exit(2)');
    const study = writeClaudeStudy(test, bare, { launch_retries: 1 });
    const { receipt } = await recordClaude(test, study, { claude, ...key });
    const [trial] = receipt.attempts;
    assert.deepEqual([trial?.status, trial?.failure], ['failed', 'HOST_NO_OUTPUT']);
    assert.deepEqual(
      trial?.launches.map(({ outcome }) => outcome),
      ['no_output', 'no_output'],
    );
  });

  it('because it cannot be started says why', async (test) => {
    const claude = fakeClaude(test, 'init(); answer("Yes.");');
    const study = writeClaudeStudy(test, { ...bare, system: 'x'.repeat(200_000) }, { launch_retries: 0 });
    const { receipt } = await recordClaude(test, study, { claude, ...key });
    const [trial] = receipt.attempts;
    assert.deepEqual([trial?.failure, trial?.closed?.how], ['HOST_START_FAILED', 'not_started']);
    assert.match(trial?.message ?? '', /could not be started: .*E2BIG/);
  });
});

describe('a launch', { concurrency: 2 }, () => {
  it('that takes too long is ended, and is no answer', async (test) => {
    const claude = fakeClaude(test, 'init(); setInterval(() => 0, 1e3)');
    const study = writeClaudeStudy(test, bare, { trial_timeout_ms: 2000 });
    const { receipt } = await recordClaude(test, study, { claude, ...key });
    const [trial] = receipt.attempts;
    assert.deepEqual([trial?.failure, trial?.closed?.how], ['HOST_TIMEOUT', 'sigterm']);
    assert.deepEqual(
      trial?.launches.map(({ outcome }) => outcome),
      ['timeout'],
    );
  });

  it('finds an empty working folder and a home of its own, and leaves neither', async (test) => {
    const report = join(folderFor(test), 'report');
    const claude = fakeClaude(
      test,
      `const { readdirSync } = require('node:fs');
       appendFileSync('${report}', JSON.stringify([process.cwd(), readdirSync('.'), readdirSync(process.env.HOME), process.env.HOME]) + '\\n');
       writeFileSync('left', ''); writeFileSync(process.env.HOME + '/left', ''); init(); answer("Yes.");`,
    );
    await recordClaude(test, writeClaudeStudy(test, bare), { claude, ...key, repetitions: 2 });
    const [one, two] = readFileSync(report, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual([one[1], one[2], two[1], two[2]], [[], [], [], []]);
    assert.equal(one[0], two[0]);
    assert.notEqual(one[3], two[3]);
    assert.deepEqual([existsSync(one[0]), existsSync(one[3]), existsSync(two[3])], [false, false, false]);
  });

  it('keeps what it printed whole, without what must not be kept', async (test) => {
    const claude = fakeClaude(
      test,
      'init(); console.error("key: " + process.env.ANTHROPIC_AUTH_TOKEN); answer("Yes.");',
    );
    const env = { PATH: process.env.PATH, ANTHROPIC_AUTH_TOKEN: 'tok-0123456789-abcdef' };
    const study = writeClaudeStudy(test, { ...bare, model: 'm' });
    const { events, store } = await recordClaude(test, study, { claude, env, ...key });
    const [end] = only(events, 'launch_end');
    const kept = (name: string) => {
      const { blob = '' } = end?.evidence.find((each) => each.name === name) ?? {};
      return readFileSync(join(store, blob), 'utf8');
    };
    assert.equal(kept('stderr'), 'key: [redacted: ANTHROPIC_AUTH_TOKEN]\n');
    assert.equal(kept('stream').split('\n').length, 3);
    assert.equal(end?.stderr_tail, 'key: [redacted: ANTHROPIC_AUTH_TOKEN]\n');
    assert.ok(only(events, 'launch')[0]?.env_names.includes('ANTHROPIC_AUTH_TOKEN'));
  });
});

describe('a version that changes in the middle of a run', () => {
  it('stops the run: nothing is asked of another program', async (test) => {
    const claude = fakeClaude(
      test,
      `init(); answer("Yes."); appendFileSync(__filename, '\\n// updated\\n');`,
    );
    const study = writeClaudeStudy(test, bare);
    const { receipt } = await recordClaude(test, study, { claude, ...key, repetitions: 3 });
    assert.deepEqual(
      receipt.attempts.map(({ status, failure, launches }) => [status, failure, launches.length]),
      [
        ['completed', null, 1],
        ['failed', 'HOST_VERSION_CHANGED', 0],
        ['skipped', 'PRIOR_FAILURE', 0],
      ],
    );
    assert.match(
      receipt.attempts[1]?.message ?? '',
      /2\.1\.332 \(.{12}\) when the run began; it is 2\.1\.332/,
    );
    assert.deepEqual([receipt.status, receipt.failure], ['failed', 'HOST_VERSION_CHANGED']);
  });

  it('is seen in what the program says of itself, too', async (test) => {
    const claude = fakeClaude(test, `init({ claude_code_version: '2.1.999' }); answer("Yes.");`);
    const { receipt } = await recordClaude(test, writeClaudeStudy(test, bare), { claude, ...key });
    assert.equal(receipt.attempts[0]?.failure, 'HOST_VERSION_CHANGED');
    assert.match(receipt.attempts[0]?.message ?? '', /2\.1\.332 .*2\.1\.999/);
  });
});

describe('trials side by side', () => {
  it('have working folders of their own; those that share a home go one after another', async (test) => {
    const report = join(folderFor(test), 'report');
    const claude = fakeClaude(
      test,
      `const lock = process.env.HOME + '/under-way';
       appendFileSync('${report}', existsSync(lock) ? 'together\\n' : 'alone\\n'); writeFileSync(lock, '');
       setTimeout(() => { require('node:fs').rmSync(lock); init(); answer("Yes."); }, 300);`,
    );
    const study = writeClaudeStudy(test, { conditions: { kept: { home: 'kept' } } });
    const { receipt } = await recordClaude(test, study, { claude, ...key, repetitions: 3, concurrency: 3 });
    assert.deepEqual(
      receipt.attempts.map(({ status }) => status),
      ['completed', 'completed', 'completed'],
    );
    assert.equal(readFileSync(report, 'utf8'), 'alone\n'.repeat(3));
  });
});
