/** Stand-in servers for the tests of this folder: small programs for `node -e`, each wrong in a way of its own. */

/** Reads requests line by line, answers `initialize`, and hands every other request to `onRequest(message)`. */
const READER = `
const send = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
const reply = (id, result) => send({ jsonrpc: '2.0', id, result });
let rest = '';
process.stdin.on('data', (chunk) => {
  rest += chunk;
  for (let end = rest.indexOf('\\n'); end >= 0; end = rest.indexOf('\\n')) {
    const message = JSON.parse(rest.slice(0, end));
    rest = rest.slice(end + 1);
    if (message.method === 'initialize')
      reply(message.id, {
        protocolVersion: message.params.protocolVersion,
        capabilities: { tools: {}, odd: { kept: true } },
        serverInfo: { name: 'stand-in', version: '9' },
        instructions: 'Ask.',
      });
    else if (message.id !== undefined) onRequest(message);
  }
});
`;

/** A server that shakes hands; `onRequest` is the body of a function of `message`, with `send` and `reply` at hand. */
export function standIn(onRequest: string, before = ''): [string, ...string[]] {
  return program(`${before}\nconst onRequest = (message) => {${onRequest}};\n${READER}`);
}

/** Any program for node. */
export function program(code: string): [string, ...string[]] {
  return [process.execPath, '-e', code];
}
