/** The mistakes that authors make, each tried with a real server on the SDK or with a small one made for it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { program, standIn } from '../wire/stand-in.test.support.js';
import type { DoctorOptions, Examination } from './examine.js';
import { codesOf, examined, found, notesServer } from './notes-server.test.support.js';

/** As long as the command waits for a probe: longer than the SDK takes to load on a busy machine. */
const WAITS = { probeMs: 3000 };
/** Most of the time is spent waiting, as hosts do. */
const beside = { concurrency: 4 };

const TOOL = `{ name: 'list_llamas', description: 'All llamas of the farm with their wool.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }`;

/** A server with one tool; `list` and `call` are expressions for results. */
function llamas({ list = `{ tools: [${TOOL}] }`, call = `{ content: [] }`, before = '', probe = '' } = {}) {
  return standIn(
    `
    const refuse = (code) => send({ jsonrpc: '2.0', id: message.id, error: { code, message: 'no' } });
    if (message.method === 'tools/list') reply(message.id, ${list});
    else if (message.method === 'tools/call' && message.params.name !== 'list_llamas') refuse(-32602);
    else if (message.method === 'tools/call') reply(message.id, ${call});
    else { ${probe}; refuse(-32601); }`,
    before,
  );
}

const fatalOf = ({ findings }: Examination) =>
  findings.filter(({ severity }) => severity === 'fatal').map(({ code }) => code);
const quickly = (argv: [string, ...string[]], more: Partial<DoctorOptions> = {}) =>
  examined(argv, { graceMs: 200, ...more });

describe('the doctor', beside, () => {
  describe('a sound server', () => {
    it('has no finding, and figures for every check', async () => {
      const { findings, passed, times, catalog, call, launches } = await examined(notesServer(), {
        launches: 2,
      });
      assert.deepEqual(findings, []);
      assert.deepEqual(
        [...new Set(passed.map(({ group }) => group))],
        ['launch', 'stdout', 'results', 'end', 'catalog', 'findability'],
      );
      assert.deepEqual(
        times.map(({ step, n }) => [step, n]),
        [
          ['initialize', 2],
          ['tools/list', 2],
          ['search_notes', 2],
        ],
      );
      assert.deepEqual([catalog?.rows.length, call?.text_bytes], [1, 11]);
      assert.deepEqual([launches?.first.opening, launches?.second?.opening], ['discover', 'initialize']);
    });
  });

  describe('what the source tried on stdout and stdin', beside, () => {
    it('console.log of a line before the handshake is harmless', async () => {
      const examination = await examined(notesServer({ before: `console.log('notes: indexing')` }));
      assert.deepEqual(codesOf(examination), ['output-before-handshake']);
      const { severity, evidence } = found(examination, 'output-before-handshake');
      assert.deepEqual([severity, evidence.effect, evidence.lines], ['warning', 'harmless', 2]);
    });

    it('console.log of a line on every request is harmless', async () => {
      const after = `process.stdin.on('data', () => console.log('got a request'))`;
      const examination = await examined(notesServer({ after }));
      assert.deepEqual(codesOf(examination), ['stray-lines']);
      const { severity, evidence } = found(examination, 'stray-lines');
      assert.deepEqual([severity, evidence.effect], ['warning', 'harmless']);
    });

    it('a write without a newline works on the first launch only', async () => {
      const examination = await examined(
        notesServer({ before: `process.stdout.write('loading... ')` }),
        WAITS,
      );
      assert.deepEqual(codesOf(examination), ['first-launch-only']);
      const { severity, evidence } = found(examination, 'first-launch-only');
      assert.deepEqual(
        [severity, evidence.cause, evidence.before, evidence.request],
        ['fatal', 'glued', 'loading... ', 'initialize'],
      );
      assert.equal(examination.catalog?.rows.length, 1);
    });

    it('a stdin listener before the transport works on the first launch only', async () => {
      const examination = await examined(
        notesServer({ before: `process.stdin.on('data', () => undefined)` }),
        WAITS,
      );
      assert.deepEqual(codesOf(examination), ['first-launch-only']);
      const { severity, evidence } = found(examination, 'first-launch-only');
      assert.deepEqual([severity, evidence.cause, evidence.request], ['fatal', 'eaten', 'initialize']);
      assert.equal(typeof evidence.ping_ms, 'number');
    });
  });

  describe('a server that does not connect', beside, () => {
    it('because it is silent: the time-out holds', async () => {
      const started = performance.now();
      const examination = await quickly(program('process.stdin.resume()'), { timeoutMs: 1500 });
      assert.deepEqual([codesOf(examination), examination.times], [['never-connects'], []]);
      assert.equal(found(examination, 'never-connects').evidence.cause, 'silent');
      assert.ok(performance.now() - started < 8000);
    });

    it('because it dies: the exit code and what stderr says', async () => {
      const examination = await quickly(
        program(`console.error('Error: DB_URL is missing'); process.exit(3)`),
      );
      assert.deepEqual(fatalOf(examination), ['never-connects']);
      assert.match(
        found(examination, 'never-connects').what,
        /exited with code 3 .*"Error: DB_URL is missing"/,
      );
    });

    it('because there is no such program', async () => {
      assert.deepEqual(codesOf(await quickly(['no-such-program-here'])), ['not-started']);
    });

    it('because it floods stdout: it is ended at once', async () => {
      const examination = await quickly(['yes']);
      assert.deepEqual(fatalOf(examination), ['never-connects']);
      assert.equal(found(examination, 'never-connects').evidence.cause, 'flooded');
      assert.equal(found(examination, 'output-before-handshake').evidence.lines, 20_000);
    });

    it('because its replies lack their newline', async () => {
      const examination = await quickly(
        program(`process.stdin.on('data', (line) => {
          const { id } = JSON.parse(String(line).split('\\n')[0]);
          process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
        })`),
        { probeMs: 500, timeoutMs: 3000, graceMs: 500 },
      );
      assert.equal(found(examination, 'never-connects').evidence.cause, 'no_newline');
    });

    it('because its replies stay in a buffer until stdin ends', async () => {
      const examination = await quickly(
        program(`let kept = '';
        process.stdin.on('data', (lines) => {
          for (const line of String(lines).trim().split('\\n')) {
            const { id } = JSON.parse(line);
            if (id !== undefined) kept += JSON.stringify({ jsonrpc: '2.0', id, result: {} }) + '\\n';
          }
        }).on('end', () => process.stdout.write(kept))`),
        { probeMs: 500, timeoutMs: 1500 },
      );
      const { evidence, fix } = found(examination, 'never-connects');
      assert.equal(evidence.cause, 'unflushed');
      assert.match(fix, /^flush stdout after each message/);
    });

    it('because it sends notifications without end: it is ended, and nothing of them is kept', async () => {
      const examination = await quickly(['yes', '{"jsonrpc":"2.0","method":"notifications/message"}']);
      assert.deepEqual(fatalOf(examination), ['never-connects']);
      const { evidence, fix } = found(examination, 'never-connects');
      assert.deepEqual([evidence.cause, evidence.lines], ['notified', 100_000]);
      assert.match(fix, /^send a notification only where something has changed/);
    });

    it('because its replies come in arrays', async () => {
      const batch = `process.stdin.on('data', () => console.log('[{"jsonrpc":"2.0","id":0,"result":{}}]'))`;
      const examination = await quickly(program(batch), { probeMs: 500 });
      assert.match(found(examination, 'never-connects').what, /initialize comes in an array/);
    });

    it('because its replies begin with a byte order mark', async () => {
      const before = `process.stdout.write('\\ufeff')`;
      const examination = await quickly(llamas({ before: `${before};` }), { probeMs: 1000 });
      assert.deepEqual(fatalOf(examination), ['first-launch-only']);
      assert.match(
        found(examination, 'first-launch-only').what,
        /a byte order mark \(3 B\) stands before the reply/,
      );
    });
  });

  describe('a server that connects and then', beside, () => {
    it('exits on the probe is started again, and warned about', async () => {
      const examination = await quickly(llamas({ probe: 'process.exit(1)' }));
      assert.deepEqual(fatalOf(examination), []);
      assert.equal(found(examination, 'exits-on-probe').severity, 'warning');
    });

    it('is silent to the probe costs each first launch some seconds', async () => {
      assert.equal(
        found(await quickly(llamas({ probe: 'return' }), { probeMs: 500 }), 'probe-unanswered').severity,
        'note',
      );
    });

    it('prints progress without a newline in a call loses the result', async () => {
      const examination = await quickly(llamas({ call: `(process.stdout.write('50% '), { content: [] })` }));
      assert.deepEqual(fatalOf(examination), ['reply-lost']);
      assert.deepEqual(found(examination, 'reply-lost').evidence.tool, 'list_llamas');
    });

    it('dies in a call is said to have crashed', async () => {
      const examination = await quickly(llamas({ call: `(console.error('Error: wool'), process.exit(7))` }));
      assert.deepEqual(fatalOf(examination), ['crashed']);
      assert.match(found(examination, 'crashed').what, /exited with code 7 before it answered tools\/call/);
    });

    it('speaks the newer era alone shuts older hosts out', async () => {
      const discovery = `{ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, resultType: 'complete', ttlMs: 0,
        cacheScope: 'private', _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'llamas', version: '1' } } }`;
      const modern =
        program(`require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        const result = { 'server/discover': ${discovery}, 'tools/list': { tools: [${TOOL}], resultType: 'complete' } }[method];
        const answer = result ? { result } : { error: { code: -32601, message: 'no' } };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      })`);
      const examination = await quickly(modern);
      assert.deepEqual(fatalOf(examination), []);
      assert.match(
        found(examination, 'modern-only').what,
        /^initialize fails: .*; server\/discover agrees on 2026-07-28$/,
      );
      assert.deepEqual(
        [examination.times[0]?.step, examination.catalog?.rows.length],
        ['server/discover', 1],
      );
    });

    it('lists page after page is stopped', async () => {
      const list = `{ tools: [${TOOL}], nextCursor: 'again' }`;
      const examination = await quickly(llamas({ list }));
      assert.deepEqual(fatalOf(examination), ['page-loop']);
      assert.match(found(examination, 'page-loop').what, /repeats the cursor "again"/);
    });

    it('gives null for a cursor is lost to most clients', async () => {
      const examination = await quickly(llamas({ list: `{ tools: [${TOOL}], nextCursor: null }` }));
      assert.equal(found(examination, 'bad-cursor').what, 'nextCursor is null, no string, after 1 tool');
    });

    it('lists other tools each time makes cached prompts worthless', async () => {
      const list = `{ tools: [{ ...${TOOL}, description: 'Llamas at ' + process.hrtime.bigint() }] }`;
      const examination = await quickly(llamas({ list }), { launches: 2 });
      assert.match(found(examination, 'catalog-unstable').what, /^2 different catalogs in 2 launches/);
    });

    it('leaves its own output schema loses the result', async () => {
      const schema = `{ type: 'object', required: ['n'], properties: { n: { type: 'number' } } }`;
      const list = `{ tools: [{ ...${TOOL}, outputSchema: ${schema} }] }`;
      const examination = await quickly(
        llamas({ list, call: `{ content: [], structuredContent: { n: 'x' } }` }),
      );
      assert.deepEqual(fatalOf(examination), ['result-leaves-schema']);
    });

    it('answers twice, with ids that nobody sent, or in a batch is warned about', async () => {
      const list = `(reply(99, {}), { tools: [${TOOL}] })`;
      assert.match(found(await quickly(llamas({ list })), 'wire-fault').what, /^1 × UNKNOWN_REPLY/);
    });

    it('is called only where a tool says that it only reads', async () => {
      const list = `{ tools: [{ name: 'shear_llama', inputSchema: { type: 'object' } }] }`;
      const { call, skipped, times } = await quickly(llamas({ list }));
      assert.deepEqual([call, times.length], [null, 2]);
      assert.match(skipped.map(({ what }) => what).join(), /no tool is annotated readOnlyHint: true/);
    });

    it('is called once, in all launches, where the user names a tool that may change something', async () => {
      const list = `{ tools: [{ name: 'list_llamas', inputSchema: { type: 'object' } }] }`;
      const wish = { tool: 'list_llamas', arguments: {} };
      const { times, launches } = await quickly(llamas({ list }), { launches: 3, wish });
      assert.deepEqual(
        times.map(({ step, n }) => [step, n]),
        [
          ['initialize', 3],
          ['tools/list', 3],
          ['list_llamas', 1],
        ],
      );
      const byHand = launches?.second?.steps.filter(({ tool }) => tool === 'list_llamas');
      assert.deepEqual(byHand, []);
    });

    it('lacks the tool that the user names is refused', async () => {
      await assert.rejects(quickly(llamas(), { wish: { tool: 'none', arguments: {} } }), {
        code: 'UNKNOWN_TOOL',
        exit: 2,
      });
    });
  });

  describe('a server at its end', beside, () => {
    it('that ignores stdin and SIGTERM, floods stderr and leaves a process behind has it all said', async () => {
      const before = `
      process.stdin.on('end', () => setInterval(() => 0, 1000));
      process.on('SIGTERM', () => 0);
      process.stderr.write('x'.repeat(100000));`;
      const examination = await quickly(llamas({ before }));
      assert.deepEqual(
        codesOf(examination).filter((code) => /ignores|flood/.test(code)),
        ['ignores-sigterm', 'stderr-flood'],
      );
      assert.deepEqual(fatalOf(examination), []);
    });

    it('that leaves a process behind has it named and ended', async () => {
      const child = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' })`;
      const before = `${child}; process.stdin.on('end', () => process.exit(0));`;
      const { evidence } = found(await quickly(llamas({ before })), 'left-behind');
      assert.equal(Array.isArray(evidence.pids) && evidence.pids.length, 1);
    });
  });

  describe('an examination', () => {
    it('ends at once when it is aborted, and leaves no process', async () => {
      const abort = new AbortController();
      const onStep = () => setTimeout(() => abort.abort('SIGINT'), 300);
      const started = performance.now();
      await assert.rejects(
        examined(program('process.stdin.resume()'), { signal: abort.signal, onStep, timeoutMs: 30_000 }),
      );
      assert.ok(performance.now() - started < 5000);
    });
  });
});
