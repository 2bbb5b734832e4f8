/** Runs `bin/run.js` as a user's shell does. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const STUDY = join(ROOT, 'data', 'context-controls');
const PROGRAM = join(ROOT, 'bin', 'run.js');

export interface Ran {
  code: number | string | null;
  stdout: string;
  stderr: string;
}

/** A new folder, in a path with a space. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'measure cli '));
}

function environment(extra: Record<string, string>): NodeJS.ProcessEnv {
  const {
    ANTHROPIC_API_KEY: _key,
    ANTHROPIC_BASE_URL: _url,
    MEASURE_STORE: _store,
    MEASURE_MODEL: _model,
    ...env
  } = process.env;
  return { ...env, NO_COLOR: '1', ...extra };
}

/** Runs measure to its end. */
export function measure(args: string[], cwd: string, env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd, env: environment(env), timeout: 120_000, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(process.execPath, [PROGRAM, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? null), stdout, stderr });
    });
    child.stdin?.end();
  });
}

/** Runs a line of shell in which `$MEASURE` is the program. */
export function shell(line: string, cwd: string): Promise<Ran> {
  return new Promise((resolve) => {
    const env = environment({ MEASURE: `"${process.execPath}" "${PROGRAM}"` });
    const script = line.replaceAll('$MEASURE', `"${process.execPath}" "${PROGRAM}"`);
    execFile('bash', ['-c', script], { cwd, env, timeout: 120_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? null), stdout, stderr });
    });
  });
}

/** Starts measure, waits until its stderr says `until`, sends the signal, and waits for the end. */
export function measureUntil(
  args: string[],
  options: { cwd: string; env: Record<string, string>; until: RegExp; signal: NodeJS.Signals },
): Promise<{ code: number | null; signal: string | null; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: options.cwd,
      env: environment(options.env),
    });
    let stderr = '';
    child.stdin.end();
    child.stdout.resume();
    child.stderr.on('data', (chunk: Buffer) => {
      const before = options.until.test(stderr);
      stderr += chunk.toString('utf8');
      if (!before && options.until.test(stderr)) child.kill(options.signal);
    });
    child.on('close', (code, signal) => resolve({ code, signal, stderr }));
  });
}
