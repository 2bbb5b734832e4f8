/** Recorded calls against another build of their server, over real pipes: what changed, and what the new log says. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { EventBody } from '../../events/event.js';
import {
  catalog,
  close,
  damage,
  handshake,
  runClose,
  runOpen,
  toolCall,
  trialOpen,
} from '../../events/events.test.support.js';
import { EventLog } from '../../events/log.js';
import { readEvents } from '../../events/reader.js';
import { isVerified, replayFile } from '../../events/replay.js';
import { Store } from '../../events/store.js';
import { record } from '../record.js';
import { filesHolding, folderFor, only, typesOf, writeStudy } from '../study.test.support.js';
import { replyTo, send, stand } from '../wire/http.test.support.js';
import { standIn } from '../wire/stand-in.test.support.js';
import { exitOf } from './report.js';
import { type RerunOptions, rerun } from './rerun.js';
import { parseRule } from './rules.js';

/** A build of a server: its tools, and what `find` says of the row T1. */
const build = (tools: { name: string }[], row: object, more = '') =>
  standIn(`
if (message.method === 'tools/list') return reply(message.id, { tools: ${JSON.stringify(tools)} });
const { name, arguments: given } = message.params ?? {};
${more}
if (!${JSON.stringify(tools.map(({ name }) => name))}.includes(name))
  return send({ jsonrpc: '2.0', id: message.id, error: { code: -32602, message: 'no tool ' + name } });
if (name === 'find') return reply(message.id, { content: [{ type: 'text', text: JSON.stringify({ rows: [${JSON.stringify(row)}], asked: given.q }) }] });
if (name === 'old') return reply(message.id, { content: [{ type: 'text', text: 'T2 is old' }], structuredContent: { n: 1 } });`);

const tool = (name: string, description: string, more = {}) => ({
  ...{ name, description, inputSchema: { type: 'object' }, ...more },
});
const FIND = tool('find', 'Finds.');
const OLD_BUILD = build([FIND, tool('old', 'Old.')], { id: 'T1', status: 'open' });
const NEW_BUILD = build([tool('find', 'Finds rows.'), tool('new', 'New.')], { id: 'T1', status: 'closed' });

/** Records one trial against the old build; its answer rests on T1, T2 and T9, the last of which nothing said. */
async function recorded(test: TestContext): Promise<{ store: string; run: string }> {
  const change = { host: 'scripted', script: 'script.json', servers: { tools: { command: OLD_BUILD } } };
  const study = writeStudy(test, change);
  const calls = [
    { tool: 'find', arguments: { q: 'a' } },
    { tool: 'find', arguments: { q: 'b' } },
    { tool: 'old' },
  ];
  const answer = '{"answer": "6", "evidenceIds": ["T1", "T2", "T9"]}';
  writeFileSync(join(study, 'script.json'), JSON.stringify([{ for: 't', steps: [{ calls }, { answer }] }]));
  const store = join(folderFor(test), 'runs');
  return { store, run: (await record({ study, store, env: {} })).run };
}

/** A log of these events, written by hand. */
function written(test: TestContext, bodies: EventBody[]): { store: string; run: string } {
  const store = new Store(join(folderFor(test), 'runs'));
  const run = '20261103T090000000Z-sample-0123456789abcdef';
  store.createRun(run);
  const log = EventLog.create(store.eventsFile(run), run);
  for (const body of bodies) log.append(body);
  log.close();
  return { store: store.root, run };
}

const against = (command: string[], more: Partial<RerunOptions>): RerunOptions => ({
  ...{ store: '', run: '', trials: [], rules: [], timeoutMs: 10_000, env: {} },
  ...{ command, headers: [], env_from: [], ...more },
});

describe('a rerun against another build', () => {
  it('does not find evidence in an error that names what is gone', async (test) => {
    const found = `{ content: [{ type: 'text', text: 'no row T1' }], isError: true }`;
    const gone = build(
      [FIND, tool('old', 'Old.')],
      {},
      `if (name === 'find') return reply(message.id, ${found});`,
    );
    const { evidence } = await rerun(against(gone, await recorded(test)));
    assert.deepEqual(evidence, [{ trial: 't/only/plain/1', kept: ['T2'], lost: ['T1'], unseen: ['T9'] }]);
  });

  it('of a recording that was interrupted says so, and decides nothing', async (test) => {
    const at = { trial: 't' };
    const half = written(test, [runOpen(), trialOpen(at), handshake(at), toolCall({ ...at, tool: 'find' })]);
    const made = await rerun(against(OLD_BUILD, { ...half, rules: [parseRule('error')] }));
    assert.deepEqual(
      [made.left_out, made.rules.map(({ verdict }) => verdict), exitOf(made)],
      [
        [
          {
            ...{ trial: 't', call: null },
            reason: 'its recording was interrupted, so that what came after is not there',
          },
        ],
        ['undecided'],
        3,
      ],
    );
  });

  it('says which results, tools and evidence changed, and breaks the rules that it should', async (test) => {
    const rules = [
      'error',
      'result-changed > +3',
      'tool-gone',
      'schema-changed',
      'evidence-lost',
      'tokens > +50%',
    ];
    const made = await rerun(against(NEW_BUILD, { ...(await recorded(test)), rules: rules.map(parseRule) }));
    assert.deepEqual(
      made.calls.map(({ tool: name, outcome, difference }) => [name, outcome, difference]),
      [
        ['find', 'changed', 'content[0].text: rows[0].status: "open" → "closed"'],
        ['find', 'changed', 'content[0].text: rows[0].status: "open" → "closed"'],
        ['old', 'fails_now', 'a result → error -32602: no tool old'],
      ],
    );
    const [changed] = made.catalogs;
    assert.deepEqual(
      [changed?.gone, changed?.added, changed?.changed],
      [['old'], ['new'], [{ tool: 'find', aspect: 'description', difference: '"Finds." → "Finds rows."' }]],
    );
    assert.deepEqual(made.evidence, [
      { trial: 't/only/plain/1', kept: ['T1'], lost: ['T2'], unseen: ['T9'] },
    ]);
    assert.deepEqual(
      made.rules.map(({ verdict, found }) => [verdict, found]),
      [
        ['broken', '1'],
        ['holds', '3'],
        ['broken', '1'],
        ['holds', '0'],
        ['broken', '1'],
        ['holds', `${made.totals.tokens.before} → ${made.totals.tokens.after}`],
      ],
    );
    assert.deepEqual([made.finished, exitOf(made)], [true, 1]);
  });

  it('counts what a call cost before and now, and in total only calls that worked both times', async (test) => {
    const { calls, totals } = await rerun(against(NEW_BUILD, await recorded(test)));
    const grew = calls.map(({ wire_bytes: { before, after } }) => after - before);
    assert.deepEqual(grew.slice(0, 2), [2, 2]);
    assert.deepEqual(
      calls.map(({ counted }) => counted),
      [true, true, false],
    );
    assert.equal(totals.wire_bytes.after - totals.wire_bytes.before, 4);
    assert.deepEqual(calls[2]?.structured_bytes, { before: 7, after: 0 });
    assert.deepEqual([totals.calls, totals.changed, totals.fails_now, totals.counted], [3, 2, 1, 2]);
  });

  it('finds nothing against the same build', async (test) => {
    const rules = [
      'error',
      'result-changed',
      'tool-gone',
      'evidence-lost',
      'tokens',
      'bytes',
      'catalog-bytes',
    ];
    const made = await rerun(against(OLD_BUILD, { ...(await recorded(test)), rules: rules.map(parseRule) }));
    assert.deepEqual(
      made.calls.map(({ outcome, difference }) => [outcome, difference]),
      Array(3).fill(['same', null]),
    );
    assert.deepEqual(
      made.rules.map(({ verdict }) => verdict),
      Array(7).fill('holds'),
    );
    assert.equal(exitOf(made), 0);
  });

  it('writes a log of its own, to which every figure can be traced', async (test) => {
    const source = await recorded(test);
    const { run, log, calls } = await rerun(against(NEW_BUILD, source));
    const { events } = readEvents(log);
    assert.notEqual(run, source.run);
    assert.equal(isVerified(replayFile(log)), true);
    const [open] = only(events, 'run_open');
    assert.deepEqual([open?.host, open?.study.name, open?.plan], ['rerun', 'rerun-small', null]);
    assert.deepEqual(
      typesOf(events).filter((type) => type !== 'message'),
      ['trial_open', 'handshake', 'catalog', 'tool_call', 'tool_call', 'tool_call', 'close'],
    );
    assert.deepEqual(
      only(events, 'tool_call').map(({ seq, wire }) => [seq, wire?.response_bytes]),
      calls.map((call) => [call.events.after, call.wire_bytes.after]),
    );
  });
});

describe('a server that cannot be asked to the end', () => {
  it('makes the rerun unfinished where it does not start, and no rule is broken', async (test) => {
    const source = await recorded(test);
    const made = await rerun(against(['no-such-program'], { ...source, rules: [parseRule('error')] }));
    assert.deepEqual(
      made.unfinished.map(({ trial, failure, calls }) => [trial, failure, calls]),
      [['t/only/plain/1', 'SERVER_START_FAILED', 3]],
    );
    assert.deepEqual([made.rules[0]?.verdict, exitOf(made)], ['undecided', 3]);
  });

  it('breaks the rule on errors where it dies in a call, and the rest is not made', async (test) => {
    const dies = build([FIND], { id: 'T1' }, "if (given.q === 'b') process.exit(3);");
    const made = await rerun(
      against(dies, { ...(await recorded(test)), rules: [parseRule('error'), parseRule('bytes')] }),
    );
    assert.deepEqual(made.calls.map(({ outcome, difference }) => [outcome, difference])[1], [
      'fails_now',
      'a result → SERVER_EXITED',
    ]);
    assert.deepEqual(
      made.unfinished.map(({ failure, calls }) => [failure, calls]),
      [['SERVER_EXITED', 1]],
    );
    assert.deepEqual(
      [made.rules.map(({ verdict }) => verdict), made.evidence],
      [['broken', 'undecided'], []],
    );
    assert.equal(exitOf(made), 1);
  });
});

describe('a server behind a URL', () => {
  it('is asked with the headers that are named, whose values reach no log', async (test) => {
    const { url, seen } = await stand((message, response) => {
      const tools = [FIND, tool('old', 'Old.')];
      const content = [{ type: 'text', text: 'secret-token-1 says T1' }];
      send(response, replyTo(message, message.method === 'tools/list' ? { tools } : { content }));
    });
    const source = await recorded(test);
    const choice = { ...source, server: url, headers: ['X-Token=TOKEN'], env: { TOKEN: 'secret-token-1' } };
    const made = await rerun(against([], choice));
    assert.deepEqual(
      made.calls.map(({ outcome }) => outcome),
      ['changed', 'changed', 'changed'],
    );
    assert.deepEqual([made.finished, made.evidence[0]?.lost], [true, ['T2']]);
    assert.equal(seen.at(-1)?.headers['x-token'], 'secret-token-1');
    assert.deepEqual(filesHolding(source.store, 'secret-token-1'), []);
  });
});

describe('a recording made by others', () => {
  const CALL = toolCall({
    tool: 'find',
    arguments: { q: 'a' },
    content: [{ type: 'text', text: '{"rows":[],"asked":"a"}' }],
  });
  const SESSION = [
    runOpen({ host: 'tap', plan: null, model: null, limits: null }),
    trialOpen({ trial: 'session', purpose: 'session', task: null, phrasing: null, prompt: null }),
    handshake({ trial: 'session', era: 'legacy' }),
    catalog({ trial: 'session', tools: [FIND, tool('old', 'Old.')] }),
    { ...CALL, trial: 'session' },
    toolCall({ trial: 'session', tool: 'hidden', error: 'UNADVERTISED_TOOL', is_error: true, wire: null }),
    close({ trial: 'session' }),
  ];

  it('is rerun from what its events hold, also without bytes; calls that were never sent are left out', async (test) => {
    const made = await rerun(against(OLD_BUILD, written(test, [...SESSION, runClose()])));
    assert.deepEqual(
      made.calls.map(({ tool: name, outcome, difference }) => [name, outcome, difference]),
      [['find', 'changed', 'content[0].text: rows[0]: absent → {"id":"T1","status":"open"}']],
    );
    assert.deepEqual(made.left_out, [
      {
        trial: 'session',
        call: { event: 5, tool: 'hidden' },
        reason: 'it was never sent: UNADVERTISED_TOOL',
      },
    ]);
    assert.deepEqual([made.catalogs[0]?.gone, made.catalogs[0]?.changed], [[], []]);
  });

  it('is listed again only where it was listed', async (test) => {
    const probe = SESSION.filter(({ type }) => type !== 'catalog');
    const made = await rerun(against(OLD_BUILD, written(test, [...probe, runClose()])));
    assert.deepEqual(
      [made.catalogs, only(readEvents(made.log).events, 'catalog'), made.finished],
      [[], [], true],
    );
  });

  it('is refused where a line of it is damaged', async (test) => {
    const source = written(test, [...SESSION, runClose()]);
    damage(new Store(source.store).eventsFile(source.run), (bytes) => {
      return Buffer.from(bytes.toString('utf8').replace('"q":"a"', '"q":"b"'));
    });
    await assert.rejects(rerun(against(OLD_BUILD, source)), /events\.jsonl:5: RECORDING_DAMAGED: /);
  });

  it('may be met by a server that is told the trial', async (test) => {
    const named = build([FIND], { id: 'T1' }, "if (process.argv[1] !== 'session') process.exit(9);");
    const made = await rerun(against([...named, '{trial}'], written(test, [...SESSION, runClose()])));
    assert.equal(made.finished, true);
  });

  it('is refused where it has nothing to ask', async (test) => {
    const source = written(test, [
      runOpen(),
      trialOpen(),
      close({ status: 'failed', failure: 'CONNECT_TIMEOUT' }),
    ]);
    await assert.rejects(rerun(against(OLD_BUILD, source)), /RECORDING_EMPTY: no server ever answered/);
    await assert.rejects(rerun(against(OLD_BUILD, { ...source, trials: ['x'] })), /TRIAL_UNKNOWN/);
  });
});
