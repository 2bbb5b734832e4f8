/** A recording as a server: a trial is run again against it, offline, and its receipt is the same. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { handshake, runOpen, trialOpen } from '../../events/events.test.support.js';
import { EventLog } from '../../events/log.js';
import { Store } from '../../events/store.js';
import type { TrialReceipt } from '../../events/trial-receipt.js';
import { type Recording, record } from '../../host/record.js';
import { folderFor, writeStudy } from '../../host/study.test.support.js';
import { standIn } from '../../host/wire/stand-in.test.support.js';
import { openReplay, serveReplay } from './main.js';

const MAIN = new URL('./main.js', import.meta.url).href;
const STORE = new URL('../../events/store.js', import.meta.url).href;

/** What `measure serve replay RUN --trial T --store DIR` runs. */
const SERVE = `
import { openReplay, serveReplay } from '${MAIN}';
import { Store } from '${STORE}';
const [run, trial, store] = process.argv.slice(1);
await serveReplay(openReplay(new Store(store), run, trial), process.stdin, process.stdout);`;

/** Two pages of tools; `next` counts up; results have keys and numbers that a parser would lose. */
const SERVER = standIn(
  `
if (message.method === 'tools/list') {
  const page = message.params?.cursor === '2' ? ['fail'] : ['next'];
  const tools = page.map((name) => ({ name, description: 'é', inputSchema: { type: 'object' }, odd: true }));
  return reply(message.id, page[0] === 'next' ? { tools, nextCursor: '2' } : { tools });
}
if (message.method !== 'tools/call' || message.params.name === 'fail')
  return send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no' } });
count += 1;
process.stdout.write('{"result":{"content":[{"type":"text","text":"' + count + '"}],"big":12345678901234567890},"id":' + message.id + ',"jsonrpc":"2.0"}\\n');`,
  'let count = 0;',
);

const STEPS = [
  { call: 'next', arguments: { b: 1, a: [{ d: 1, c: 2 }] } },
  { calls: [{ tool: 'next', arguments: { b: 1, a: [{ d: 1, c: 2 }] } }, { tool: 'next' }] },
  { answer: '{"answer": $join(results.value.$string(), ",")}' },
];

async function recordIn(store: string, study: string, command: string[]): Promise<Recording> {
  const file = join(study, 'study.json');
  const definition = { ...JSON.parse(readFileSync(file, 'utf8')), servers: { tools: { command } } };
  writeFileSync(file, JSON.stringify(definition));
  return record({ study, store, env: {} });
}

function studyOf(test: TestContext, change: Record<string, unknown> = {}): string {
  const study = writeStudy(test, { host: 'scripted', script: 'script.json', repetitions: 2, ...change });
  writeFileSync(join(study, 'script.json'), JSON.stringify([{ for: 't', steps: STEPS }]));
  return study;
}

/** A receipt without its times, and without which program was run. */
function lasting(receipts: TrialReceipt[]): unknown {
  const text = JSON.stringify(receipts, (key, value: unknown) =>
    ['elapsed_ms', 'argv', 'program_sha256'].includes(key) ? undefined : value,
  );
  return JSON.parse(text);
}

/** Runs the server to its end with this input. */
function run(args: string[], input: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const argv = ['--input-type=module', '-e', SERVE, ...args];
    const child = execFile(process.execPath, argv, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

describe('a trial against its own recording', () => {
  it('has the same receipt in everything but times', async (test) => {
    const store = join(folderFor(test), 'runs');
    const study = studyOf(test);
    const first = await recordIn(store, study, SERVER);
    const replay = [process.execPath, '--input-type=module', '-e', SERVE, first.run, '{trial}', store];
    const again = await recordIn(store, study, replay);
    assert.deepEqual(
      first.receipt.attempts.map(({ status, answer_text }) => [status, answer_text]),
      Array(2).fill(['completed', '{"answer":"1,2,3"}']),
    );
    assert.deepEqual(lasting(again.receipt.attempts), lasting(first.receipt.attempts));
  });
});

describe('a trial whose server exited in a call, or answered it with an error', () => {
  const dying = standIn(
    `
if (message.method === 'tools/list')
  return reply(message.id, { tools: [{ name: 'die', inputSchema: { type: 'object' } }, { name: 'no', inputSchema: { type: 'object' } }] });
if (message.params.name === 'die') process.exit(7);
send({ jsonrpc: '2.0', id: message.id, error: { code: -32000, message: 'not now' } });`,
  );

  it('has the same receipt against its recording, but for the words that name the program', async (test) => {
    const store = join(folderFor(test), 'runs');
    const study = studyOf(test, { on_failure: 'continue' });
    const steps = [{ call: 'no' }, { answer: '"never"' }];
    writeFileSync(
      join(study, 'script.json'),
      JSON.stringify([{ for: 't', steps: [{ call: 'die' }, ...steps] }]),
    );
    const first = await recordIn(store, study, dying);
    const replay = [process.execPath, '--input-type=module', '-e', SERVE, first.run, '{trial}', store];
    const again = await recordIn(store, study, replay);
    const facts = ({ receipt }: Recording) =>
      receipt.attempts.map(({ failure, closed, calls, totals }) => ({
        ...{ failure, closed, totals },
        calls: calls.map(({ tool, error_code, model_facing_text }) => ({
          tool,
          error_code,
          model_facing_text,
        })),
      }));
    assert.equal(first.receipt.attempts[0]?.closed?.exit_code, 7);
    assert.deepEqual(facts(again), facts(first));
  });
});

describe('the replay server', () => {
  it('ends with its input, with nothing but answers on stdout', async (test) => {
    const store = join(folderFor(test), 'runs');
    const recorded = await recordIn(store, studyOf(test), SERVER);
    const trial = recorded.receipt.attempts[0]?.trial ?? '';
    const lines = [
      '{"jsonrpc":"2.0","id":"p","method":"ping"}',
      '',
      '{"jsonrpc":"2.0","method":"n"}',
      '{"id":',
    ];
    const ended = await run([recorded.run, trial, store], lines.join('\n'));
    assert.deepEqual(ended, {
      code: 0,
      stdout:
        '{"jsonrpc":"2.0","id":"p","result":{}}\n{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"this line is not JSON"}}\n',
      stderr: '',
    });
  });

  it('reads a line that comes in pieces, and bytes that are no UTF-8', async (test) => {
    const store = new Store(join(folderFor(test), 'runs'));
    const { run: id } = await recordIn(store.root, studyOf(test, { repetitions: 1 }), SERVER);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = serveReplay(openReplay(store, id, undefined), input, output);
    for (const piece of ['{"jsonrpc":"2.0","id":"', '\xe9', '","method":"ping"}\n{"a'])
      input.write(piece, 'latin1');
    input.end();
    await served;
    const said = output.read().toString('latin1');
    assert.match(said, /^\{"jsonrpc":"2\.0","id":"\xe9","result":\{\}\}\n/);
    assert.match(said, /"code":-32700/);
  });

  it('asks for a trial where there are several, and lists them', async (test) => {
    const store = new Store(join(folderFor(test), 'runs'));
    const { run: id, receipt } = await recordIn(store.root, studyOf(test), SERVER);
    const [first, second] = receipt.attempts.map(({ trial }) => trial);
    assert.throws(
      () => openReplay(store, id, undefined),
      new RegExp(`TRIAL_REQUIRED: this run has 2 trials, .*: name one with --trial: ${first}, ${second}$`),
    );
  });

  it('refuses a trial in which nothing was asked, and a log without bytes', (test) => {
    const store = new Store(join(folderFor(test), 'runs'));
    const id = '20261103T090000000Z-sample-0123456789abcdef';
    store.createRun(id);
    const log = EventLog.create(store.eventsFile(id), id);
    log.append(runOpen());
    log.append(trialOpen({ trial: 'empty' }));
    log.append(trialOpen({ trial: 'old' }));
    log.append(handshake({ trial: 'old' }));
    log.close();
    assert.throws(
      () => openReplay(store, id, 'empty'),
      /RECORDING_EMPTY: nothing was ever asked of a server/,
    );
    assert.throws(() => openReplay(store, id, 'old'), /RECORDING_WITHOUT_BYTES: the handshake with seq 3/);
  });
});
