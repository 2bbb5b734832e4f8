/** What the transport keeps of every line, and what it shows of its process. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sha256 } from '../../events/bytes.js';
import type { PassingMessage } from './ledger.js';
import { program } from './stand-in.test.support.js';
import { StdioTransport } from './stdio.js';
import type { WireLine } from './transport.js';

const ECHO = program(`
  process.stdin.on('data', (chunk) => process.stdout.write('not JSON \\u00e9\\n' + chunk));
  process.stdin.on('end', () => process.exit(0));
`);

const NOTE = Buffer.from('{"jsonrpc":"2.0","method":"notifications/é"}');

it('measures every line both ways over its raw bytes, and is recognised as stdio', async () => {
  const lines: WireLine[] = [];
  const passing: PassingMessage[] = [];
  const transport = new StdioTransport(
    { argv: ECHO, env: {}, cwd: '/' },
    {
      onFault: () => undefined,
      onPassing: (message) => passing.push(message),
      onLine: (line) => lines.push(line),
    },
  );
  const echoed = new Promise((resolve) => {
    transport.onmessage = resolve;
  });
  assert.equal(transport.pid, null);
  await transport.start();
  await transport.send({ jsonrpc: '2.0', method: 'notifications/é' });
  assert.deepEqual(await echoed, { jsonrpc: '2.0', method: 'notifications/é' });
  await transport.close();
  assert.deepEqual(
    lines.map(({ direction, bytes, sha256: digest }) => [direction, bytes, digest]),
    [
      ['out', 45, sha256('{"jsonrpc":"2.0","method":"notifications/é"}')],
      ['in', 11, sha256('not JSON é')],
      ['in', 45, sha256('{"jsonrpc":"2.0","method":"notifications/é"}')],
    ],
  );
  assert.deepEqual(passing, [
    { direction: 'to_server', kind: 'notification', method: 'notifications/é', line: NOTE },
    { direction: 'to_client', kind: 'notification', method: 'notifications/é', line: NOTE },
  ]);
  assert.ok('stderr' in transport && 'pid' in transport);
  assert.deepEqual(transport.exit, { exit_code: 0, signal: null });
});
