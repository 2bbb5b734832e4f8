/** Servers over HTTP that do everything wrong: the log says it, in a bounded time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, describe, it, type TestContext } from 'node:test';
import { type Case, httpCases, logOf, meet, SERVER, studyOf } from './misbehaving.test.support.js';

const running: ChildProcess[] = [];
after(() => {
  for (const server of running) server.kill('SIGKILL');
});

/** Starts the program that plays the cases, and gives the URL of a case: the first line that it prints. */
async function start(name: string): Promise<string> {
  const server = spawn(process.execPath, [SERVER, name, '--http'], { stdio: ['pipe', 'pipe', 'inherit'] });
  running.push(server);
  const [line] = await once(server.stdout, 'data');
  return String(line).trim();
}

const shared = start('nothing-wrong');

async function urlOf({ name, alone }: Case): Promise<string> {
  return alone ? start(name) : (await shared).replace('nothing-wrong', name);
}

/** Records a case. How a process ends does not matter here: what a case says of that holds on stdio alone. */
async function meetOverHttp(test: TestContext, found: Case): Promise<void> {
  const { http } = found;
  const url = found.url ?? (await urlOf(found));
  const study = studyOf(test, { ...found, limits: { ...found.limits, ...http?.limits } }, { url });
  const log = logOf({ ...found.log, ...http?.log });
  const { close = log.close.map(() => 'session_end') } = http?.log ?? found.log;
  await meet(test, study, { ...log, close });
}

describe('a server over HTTP that', { concurrency: 4 }, () => {
  for (const found of httpCases) it(found.does, (test) => meetOverHttp(test, found));
});
