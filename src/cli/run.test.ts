/** The command line as a user meets it: what is printed where, and which exit code follows. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { measure, measureUntil, newFolder, type Ran, STUDY, shell } from './run.test.support.js';

const folder = newFolder();
let recorded: Ran;
let run = '';

before(async () => {
  recorded = await measure(['record', STUDY, '--condition', 'baseline,optimized', '--seed', '7'], folder);
  run = readdirSync(join(folder, 'runs')).find((name) => name.includes('context-controls')) ?? '';
});

after(() => rmSync(folder, { recursive: true, force: true }));

const eventsFile = () => join(folder, 'runs', run, 'events.jsonl');

describe('measure record', () => {
  it('says what it will do on stderr, and on stdout what came of it', () => {
    assert.equal(recorded.code, 0);
    assert.match(recorded.stderr, /^study context-controls: 6 trials .* and 1 probe; order from seed 7$/m);
    assert.match(
      recorded.stderr,
      /^trial 7 of 7 {2}probe\/warm_cache {2}~[\d,]+ tokens {2}\d+ s {2}completed$/m,
    );
    assert.match(recorded.stdout, /^trials: 6 completed, 0 failed, 0 skipped of 6$/m);
  });

  it('stops before anything is spent with --dry-run, which needs no key', async () => {
    const args = ['record', STUDY, '--model', 'claude-sonnet-4-5', '--condition', 'baseline', '--dry-run'];
    const { code, stdout } = await measure([...args, '--store', 'none'], folder);
    assert.equal(code, 0);
    assert.match(stdout, /at most 36 model calls \(3 trials × 12 turns × 1 attempts\), 36,864 output tokens/);
    assert.equal(existsSync(join(folder, 'none')), false);
  });

  it('refuses to start without a key, and leaves a receipt that says so', async () => {
    const refused = await measure(['record', STUDY, '--model', 'm', '--store', 'refused'], folder);
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, /^API_KEY_REQUIRED: /m);
    const replayed = await measure(['replay', '--store', 'refused'], folder);
    assert.equal(replayed.code, 0);
    assert.match(replayed.stdout, /failed: API_KEY_REQUIRED/);
  });

  it('says what to do where a trial failed, and exits with 3', async () => {
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };
    const args = ['record', STUDY, '--model', 'm', '--condition', 'baseline', '--store', 'unreachable'];
    const { code, stdout, stderr } = await measure(args, folder, env);
    assert.equal(code, 3);
    assert.match(stdout, /MODEL_CONNECTION: .*: check ANTHROPIC_BASE_URL and the network/);
    assert.doesNotMatch(stdout + stderr, /\n {4}at /);
  });
});

describe('a signal during measure record', () => {
  let silent: Server;
  let env: Record<string, string>;
  const until = /^log: /m;

  before(async () => {
    silent = createServer((request) => request.resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` };
  });
  after(() => {
    silent.closeAllConnections();
    silent.close();
  });

  const args = (store: string) => ['record', STUDY, '--model', 'm', '--store', store];

  it('exits with 130 after SIGINT, and the log says so (R13)', async () => {
    const ended = await measureUntil(args('int'), { cwd: folder, env, until, signal: 'SIGINT' });
    assert.equal(ended.code, 130);
    const replayed = await measure(['replay', '--store', 'int'], folder);
    assert.equal(replayed.code, 3);
    assert.match(replayed.stdout, /interrupted by SIGINT/);
  });

  it('exits with 143 after SIGTERM and 129 after SIGHUP (R13)', async () => {
    const term = await measureUntil(args('term'), { cwd: folder, env, until, signal: 'SIGTERM' });
    const hangup = await measureUntil(args('hup'), { cwd: folder, env, until, signal: 'SIGHUP' });
    assert.deepEqual([term.code, hangup.code], [143, 129]);
  });

  it('leaves a log that replays as interrupted after kill -9 (R6)', async () => {
    const killed = await measureUntil(args('kill'), { cwd: folder, env, until, signal: 'SIGKILL' });
    assert.equal(killed.signal, 'SIGKILL');
    const replayed = await measure(['replay', '--store', 'kill'], folder);
    assert.equal(replayed.code, 3);
    assert.match(replayed.stdout, /the run never closed/);
  });
});

describe('measure replay', () => {
  it('says for each turn that its request was rebuilt', async () => {
    const { code, stdout } = await measure(['replay'], folder);
    assert.equal(code, 0);
    assert.match(stdout, /turn 1: tool_use, .* request rebuilt: [\d,]+ bytes, sha256 holds/);
    assert.match(stdout, /^ {2}verified: (\d+) of \1 requests rebuilt byte for byte$/m);
  });

  it('exits with 3 where a request differs, and says where', async () => {
    mkdirSync(join(folder, 'other', run), { recursive: true });
    const text = readFileSync(eventsFile(), 'utf8').replaceAll('"request_bytes":', '"request_bytes":1');
    writeFileSync(join(folder, 'other', run, 'events.jsonl'), text);
    const { code, stdout } = await measure(['replay', '--store', 'other'], folder);
    assert.equal(code, 3);
    assert.match(stdout, /bad-hash/);
  });

  it('gives one JSON document with --json, complete through a pipe', async () => {
    const { stdout } = await measure(['replay', '--json'], folder);
    assert.equal(JSON.parse(stdout).runs[0].verified, true);
  });
});

describe('measure grade', () => {
  it('flips only the verdict whose key changed, and exits with 1', async () => {
    await measure(['grade'], folder);
    const keys = readFileSync(join(STUDY, 'tasks.json'), 'utf8').replace(
      '"expectedAnswer": "9"',
      '"expectedAnswer": "10"',
    );
    writeFileSync(join(folder, 'keys.json'), keys);
    const { code, stdout } = await measure(['grade', '--keys', 'keys.json'], folder);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^4 pass, 2 fail, 0 undecided; 2 new verdicts; flipped: aggregate\/baseline\/plain\/1 pass → fail, aggregate\/optimized\/plain\/1 pass → fail$/m,
    );
  });

  it('refuses a changed question with 2', async () => {
    const keys = readFileSync(join(STUDY, 'tasks.json'), 'utf8').replace(
      '"question": "',
      '"question": "Please: ',
    );
    writeFileSync(join(folder, 'questions.json'), keys);
    const { code, stderr } = await measure(['grade', '--keys', 'questions.json'], folder);
    assert.equal(code, 2);
    assert.match(stderr, /questions\.json.*: QUESTION_CHANGED: /);
  });
});

describe('measure init', () => {
  it('makes a study that runs, and goes on running with other input files', async () => {
    await measure(['init', 'mine'], folder);
    const rows = Array.from({ length: 8 }, (_, index) => ({
      id: `R${index}`,
      revision: '1',
      state: 'on',
      text: `t${index}`,
    }));
    const key = { requiredCaveats: [] as string[] };
    const tasks = [
      {
        kind: 'lookup',
        question: 'Text of R1?',
        expectedAnswer: 't1',
        evidenceIds: ['R1'],
        detailField: 'text',
        ...key,
      },
      {
        kind: 'aggregate',
        question: 'On?',
        expectedAnswer: '8',
        evidenceIds: ['R0'],
        aggregateField: 'state',
        aggregateValue: 'on',
        ...key,
      },
      {
        kind: 'later_page',
        question: 'Text of the last?',
        expectedAnswer: 't7',
        evidenceIds: ['R7'],
        ...key,
      },
    ];
    writeFileSync(join(folder, 'mine', 'snapshot.json'), JSON.stringify(rows));
    writeFileSync(join(folder, 'mine', 'fields.json'), JSON.stringify(['id', 'revision', 'state', 'text']));
    writeFileSync(join(folder, 'mine', 'tasks.json'), JSON.stringify(tasks));
    const ran = await measure(['record', 'mine', '--store', 'own'], folder);
    const graded = await measure(['grade', '--store', 'own'], folder);
    assert.deepEqual([ran.code, graded.code], [0, 0]);
    assert.match(graded.stdout, /^21 pass, 0 fail, 0 undecided/m);
  });
});

describe('errors', () => {
  it('are one line with file and advice, and exit code 2', async () => {
    const { code, stderr } = await measure(['replay', 'nonsense'], folder);
    assert.deepEqual([code, stderr.split('\n').length], [2, 2]);
    assert.match(stderr, /RUN_UNKNOWN: no run begins with "nonsense": see `measure list`/);
  });

  it('are JSON on stdout with --json', async () => {
    const { code, stdout, stderr } = await measure(['replay', 'nonsense', '--json'], folder);
    assert.deepEqual([code, stderr, JSON.parse(stdout).error.code], [2, '', 'RUN_UNKNOWN']);
  });

  it('of usage exit with 2, in words and in JSON', async () => {
    const words = await measure(['replay', '--bogus'], folder);
    const json = await measure(['replay', '--bogus', '--json'], folder);
    const unknown = await measure(['bogus', '--json'], folder);
    assert.deepEqual([words.code, json.code, unknown.code], [2, 2, 2]);
    assert.deepEqual(
      [json, unknown].map(({ stdout }) => JSON.parse(stdout).error.code),
      ['USAGE', 'USAGE'],
    );
  });

  it('name the line of a malformed study', async () => {
    mkdirSync(join(folder, 'broken'));
    writeFileSync(join(folder, 'broken', 'study.yaml'), 'name: broken\nsystem: [\n');
    const { code, stderr } = await measure(['record', 'broken', '--store', 'broken-runs'], folder);
    assert.equal(code, 2);
    assert.match(stderr, /study\.yaml:\d+: INVALID_STUDY: /);
  });
});

describe('stdout (R14)', () => {
  it('may be closed by `| head` without a word', async () => {
    const { stdout, stderr } = await shell('$MEASURE replay | head -1; echo $PIPESTATUS', folder);
    assert.deepEqual([stdout.split('\n')[1], stderr], ['0', '']);
  });

  it('on a full disk is an error', async () => {
    const { code, stderr } = await shell('$MEASURE replay > /dev/full', folder);
    assert.equal(code, 3);
    assert.match(stderr, /^stdout: ENOSPC: /);
  });
});

describe('stderr', () => {
  it('may be full or closed without harm to a run', async () => {
    const args = `record "${STUDY}" --task lookup --condition baseline`;
    const full = await shell(`$MEASURE ${args} --store full 2> /dev/full`, folder);
    const closed = await shell(`$MEASURE ${args} --store closed 2> >(head -c 1 > /dev/null)`, folder);
    assert.deepEqual([full.code, closed.code], [0, 0]);
  });
});

describe('a damaged log', () => {
  it('still replays what is whole, and is never verified (R8)', async () => {
    appendFileSync(eventsFile(), '{"torn');
    const { code, stdout } = await measure(['replay', run], folder);
    assert.equal(code, 3);
    assert.match(stdout, /torn-tail/);
    assert.match(stdout, /NOT verified: (\d+) of \1 requests rebuilt byte for byte; 1 damaged lines/);
  });
});

describe('measure --version', () => {
  it('names measure, the platform and Node', async () => {
    const { stdout } = await measure(['--version'], folder);
    assert.match(stdout, /^measure\/\d+\.\d+\.\d+ \w+-\w+ node-v\d+/);
  });
});
