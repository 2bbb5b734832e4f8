/** Runs every bench, one after another. Exits 1 where a goal was missed, 2 where one could not be run. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './install.mjs';

const folder = join(ROOT, 'bench');
for (const name of readdirSync(folder)
  .filter((file) => file.endsWith('.mjs'))
  .sort()) {
  process.stdout.write(`\n${name}\n`);
  const { status } = spawnSync(process.execPath, [join(folder, name)], { stdio: 'inherit' });
  process.exitCode = Math.max(process.exitCode ?? 0, status ?? 2);
}
