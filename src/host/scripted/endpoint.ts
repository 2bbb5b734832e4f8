/** The scripted model as an HTTP server on loopback that speaks the Messages API. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { sha256 } from '../../events/bytes.js';
import { nextMessage, type Scripted } from './model.js';
import { Refusal } from './refusal.js';
import { readCountRequest, readRequest, requestDigest } from './request.js';
import { eventStream, type MessageBody } from './stream.js';
import { estimateInput, estimateUsage, TOKENIZER } from './usage.js';

export interface ScriptedEndpoint {
  /** `http://127.0.0.1:PORT`: the base URL of the API, without `/v1`. */
  url: string;
  /** The tokenizer behind the usage figures, which are estimates. */
  tokenizer: string;
  /** Ends every connection and frees the port. */
  close(): Promise<void>;
}

interface Reply {
  status: number;
  type: 'application/json' | 'text/event-stream';
  text: string;
}

/** Starts the scripted model on a free port of 127.0.0.1. No key is asked for. */
export async function startScriptedModel(options: Scripted): Promise<ScriptedEndpoint> {
  const server = createServer((request, response) => {
    void respond(options, request, response);
  });
  // A host may be busy for longer than the usual five seconds between two calls.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return { url: urlOf(server), tokenizer: TOKENIZER, close: () => closeServer(server) };
}

/** Answers one request. Headers carry no date, so that equal requests get equal bytes. */
async function respond(
  scripted: Scripted,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await bodyOf(request).catch(refusalOf);
  const reply = body instanceof Refusal ? errorReply(body) : await answer(scripted, request, body);
  response.sendDate = false;
  response.writeHead(reply.status, {
    'content-type': reply.type,
    'request-id': `req_${sha256(body instanceof Refusal ? '' : body).slice(0, 24)}`,
  });
  response.end(reply.text);
}

async function answer(scripted: Scripted, request: IncomingMessage, body: Buffer): Promise<Reply> {
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  try {
    if (request.method === 'POST' && pathname === '/v1/messages') return await messageReply(scripted, body);
    if (request.method === 'POST' && pathname === '/v1/messages/count_tokens') return await countReply(body);
    throw new Refusal('not_found_error', `nothing answers ${request.method} ${pathname} here`);
  } catch (error) {
    return errorReply(refusalOf(error));
  }
}

async function messageReply(scripted: Scripted, body: Buffer): Promise<Reply> {
  const request = readRequest(parse(body));
  const { content, stop_reason } = await nextMessage(scripted, request);
  const message: MessageBody = {
    id: `msg_${requestDigest(request).slice(0, 24)}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content,
    stop_reason,
    stop_sequence: null,
    usage: estimateUsage(request, content),
  };
  if (request.stream === true) return { status: 200, type: 'text/event-stream', text: eventStream(message) };
  return json(200, message);
}

async function countReply(body: Buffer): Promise<Reply> {
  return json(200, { input_tokens: await estimateInput(readCountRequest(parse(body))) });
}

/** Bodies are bounded as the Messages API bounds them. */
const BODY_LIMIT = 32 * 1024 * 1024;

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= BODY_LIMIT) chunks.push(chunk);
  }
  if (bytes > BODY_LIMIT)
    throw new Refusal('request_too_large', `${bytes} bytes, at most ${BODY_LIMIT} are read`);
  return Buffer.concat(chunks);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw new Refusal('invalid_request_error', `the body is not JSON in UTF-8: ${String(error)}`);
  }
}

/** Anything that is not a Refusal is a defect here: the client is told as of a server's failure. */
function refusalOf(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal('api_error', String(error));
}

function errorReply(refusal: Refusal): Reply {
  return json(refusal.status, refusal.body());
}

function json(status: number, value: unknown): Reply {
  return { status, type: 'application/json', text: JSON.stringify(value) };
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the scripted model has no port');
  return `http://127.0.0.1:${address.port}`;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
