/** The command of Claude Code: where it is, which version it is, and whether it is still the same. */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Problem } from '../../events/problem.js';
import { TrialFailure } from '../failure.js';
import { findProgram } from '../wire/program.js';

/** The program of a run, as it was when the run began. */
export interface ClaudeCli {
  /** What was found, links not resolved: an update may move what they lead to. */
  named: string;
  /** The file itself: this is what is started. */
  path: string;
  sha256: string;
  /** As `--version` says. */
  version: string;
  /** Inode, size and time of change of the file. */
  identity: string;
}

/**
 * Finds the command: what `named` says, else on the PATH of `env`, else the package installed beside measure or in the
 * working folder. Throws `CLAUDE_MISSING` where there is none, `CLAUDE_UNUSABLE` where the one that was named does not say its version.
 */
export async function findClaude(named: string | undefined, env: NodeJS.ProcessEnv): Promise<ClaudeCli> {
  if (named !== undefined) {
    const found = await inspect(resolve(named));
    if (typeof found !== 'string') return found;
    const todo = 'name the command of Claude Code with --claude PATH';
    throw new Problem({ code: 'CLAUDE_UNUSABLE', what: found, todo, file: named });
  }
  for (const path of [...onPath(env), ...installed()]) {
    const found = await inspect(path);
    if (typeof found !== 'string') return found;
  }
  const what = 'the command of Claude Code is neither on PATH nor installed beside measure';
  const todo = 'install it with `npm install -g @anthropic-ai/claude-code`, or name it with --claude PATH';
  throw new Problem({ code: 'CLAUDE_MISSING', what, todo });
}

/** Throws `HOST_VERSION_CHANGED` where the program is no longer the one that the run began with. */
export async function assertSameCli(cli: ClaudeCli): Promise<void> {
  const path = nativeOf(cli.named);
  if (path === cli.path && identityOf(path) === cli.identity) return;
  const now = await inspect(cli.named);
  if (typeof now !== 'string' && now.sha256 === cli.sha256) return;
  const what = typeof now === 'string' ? now : `it is ${now.version} (${now.sha256.slice(0, 12)}) now`;
  const before = `${cli.version} (${cli.sha256.slice(0, 12)})`;
  throw new TrialFailure('HOST_VERSION_CHANGED', `Claude Code was ${before} when the run began; ${what}`);
}

/** What a file is; where it is no such command, why. */
async function inspect(named: string): Promise<ClaudeCli | string> {
  const path = nativeOf(named);
  const identity = path === null ? null : identityOf(path);
  if (path === null || identity === null) return 'there is no program';
  const version = await versionOf(path);
  if (version === null) return `${path} --version does not tell the version of Claude Code`;
  const program = await findProgram({ argv: [path], env: {}, cwd: '/' });
  if (program === null) return `${path} cannot be read`;
  return { named, path, sha256: program.sha256, version, identity };
}

/**
 * The file that a path leads to. In the package from npm that may be a placeholder, whose program lies in the package
 * for this platform beside it.
 */
function nativeOf(named: string): string | null {
  const file = realPathOf(named);
  const scope = file?.match(/^(.*\/@anthropic-ai)\/claude-code\/bin\/[^/]+$/)?.[1];
  if (scope === undefined) return file;
  const scopes = [join(scope, 'claude-code/node_modules/@anthropic-ai'), scope];
  const places = scopes.flatMap((folder) => PLATFORM_PACKAGES.map((name) => join(folder, name, 'claude')));
  const native = places.find((path) => existsSync(path));
  return native === undefined ? file : realPathOf(native);
}

const PLATFORM = `claude-code-${process.platform}-${process.arch}`;
const PLATFORM_PACKAGES = [PLATFORM, `${PLATFORM}-musl`];

function onPath({ PATH = '' }: NodeJS.ProcessEnv): string[] {
  return PATH.split(delimiter).map((folder) => resolve(folder, 'claude'));
}

function installed(): string[] {
  const from = [createRequire(import.meta.url), createRequire(join(process.cwd(), 'package.json'))];
  return from.flatMap((require) =>
    PLATFORM_PACKAGES.flatMap((name) => {
      try {
        return [join(dirname(require.resolve(`@anthropic-ai/${name}/package.json`)), 'claude')];
      } catch {
        return []; // not installed there
      }
    }),
  );
}

function realPathOf(path: string): string | null {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? realpathSync(path) : null;
  } catch {
    return null; // not there, or not ours to run
  }
}

function identityOf(path: string): string | null {
  const { ino, size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return ino === undefined ? null : `${ino} ${size} ${mtimeMs}`;
}

const run = promisify(execFile);

/** How long a program may take to say its version, in milliseconds: a cold disk has 300 MB to read. */
const VERSION_TIMEOUT_MS = 30_000;

async function versionOf(path: string): Promise<string | null> {
  const env = { PATH: process.env.PATH ?? '', DISABLE_AUTOUPDATER: '1' };
  try {
    const { stdout } = await run(path, ['--version'], { env, timeout: VERSION_TIMEOUT_MS });
    return stdout.match(/^(\d+\.\d+\.\S+) \(Claude Code\)/)?.[1] ?? null;
  } catch {
    return null; // it does not run, or is another program
  }
}
