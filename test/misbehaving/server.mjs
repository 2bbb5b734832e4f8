/**
 * A server that misbehaves on purpose, as cases.json says: `node server.mjs CASE` on stdio. With `--http` it listens on
 * a free port of 127.0.0.1, and prints the URL of the case; every other case is there too, under its own name.
 */
import { appendFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { Play, writeAll } from './steps.mjs';

/** A folder for copies of everything that is written to stdout, in files named by the process id. */
const COPIES = process.env.MISBEHAVING_COPIES;
const keep = (bytes) => COPIES && appendFileSync(`${COPIES}/${process.pid}`, bytes);

function serveStdio(name) {
  keep('');
  const play = new Play(name, COPIES ? readdirSync(COPIES).length : 1);
  const { line_end = '\n' } = play.case.server ?? {};
  const write = (bytes) => {
    writeAll(1, Buffer.from(bytes));
    keep(bytes);
  };
  const line = (text) => write(`${text}\n`);
  const out = { write, line, message: (text) => write(text + line_end), isGone: () => false };
  let done = play.perform('start', out);
  const then = (moment, message) => {
    done = done.then(() => play.perform(moment, out, message));
  };
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const message of lines.map((each) => JSON.parse(each))) {
      const { id, method = 'reply' } = message;
      if ((id !== undefined && method !== 'reply') || play.minds(method)) then(method, message);
    }
  });
  process.stdin.on('end', () => then('stdin_end'));
  // It lives on where its case does not end it, but not for ever.
  setTimeout(() => process.exit(), 60_000);
}

function serveHttp(name) {
  const plays = new Map();
  const playOf = (path) => {
    const [, of] = path.split('/');
    if (!plays.has(of)) plays.set(of, new Play(of, 0));
    return plays.get(of);
  };
  const listener = createServer(async (request, response) => {
    const play = playOf(request.url);
    const message = await bodyOf(request);
    const { id, method = 'reply' } = message;
    const moment = request.method === 'POST' ? method : request.method;
    if (moment === 'initialize') play.launch += 1;
    const out = responseOut(response, play.case);
    const isRequest = moment !== method || (id !== undefined && method !== 'reply');
    if (isRequest || play.minds(moment)) await play.perform(moment, out, message);
    else out.head(202, {});
    if (response.headersSent) response.end();
  });
  listener.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${listener.address().port}/${name}/mcp\n`);
  });
  process.stdin.on('end', () => process.exit(0)).resume();
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
}

/** A response as something to write to. What is written first begins it; one that was never begun stays open. */
function responseOut(response, { server = {}, http = {} }) {
  const session = server.session_id === null ? {} : { 'mcp-session-id': 's1' };
  const type = http.as === 'sse' ? 'text/event-stream' : 'application/json';
  const head = (status, headers) => response.writeHead(status, { ...session, ...headers });
  const write = (bytes) => {
    if (!response.headersSent) head(200, { 'content-type': type });
    response.write(bytes);
  };
  const line = (text) => write(http.as === 'sse' ? `data: ${text}\n\n` : `${text}\n`);
  const message = http.as === 'sse' ? line : write;
  const { socket } = response;
  const isGone = () => socket.destroyed;
  return {
    head,
    write,
    line,
    message,
    isGone,
    socket: (text) => socket.write(text),
    cut: () => socket.end(),
  };
}

const [name, flag] = process.argv.slice(2);
if (flag === '--http') serveHttp(name);
else serveStdio(name);
