/** Who sits before the machine, for what a person decides. */
import { execFileSync } from 'node:child_process';
import { Problem } from '../events/problem.js';

/** The name that git commits under in this folder, else that of the user. Throws `AUTHOR_REQUIRED` where there is neither. */
export function authorName(env: NodeJS.ProcessEnv = process.env): string {
  const name = gitName(env) || env.USER?.trim() || env.LOGNAME?.trim() || '';
  if (name !== '') return name;
  const what = 'nobody is named who decides';
  throw new Problem({ code: 'AUTHOR_REQUIRED', what, todo: 'say who with --author' });
}

function gitName(env: NodeJS.ProcessEnv): string {
  try {
    return execFileSync('git', ['config', 'user.name'], {
      ...{ env, encoding: 'utf8', timeout: 5000 },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}
