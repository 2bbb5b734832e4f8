/** `npm start`: the records experiment from a fresh clone: record, replay, grade, compare. */
import { spawnSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { build } from './build.mjs';
import { must, ROOT } from './install.mjs';

await build();
const measure = join(ROOT, 'bin', 'run.js');
const run = (...args) => must(process.execPath, [measure, ...args]);

const study = join('data', 'context-controls');
const recorded = spawnSync(process.execPath, [measure, 'record', study, '--json'], {
  cwd: ROOT,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (recorded.status !== 0) {
  process.stdout.write(recorded.stdout);
  process.exit(recorded.status ?? 3);
}
const { run: id, log } = JSON.parse(recorded.stdout);
const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };
must(process.execPath, [measure, 'replay', id], quiet);
must(process.execPath, [measure, 'grade', id], quiet);
run('compare', id);
process.stdout.write(`
every request to the model was rebuilt from the log, byte for byte
log: ${relative(process.cwd(), log)}

try next:
  npx measure replay latest
  npx measure sql "SELECT condition, sum(model_facing_bytes) AS bytes FROM trials WHERE purpose = 'trial' GROUP BY condition ORDER BY bytes"
  npx measure init my-study
`);
