/** A sample of data/naming under the real Claude Code on loopback: recorded, graded, overridden and compared as a person does it. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { z } from 'zod';
import { findClaude } from '../host/claude-code/cli.js';
import { measure, newFolder, ROOT } from './run.test.support.js';

const claude = await findClaude(process.env.MEASURE_CLAUDE, process.env).catch(() => null);
const skip = claude === null ? 'Claude Code is not installed: name it with MEASURE_CLAUDE' : false;

const folder = newFolder();
after(() => rmSync(folder, { recursive: true, force: true }));

const rate = z.object({ count: z.number(), of: z.number(), trials: z.array(z.string()) });
const compared = z.object({
  verified: z.boolean(),
  trials: z.array(z.object({ trial: z.string(), verdict: z.string(), called: z.boolean() })),
  claude_code: z.object({
    use: z.array(z.object({ condition: z.string(), called: rate, right: rate })),
    tools: z.array(z.object({ tool: z.string(), origin: z.string() })),
    launches: z.array(z.object({ all: z.object({ launches: rate }) })),
  }),
});

describe('a sample of data/naming', { skip }, () => {
  it('is recorded, graded, and compared, with an override where the verdict is', async () => {
    const study = join(ROOT, 'data', 'naming');
    const sample = ['--trials', '8', '--seed', '3', '--concurrency', '2'];
    const recorded = await measure(['record', study, ...sample], folder);
    assert.equal(recorded.code, 0, recorded.stderr);
    const graded = await measure(['grade'], folder);
    assert.match(graded.stdout, /^task +condition +verdict +called +execution +answer/m);
    const before = compared.parse(JSON.parse((await measure(['compare', '--json'], folder)).stdout));
    const { use, tools, launches } = before.claude_code;
    assert.equal(before.verified, true);
    assert.deepEqual(
      use.map(({ condition, called, right }) => [condition, called.of, right.of]),
      ['clear', 'vague', 'vague-instructions', 'clear-upfront'].map((name) => [name, 2, 2]),
    );
    const calledTrials = before.trials.filter(({ called }) => called).map(({ trial }) => trial);
    assert.deepEqual(use.flatMap(({ called }) => called.trials).sort(), calledTrials.sort());
    assert.deepEqual(
      launches.map(({ all }) => all.launches.count),
      [2, 2, 2, 2],
    );
    assert.ok(tools.some(({ tool, origin }) => tool === 'mcp__notes__search_notes' && origin === 'server'));
    const [trial = ''] = use.flatMap(({ right }) => right.trials);
    const guess = ['--verdict', 'fail', '--reason', 'a guess', '--author', 'Ada'];
    assert.equal((await measure(['override', 'latest', trial, ...guess], folder)).code, 0);
    const shown = await measure(['compare'], folder);
    assert.ok(shown.stdout.includes(`${trial}: override: fail by Ada: a guess`));
    assert.equal((await measure(['grade'], folder)).code, 1);
  });
});
