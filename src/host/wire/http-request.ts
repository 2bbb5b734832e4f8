/** HTTP requests: one is sent, and the head of its response awaited; the body is read by whoever asked. */
import * as http from 'node:http';
import * as https from 'node:https';
import { Problem } from '../../events/problem.js';

/** There is no connection, or none any more, and no response came. The message stands before `before it answered …`. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** What came back is no HTTP; `bytes` are what could be kept of it. */
export class NotHttp extends Error {
  override readonly name = 'NotHttp';
  readonly bytes: Buffer;

  constructor(error: Error) {
    super(`what came back is no HTTP (${error.message})`);
    this.bytes = 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : Buffer.alloc(0);
  }
}

/** We ended it ourselves. */
class Aborted extends Error {
  override readonly name = 'Aborted';
}

/** What is sent. */
interface HttpMessage {
  method: string;
  headers: Record<string, string>;
  body?: Buffer | undefined;
  signal?: AbortSignal | undefined;
}

/** A request under way. `response` rejects with `ConnectionLost`, with `NotHttp`, or with `Aborted`. */
interface PendingRequest {
  response: Promise<http.IncomingMessage>;
  /** Ends the request and its response, however far they are. */
  abort(): void;
}

/** Idle connections are not used again after this: a server that closes them meanwhile would swallow a call. */
const IDLE_MS = 1000;
/** Errors of a connection that there was. */
const DROPPED = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'];
const CONNECTING = ['connect', 'getaddrinfo'];

/** The connections of one session. They are kept open between requests, and live no longer than the session. */
export class Connections {
  readonly #plain = new http.Agent({ keepAlive: true, timeout: IDLE_MS });
  readonly #secure = new https.Agent({ keepAlive: true, timeout: IDLE_MS });

  /** Sends a request. Redirects, compression and time-outs are left to the caller: none of them is asked for. */
  send(url: URL, { method, headers, body, signal }: HttpMessage): PendingRequest {
    const { request, agent } =
      url.protocol === 'https:'
        ? { request: https.request, agent: this.#secure }
        : { request: http.request, agent: this.#plain };
    const sent = request(url, { method, headers, agent });
    const pending = pendingOf(sent);
    // The signal outlives thousands of requests.
    sent.on('close', () => signal?.removeEventListener('abort', pending.abort));
    signal?.addEventListener('abort', pending.abort);
    if (signal?.aborted === true) pending.abort();
    sent.end(body);
    return pending;
  }

  /** Closes what is idle; what is under way is aborted by its own signal. */
  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }
}

function pendingOf(sent: http.ClientRequest): PendingRequest {
  let isAborted = false;
  const response = new Promise<http.IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve);
    sent.on('error', (error: Error) => reject(isAborted ? new Aborted('aborted') : reasonOf(error)));
    sent.on('upgrade', (_head, socket) => {
      socket.destroy();
      reject(new ConnectionLost('left HTTP for another protocol'));
    });
  });
  // Without an error: node would emit it on a socket that listens no more, where the response has just ended.
  const abort = () => {
    isAborted = true;
    sent.destroy();
  };
  return { response, abort };
}

/** Refuses headers that cannot be sent, without saying what they hold. Throws a `Problem`. */
export function checkHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      http.validateHeaderName(name);
      http.validateHeaderValue(name, value);
    } catch {
      throw new Problem({
        code: 'SERVER_HEADER',
        what: `the header ${JSON.stringify(name)} of the server cannot be sent`,
        todo: 'its name may hold letters, digits and "-", its value visible ASCII and no line end',
      });
    }
  }
}

function reasonOf(error: NodeJS.ErrnoException): Error {
  const { code = '', syscall = '' } = error;
  if (code.startsWith('HPE_')) return new NotHttp(error);
  const isDropped = DROPPED.includes(code) && !CONNECTING.includes(syscall);
  return new ConnectionLost(
    `${isDropped ? 'dropped the connection' : 'could not be reached'} (${wordsOf(error)})`,
  );
}

/** Where several addresses were tried, the error itself has no words. */
function wordsOf(error: NodeJS.ErrnoException): string {
  const [first] = error instanceof AggregateError ? error.errors : [];
  const words = error.message || (first instanceof Error ? first.message : (error.code ?? error.name));
  return words.replace(/\s+/g, ' ').trim();
}
