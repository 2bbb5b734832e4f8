/** `measure --version` against a bare `node -e 0`, interleaved in one run: at most 2.5 times. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const GOAL = 2.5;
const ROUNDS = 15;
const measure = fileURLToPath(new URL('../bin/run.js', import.meta.url));

function timed(args) {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} exited with ${status}`);
  return performance.now() - started;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const bare = [];
const ours = [];
for (let round = 0; round < ROUNDS; round += 1) {
  bare.push(timed(['-e', '0']));
  ours.push(timed([measure, '--version']));
}
const ratio = median(ours) / median(bare);
console.log(
  `node -e 0: ${median(bare).toFixed(0)} ms; measure --version: ${median(ours).toFixed(0)} ms (medians of ${ROUNDS})`,
);
console.log(`ratio ${ratio.toFixed(2)}, goal at most ${GOAL}`);
process.exitCode = ratio <= GOAL ? 0 : 1;
