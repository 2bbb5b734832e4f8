/** What a run is made with: versions, the lock file, the commit. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { sha256 } from '../events/bytes.js';
import type { EventOf } from '../events/event.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGES = [
  '@anthropic-ai/sdk',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
  'zod',
  'gpt-tokenizer',
];

const manifest = z.looseObject({ version: z.string() });

/** The version of measure itself. */
export function measureVersion(): string {
  return versionIn(join(ROOT, 'package.json')) ?? 'unknown';
}

export function runtimeFacts(facts: {
  tokenizer: string | null;
  endpoint: string | null;
}): EventOf<'run_open'>['runtime'] {
  const lockfile = join(ROOT, 'package-lock.json');
  return {
    measure: measureVersion(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    packages: Object.fromEntries(PACKAGES.map((name) => [name, packageVersion(name) ?? 'unknown'])),
    lockfile_sha256: existsSync(lockfile) ? sha256(readFileSync(lockfile)) : null,
    git_commit: gitCommit(),
    ...facts,
  };
}

function versionIn(file: string): string | null {
  if (!existsSync(file)) return null;
  return manifest.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data?.version ?? null;
}

/** The version of an installed package, looked for where Node looks. */
function packageVersion(name: string): string | null {
  const paths = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const found = paths.map((path) => join(path, name, 'package.json')).find((file) => existsSync(file));
  return found === undefined ? null : versionIn(found);
}

/** The commit of measure's own checkout; null where it is installed from a package or git is not there. */
function gitCommit(): string | null {
  if (!existsSync(join(ROOT, '.git'))) return null;
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}
