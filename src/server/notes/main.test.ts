/** The compiled server as a child process, spoken to by the stock client of its own SDK. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, afterEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const ENTRY = fileURLToPath(new URL('entry.js', import.meta.url));
const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
const place = mkdtempSync(join(tmpdir(), 'measure notes '));
const folder = join(place, 'notes');
mkdirSync(folder);
writeFileSync(join(folder, 'llama.md'), '# The llama\n\nIt hums at 120 Hz.');
writeFileSync(join(folder, 'other.md'), 'Nothing of the kind.');
symlinkSync(folder, join(place, 'by another name'));
after(() => rmSync(place, { recursive: true }));

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function connect(...args: string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  clients.push(client);
  const command = { command: process.execPath, args: [ENTRY, folder, ...args], stderr: 'ignore' as const };
  await client.connect(new StdioClientTransport(command));
  return client;
}

/** The text of a call's result, and whether it is an error. */
async function call(client: Client, name: string, args: Record<string, unknown>): Promise<[string, boolean]> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [{ text }] = content as [{ text: string }];
  return [text, isError === true];
}

/** A server that is given these arguments and no client: it must end by itself. */
function start(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [ENTRY, ...args], {
    input: '',
    encoding: 'utf8',
  });
  return { status, stdout, stderr: stderr.replace(/in \d+ ms/, 'in N ms') };
}

describe('the catalog', () => {
  it('says what the server holds, and how much of it', async () => {
    const client = await connect();
    assert.deepEqual(client.getServerVersion(), { name: 'notes', version });
    assert.equal(client.getInstructions(), undefined);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name, description, inputSchema: { required } }) => ({ name, description, required })),
      [
        {
          name: 'search_notes',
          description:
            'Searches the full text of 2 Markdown notes in a folder on this computer and returns the best matches, each with path, ' +
            'title, score and a snippet. Call it before you answer a question that the notes may answer.',
          required: ['query'],
        },
        {
          name: 'read_note',
          description: 'Returns one note in full, by its path as search_notes gives it.',
          required: ['path'],
        },
      ],
    );
  });

  it('says nothing where it is vague, and has the same schemas and results', async () => {
    const [clear, vague] = [await connect(), await connect('--naming', 'vague')];
    const [named, unnamed] = [(await clear.listTools()).tools, (await vague.listTools()).tools];
    assert.equal(vague.getServerVersion()?.name, 's1');
    assert.deepEqual(
      unnamed.map(({ name, description }) => [name, description]),
      [
        ['query', 'Runs a query.'],
        ['get', 'Gets an item by path.'],
      ],
    );
    assert.deepEqual(
      unnamed.map(({ inputSchema }) => inputSchema),
      named.map(({ inputSchema }) => inputSchema),
    );
    assert.deepEqual(
      await call(vague, 'query', { query: 'llama' }),
      await call(clear, 'search_notes', { query: 'llama' }),
    );
  });

  it('asks hosts to load the tools that are named', async () => {
    const marks = async (...args: string[]) =>
      (await (await connect(...args)).listTools()).tools.map(({ _meta }) => _meta);
    const mark = { 'anthropic/alwaysLoad': true };
    assert.deepEqual(await marks(), [undefined, undefined]);
    assert.deepEqual(await marks('--always-load', 'search_notes'), [mark, undefined]);
    assert.deepEqual(await marks('--always-load', 'all'), [mark, mark]);
  });

  it('comes with the instructions that were given', async () => {
    const client = await connect(
      '--naming',
      'vague',
      '--instructions',
      "Searches the user's notes about llamas.",
    );
    assert.equal(client.getInstructions(), "Searches the user's notes about llamas.");
  });
});

describe('a call', () => {
  it('finds a note and reads it', async () => {
    const client = await connect();
    assert.deepEqual(await call(client, 'search_notes', { query: 'llamas hum' }), [
      `[
  {
    "path": "llama.md",
    "title": "The llama",
    "score": 3.261,
    "snippet": "# The llama It hums at 120 Hz."
  }
]`,
      false,
    ]);
    assert.deepEqual(await call(client, 'read_note', { path: 'llama.md' }), [
      '# The llama\n\nIt hums at 120 Hz.',
      false,
    ]);
  });

  it('finds nothing, which is no error', async () => {
    assert.deepEqual(await call(await connect(), 'search_notes', { query: 'absent' }), ['[]', false]);
  });

  it('gets a refusal as an error of one line', async () => {
    const client = await connect();
    const outcomes = [
      await call(client, 'read_note', { path: '../secret.md' }),
      await call(client, 'search_notes', { query: '?' }),
      await call(client, 'search_notes', { query: 'x', limit: 11 }),
      await call(client, 'read_note', {}),
      await call(client, '__proto__', {}),
    ];
    assert.deepEqual(
      outcomes.map(([text, isError]) => [isError, text.includes('\n')]),
      Array(5).fill([true, false]),
    );
    assert.equal(
      outcomes[0]?.[0],
      'no note has the path "../secret.md": give a path as the search returns it',
    );
  });

  it('sees what changed since the last one', async () => {
    const client = await connect();
    await call(client, 'search_notes', { query: 'fresh' });
    writeFileSync(join(folder, 'fresh.md'), 'fresh');
    const [found] = await call(client, 'search_notes', { query: 'fresh' });
    rmSync(join(folder, 'fresh.md'));
    const [gone] = await call(client, 'search_notes', { query: 'fresh' });
    assert.deepEqual([JSON.parse(found)[0].path, gone], ['fresh.md', '[]']);
  });
});

describe('a start', () => {
  it('says how many notes there are on stderr, nothing on stdout, and ends with its input', () => {
    const ended = { status: 0, stdout: '', stderr: 'notes: 2 notes indexed in N ms\n' };
    assert.deepEqual(start(folder), ended);
    assert.deepEqual(start(join(place, 'by another name')), ended);
  });

  it('fails in one line without a folder that can be listed', () => {
    const failed = (...args: string[]) => {
      const { status, stdout, stderr } = start(...args);
      assert.deepEqual([status, stdout], [2, '']);
      return stderr;
    };
    assert.equal(
      failed('/none'),
      '/none: NOTES_FOLDER_MISSING: there is no such folder: check the path; it is taken from the working folder\n',
    );
    const file = join(folder, 'llama.md');
    assert.equal(
      failed(file),
      `${file}: NOTES_FOLDER_MISSING: this is not a folder: name the folder that holds the notes\n`,
    );
    assert.match(failed(), /^INVALID_ARGUMENTS: one folder of notes is needed: /);
  });
});

describe('an end', () => {
  /** A server that has answered its first request. */
  async function running(): Promise<ChildProcess> {
    const child = spawn(process.execPath, [ENTRY, folder], { stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    assert.ok(child.stdout);
    await once(child.stdout, 'data');
    return child;
  }

  it('follows each signal at once', async () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      const child = await running();
      child.kill(signal);
      assert.deepEqual(await once(child, 'close'), [null, signal]);
    }
  });

  it('comes quietly when nobody reads any more', async () => {
    const child = await running();
    child.stdout?.destroy();
    child.stdin?.write('{"jsonrpc":"2.0","id":2,"method":"ping"}\n');
    assert.deepEqual(await once(child, 'close'), [0, null]);
  });

  it('comes after the answers to what was asked before', async () => {
    const child = spawn(process.execPath, [ENTRY, folder], { stdio: ['pipe', 'pipe', 'ignore'] });
    const asked = { method: 'tools/call', params: { name: 'search_notes', arguments: { query: 'llama' } } };
    child.stdin?.end(`not JSON\n${JSON.stringify({ jsonrpc: '2.0', id: 'a', ...asked })}\n`);
    assert.ok(child.stdout);
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) lines.push(line);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).id),
      ['a'],
    );
  });
});
