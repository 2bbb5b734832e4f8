/** The recording proxy: a server on loopback in front of the API, whose requests are heard before they go on. */
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream';
import { Passage, type ProxiedAnswer } from './passage.js';

/** A model call as it arrived. */
export interface ProxiedRequest {
  body: Buffer;
  /** Of the header by which the command names its session; null without. */
  session: string | null;
}

/** Hears each model call. */
export interface HearsCalls {
  /**
   * Before a call goes on. A text is why it may not: the command is refused it. What this throws ends the proxy's part in
   * the run: nothing more goes on, and `failed` has it. Gives what is to hear the answer.
   */
  call(request: ProxiedRequest): string | ((answer: ProxiedAnswer) => void);
}

export interface RecordingProxy {
  /** `http://127.0.0.1:PORT`. */
  url: string;
  /** Aborted with the error once a call could not be recorded. */
  failed: AbortSignal;
  /** Ends every connection and frees the port. */
  close(): Promise<void>;
}

/** Starts a proxy in front of `upstream`, the base URL of an API. Keys pass through it and are kept nowhere. */
export async function startProxy(upstream: string, hears: HearsCalls): Promise<RecordingProxy> {
  const failure = new AbortController();
  const server = createServer((request, response) => {
    void pass({ upstream, hears, failure }, request, response);
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return { url: urlOf(server), failed: failure.signal, close: () => close(server) };
}

interface Passing {
  upstream: string;
  hears: HearsCalls;
  failure: AbortController;
}

async function pass(passing: Passing, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const body = await bodyOf(request);
    const heard = isModelCall(request) ? hear(passing, request, body) : () => undefined;
    if (typeof heard === 'string') refuse(response, heard);
    else forward(passing.upstream, request, { body, response, heard });
  } catch {
    response.destroy(); // the client went away in the middle of its request
  }
}

/** Throws nothing: what cannot be recorded must not go on, and ends the run. */
function hear(
  { hears, failure }: Passing,
  request: IncomingMessage,
  body: Buffer,
): ReturnType<HearsCalls['call']> {
  if (failure.signal.aborted) return 'the run has ended';
  const session = request.headers['x-claude-code-session-id'];
  try {
    return hears.call({ body, session: typeof session === 'string' ? session : null });
  } catch (error) {
    failure.abort(error);
    return 'the call could not be recorded';
  }
}

function isModelCall({ method, url = '/' }: IncomingMessage): boolean {
  return method === 'POST' && new URL(url, 'http://127.0.0.1').pathname.endsWith('/v1/messages');
}

interface Exchange {
  body: Buffer;
  response: ServerResponse;
  heard: (answer: ProxiedAnswer) => void;
}

/** Sends the request on, and what comes back as it comes. */
function forward(upstream: string, request: IncomingMessage, { body, response, heard }: Exchange): void {
  const url = new URL(`${upstream.replace(/\/$/, '')}${request.url}`);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const passage = new Passage(heard);
  const onward = send(url, { method: request.method ?? 'GET', headers: onwardHeaders(request, url, body) });
  onward.once('response', (answer) => {
    passage.begin(answer);
    response.writeHead(answer.statusCode ?? 502, backHeaders(answer.rawHeaders));
    answer.on('data', (chunk: Buffer) => passage.data(chunk));
    pipeline(answer, response, (error) => passage.end(error?.message ?? null));
  });
  onward.once('error', (error) => {
    passage.end(error.message);
    response.destroy();
  });
  response.once('close', () => onward.destroy());
  onward.end(body);
}

/** Headers of one connection, which mean nothing on the next. */
const HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/** The same headers for the API. It is asked not to compress, so that what it says can be read on its way. */
function onwardHeaders(request: IncomingMessage, { host }: URL, body: Buffer): OutgoingHttpHeaders {
  const kept = Object.entries(request.headers).filter(([name]) => !HOP.includes(name));
  const length = body.length === 0 ? {} : { 'content-length': body.length };
  return { ...Object.fromEntries(kept), ...length, host, 'accept-encoding': 'identity' };
}

/** Names and values in turn, as they came. */
function backHeaders(raw: string[]): string[] {
  return raw.filter((_, at) => !HOP.includes((raw[at - (at % 2)] ?? '').toLowerCase()));
}

function refuse(response: ServerResponse, message: string): void {
  const error = { type: 'error', error: { type: 'permission_error', message } };
  response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(error));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return `http://127.0.0.1:${address.port}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
