/** The compiled server as a child process, spoken to by a real MCP client. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const ENTRY = fileURLToPath(new URL('entry.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'measure records '));
const snapshot = join(folder, 'snapshot.json');
const fields = join(folder, 'fields.json');
const ROWS = '[{"id":"a","revision":"1","open":"yes"},{"id":"b","revision":"1"}]';
const FIELDS = '["id","revision","open"]';
const ROWS_SHA256 = 'df3623d0e299d4967958568c54bd5d796249ae724d6851e6137aa4212922fd27';
const BOTH_FILES = ['--snapshot', snapshot, '--fields', fields];

beforeEach(() => {
  writeFileSync(snapshot, ROWS);
  writeFileSync(fields, FIELDS);
});
after(() => rmSync(folder, { recursive: true }));

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** A client connected to a fresh server with these controls. */
async function connect(controls: string, mode: 'legacy' | 'auto' = 'legacy'): Promise<Client> {
  const args = [ENTRY, ...BOTH_FILES, '--controls', controls];
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  clients.push(client);
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return client;
}

async function catalog(controls: string): Promise<[string, string[]][]> {
  const { tools } = await (await connect(controls)).listTools();
  return tools.map((tool) => [tool.name, Object.keys(tool.inputSchema.properties ?? {})]);
}

/** A server that is given these arguments and no client: it must end by itself. */
function start(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [ENTRY, ...args], {
    input: '',
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('the catalog', () => {
  it('is a broad one without controls', async () => {
    assert.deepEqual(await catalog('none'), [
      ['exact_record', ['id']],
      ['list_records', []],
    ]);
  });

  it('is a narrow one with all of them', async () => {
    assert.deepEqual(await catalog('all'), [
      ['exact_record', ['id']],
      ['find_records', ['matchField', 'matchValue', 'fields', 'cursor']],
      ['count_by_field', ['field', 'value', 'cursor']],
    ]);
  });

  it('has no cursors without paginate', async () => {
    assert.deepEqual(await catalog('filter,count'), [
      ['exact_record', ['id']],
      ['find_records', ['matchField', 'matchValue', 'fields']],
      ['count_by_field', ['field', 'value']],
    ]);
  });

  it('has list_records in the place of find_records without filter', async () => {
    assert.deepEqual(await catalog('count,paginate'), [
      ['exact_record', ['id']],
      ['list_records', []],
      ['count_by_field', ['field', 'value', 'cursor']],
    ]);
  });
});

describe('a call', () => {
  it('gets its result as text and as structured content', async () => {
    const client = await connect('all');
    const result = await client.callTool({
      name: 'count_by_field',
      arguments: { field: 'open', value: 'yes' },
    });
    const text =
      `{"sourceHash":"${ROWS_SHA256}","sourceRevision":"${ROWS_SHA256.slice(0, 16)}",` +
      '"definition":{"field":"open","value":"yes"},"count":1,"auditIds":["a"],"moreAvailable":false,"nextCursor":null,"cache":"miss"}';
    assert.deepEqual(result.content, [{ type: 'text', text }]);
    assert.deepEqual(result.structuredContent, JSON.parse(text));
  });

  it('gets a refusal as an error result whose text is the code', async () => {
    const client = await connect('all');
    const result = await client.callTool({
      name: 'count_by_field',
      arguments: { field: 'secret', value: '' },
    });
    assert.deepEqual(result, { isError: true, content: [{ type: 'text', text: 'INVALID_FIELD' }] });
  });

  it('is refused while a file is not what it was, and answered again once it is', async () => {
    const client = await connect('none');
    const texts: unknown[] = [];
    const call = async () =>
      texts.push((await client.callTool({ name: 'exact_record', arguments: { id: 'z' } })).content);
    rmSync(snapshot);
    writeFileSync(fields, '["id","revision"]');
    await call();
    writeFileSync(snapshot, ROWS);
    await call();
    writeFileSync(fields, FIELDS);
    await call();
    const found = `{"sourceHash":"${ROWS_SHA256}","sourceRevision":"${ROWS_SHA256.slice(0, 16)}","found":false,"row":null}`;
    assert.deepEqual(texts, [
      [{ type: 'text', text: 'SOURCE_CHANGED' }],
      [{ type: 'text', text: 'ALLOWLIST_CHANGED' }],
      [{ type: 'text', text: found }],
    ]);
  });
});

describe('a handshake', () => {
  it('is answered in the older protocol', async () => {
    const client = await connect('all');
    assert.equal(client.getNegotiatedProtocolVersion(), '2025-11-25');
    assert.deepEqual(client.getServerVersion(), { name: 'measured-records', version: '1.0.0' });
  });

  it('is answered in the newer protocol', async () => {
    const client = await connect('all', 'auto');
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    assert.equal((await client.listTools()).tools.length, 3);
  });
});

describe('a start', () => {
  it('ends quietly with its input', () => {
    assert.deepEqual(start(...BOTH_FILES, '--controls', 'all'), { status: 0, stdout: '', stderr: '' });
  });

  it('fails in one line on a bad file', () => {
    writeFileSync(snapshot, '[{"id":"a","revision":"1"},\n{"id":"a","revision":"1"}]');
    assert.deepEqual(start(...BOTH_FILES, '--controls', 'all'), {
      status: 2,
      stdout: '',
      stderr: `${snapshot}:2: DUPLICATE_ID: row 2 (id "a"): row 1 has this id already: make ids unique\n`,
    });
  });

  it('fails on bad controls', () => {
    const { status, stderr } = start(...BOTH_FILES, '--controls', 'some');
    assert.equal(status, 2);
    assert.match(stderr, /^INVALID_CONTROLS: "some" is not a control: .*\n$/);
  });

  it('fails on missing arguments', () => {
    assert.deepEqual(start('--snapshot', snapshot), {
      status: 2,
      stdout: '',
      stderr:
        'INVALID_ARGUMENTS: --snapshot, --fields and --controls are all needed: give --snapshot FILE --fields FILE --controls none|all|LIST\n',
    });
  });

  it('fails in one line on an argument that it does not know', () => {
    const { status, stderr } = start(...BOTH_FILES, '--controls', 'all', '--verbose');
    assert.equal(status, 2);
    assert.match(stderr, /^INVALID_ARGUMENTS: Unknown option '--verbose'.*\n$/);
  });

  it('serves the files that were expected', () => {
    assert.equal(
      start(...BOTH_FILES, '--controls', 'all', '--expect-snapshot-sha256', ROWS_SHA256).status,
      0,
    );
  });

  it('fails on another snapshot than was expected', () => {
    const { status, stderr } = start(...BOTH_FILES, '--controls', 'all', '--expect-snapshot-sha256', '00');
    assert.equal(status, 2);
    assert.match(
      stderr,
      /snapshot\.json: SOURCE_CHANGED: its SHA-256 is [0-9a-f]{64}, not the expected 00: .*\n$/,
    );
  });

  it('fails on another allow-list than was expected', () => {
    const { status, stderr } = start(...BOTH_FILES, '--controls', 'all', '--expect-fields-sha256', '00');
    assert.equal(status, 2);
    assert.match(stderr, /fields\.json: ALLOWLIST_CHANGED: .*\n$/);
  });
});
