/** Installs from the lock file where node_modules does not fit it. Node's own modules only. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Runs a command in the project's folder; ends this process with its exit code where it fails. */
export function must(command, args, options = {}) {
  const { status, signal, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', ...options });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? (signal === 'SIGINT' ? 130 : 1));
}

/** `npm ci`, unless the last one was for this very lock file. */
export function install() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
  const stamp = join(ROOT, 'node_modules', '.measure-installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  process.stderr.write('installing from package-lock.json\n');
  must('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { stdio: ['ignore', 2, 2] });
  writeFileSync(stamp, wanted);
}
