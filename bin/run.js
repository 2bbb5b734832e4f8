#!/usr/bin/env node
// What npm installs. Some paths skip the command framework, which takes longer to load than they take to run.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [first, second, ...rest] = process.argv.slice(2);
const onlyVersion = (first === '--version' || first === '-v') && second === undefined;
const isHelp = (argument) => argument === '--help' || argument === '-h';
const wantsHelp = rest.some(isHelp);

if (!existsSync(new URL('../dist/cli/run.js', import.meta.url)) && !onlyVersion) {
  process.stderr.write('measure: not built yet: run `npm start` or `npm run build` in the clone\n');
  process.exitCode = 2;
} else if (onlyVersion) {
  const { name, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  process.stdout.write(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`);
} else if (first === 'serve' && second === 'records' && rest.length > 0 && !wantsHelp) {
  process.argv.splice(2, 2);
  await import('../dist/records-server.mjs');
} else if (first === 'serve' && second === 'notes' && rest.length > 0 && !wantsHelp) {
  process.argv.splice(2, 2);
  await import('../dist/server/notes-server.mjs');
} else if (first === 'tap' && second !== undefined && !isHelp(second)) {
  process.argv.splice(2, 1);
  await import('../dist/host/tap.mjs');
} else {
  const { runCli } = await import('../dist/cli/run.js');
  await runCli(fileURLToPath(new URL('..', import.meta.url)));
}
