/** `npm start`: the records experiment from a fresh clone: record, replay, grade, compare. */
import { spawn } from 'node:child_process';
import { join, relative } from 'node:path';
import { build } from './build.mjs';
import { ROOT } from './install.mjs';

await build();
const measure = join(ROOT, 'bin', 'run.js');

/** Runs a command of measure; resolves with what it printed, or ends this process with its exit code. */
function run(args, { show = false } = {}) {
  return new Promise((resolve) => {
    const stdio = ['inherit', show ? 'inherit' : 'pipe', 'inherit'];
    const child = spawn(process.execPath, [measure, ...args], { cwd: ROOT, stdio });
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.on('close', (code, signal) => {
      const text = Buffer.concat(chunks).toString('utf8');
      if (code === 0) return resolve(text);
      process.stdout.write(text);
      process.exit(code ?? (signal === 'SIGINT' ? 130 : 3));
    });
  });
}

// The scripted model, whatever the environment says: this command costs nothing.
const recorded = await run(['record', join('data', 'context-controls'), '--host', 'scripted']);
const [, id, log] = /^run (\S+): [\s\S]*^log: (.*)$/m.exec(recorded) ?? [];
// Both only read the log; two processors are there to be used.
await Promise.all([run(['replay', id]), run(['grade', id])]);
await run(['compare', id], { show: true });
process.stdout.write(`
Every request to the model was rebuilt from the log, byte for byte.
log: ${relative(process.cwd(), log)}

Try next:
  npx measure replay latest
  npx measure sql "SELECT condition, usage_source, sum(input_tokens) AS tokens FROM trials WHERE final AND verdict = 'pass' GROUP BY ALL ORDER BY tokens"
  npx measure init my-study
`);
