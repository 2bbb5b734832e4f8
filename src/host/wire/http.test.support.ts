/** Servers on loopback for the tests of HTTP: each shakes hands, and is wrong in a way of its own afterwards. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { after } from 'node:test';
import {
  type Fault,
  type McpSession,
  openSession,
  type PassingMessage,
  ServerFailure,
  type SessionOptions,
} from '../mcp.js';
import { isObject, type JsonObject } from './json.js';

/** What a server does with a request after the handshake. */
export type OnRequest = (message: JsonObject, response: ServerResponse) => void;

interface Behaviour {
  /** By default the legacy handshake, with a session. */
  onInitialize?: OnRequest;
  /** By default 405, which says that there is no stream. */
  onGet?: (request: IncomingMessage, response: ServerResponse) => void;
  /** By default 200. */
  onDelete?: (request: IncomingMessage, response: ServerResponse) => void;
  /** By default 202. */
  onNotification?: OnRequest;
}

/** A request that a server got: method of HTTP, headers, and the method of the message. */
export interface Seen {
  http: string;
  headers: IncomingMessage['headers'];
  method: unknown;
}

const sessions: McpSession[] = [];
const servers: Server[] = [];
after(async () => {
  await Promise.all(sessions.map((session) => session.close()));
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

/** Listens on a free port, and is closed when the tests end. */
export async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${isObject(address) ? address.port : ''}/mcp`;
}

/** A server that leaves every request to a function from the web's requests to its responses. */
export function serverOf(answer: (request: Request) => Promise<Response>): Server {
  return createServer(async (request, response) => {
    const { method = '', headers } = request;
    const body = await bytesOf(request);
    const sent = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    const answered = await answer(
      new Request('http://127.0.0.1/mcp', { method, headers: sent, body: method === 'POST' ? body : null }),
    );
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    for await (const chunk of answered.body ?? []) response.write(chunk);
    response.end();
  });
}

/** A server that shakes hands in the legacy way; every other request goes to `onRequest`. */
export async function stand(onRequest: OnRequest, behaviour: Behaviour = {}) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const message = await messageOf(request);
    seen.push({ http: request.method ?? '', headers: request.headers, method: message.method });
    if (request.method === 'GET') (behaviour.onGet ?? decline)(request, response);
    else if (request.method === 'DELETE') (behaviour.onDelete ?? accept)(request, response);
    else if (message.method === 'initialize') (behaviour.onInitialize ?? shakeHands)(message, response);
    else if (message.method !== undefined && message.id !== undefined) onRequest(message, response);
    else (behaviour.onNotification ?? ((_message, taken) => taken.writeHead(202).end()))(message, response);
  });
  return { url: await listen(server), seen, server };
}

/** A session with the server at this address; it is closed when the tests end. */
export async function session(url: string, more: Partial<SessionOptions> = {}, headers = {}) {
  const faults: Fault[] = [];
  const passing: PassingMessage[] = [];
  const opened = await openSession(
    { url, headers },
    {
      connectTimeoutMs: 5000,
      onFault: (fault) => faults.push(fault),
      onPassing: (message) => passing.push(message),
      ...more,
    },
  );
  sessions.push(opened);
  return { opened, faults, passing, codes: () => faults.map(({ code }) => code) };
}

/** A session with a server that does this with every call. */
export async function answering(onRequest: OnRequest, more: Partial<SessionOptions> = {}) {
  const { url, ...standing } = await stand(onRequest);
  return { ...(await session(url, more)), ...standing, url };
}

/** The failure of a call that must fail. */
export async function failing(call: Promise<unknown>): Promise<ServerFailure> {
  const outcome = await call.catch((error: unknown) => error);
  assert.ok(outcome instanceof ServerFailure, `no failure: ${outcome}`);
  return outcome;
}

/** Answers with a body. */
export function send(
  response: ServerResponse,
  body: string | Buffer,
  type: string | null = 'application/json',
  status = 200,
): void {
  response.writeHead(status, type === null ? {} : { 'content-type': type }).end(body);
}

/** The reply to a request, as text. */
export function replyTo({ id }: JsonObject, result: unknown = { content: ['ok'] }): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

/** Begins a stream of events. */
export function stream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' });
}

/** The legacy handshake with a session, or without one where its id is null. */
export function shakeHands(
  message: JsonObject,
  response: ServerResponse,
  sessionId: string | null = 'session-1',
): void {
  if (sessionId !== null) response.setHeader('mcp-session-id', sessionId);
  const capabilities = { tools: {} };
  const serverInfo = { name: 'stand-in', version: '9' };
  send(response, replyTo(message, { protocolVersion: '2025-11-25', capabilities, serverInfo }));
}

function decline(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(405).end();
}

function accept(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200).end();
}

async function messageOf(request: IncomingMessage): Promise<JsonObject> {
  const bytes = await bytesOf(request);
  const message: unknown = bytes.length === 0 ? {} : JSON.parse(bytes.toString());
  return isObject(message) ? message : {};
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
