/** Carrying messages over HTTP: the SDK knows which headers each request needs, and every request is made here. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import {
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import type { UrlSpec } from '../mcp.js';
import { type Fault, faultOf } from './fault.js';
import { Delivery } from './http-delivery.js';
import { ConnectionLost, Connections, checkHeaders, NotHttp } from './http-request.js';
import { isSuccess, statusWords } from './http-words.js';
import { isServerUrl, serverUrl, shownUrl } from './url.js';

/** What the owner of a carrier hears. */
interface CarrierListener {
  fault(fault: Fault): void;
  /** A response with a bad status has come. Resolves to its body. */
  refused(response: IncomingMessage, delivery: Delivery): Promise<Buffer>;
}

/**
 * What the SDK is told in place of a body of success, none of which it sees: 202 ends a request for it, 200 any other
 * message, and with 405 it does not care for a stream itself.
 */
const TOLD = { request: 202, message: 200, stream: 405 };
/** The headers of a response that the SDK acts upon. */
const KEPT_HEADERS = ['mcp-session-id', 'location'];

/** The HTTP half of a session. */
export class HttpCarrier {
  /** True once any response came. */
  answered = false;
  /** True once a connection could not be made, or was dropped before a response. */
  lost = false;
  readonly #sdk: StreamableHTTPClientTransport;
  readonly #connections = new Connections();
  readonly #deliveries = new AsyncLocalStorage<Delivery>();
  readonly #listener: CarrierListener;

  /** Throws a `Problem` where the address or a header cannot be used. */
  constructor({ url, headers }: UrlSpec, listener: CarrierListener) {
    checkHeaders(headers);
    this.#listener = listener;
    this.#sdk = new StreamableHTTPClientTransport(serverUrl(url), {
      requestInit: { headers: { 'user-agent': 'measure', ...headers } },
      fetch: (to, init) => this.#fetch(new URL(to), init ?? {}),
    });
  }

  get sessionId(): string | undefined {
    return this.#sdk.sessionId;
  }

  start(): Promise<void> {
    return this.#sdk.start();
  }

  setProtocolVersion(version: string): void {
    this.#sdk.setProtocolVersion(version);
  }

  /**
   * Sends a message, and resolves when the head of a response of success came. Rejects with `ConnectionLost`, where it
   * was aborted, or with an error that has been told as a fault: a bad status, a redirect, no HTTP at all.
   */
  post(delivery: Delivery, message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    const { requestSignal, headers } = options;
    const told = { ...(requestSignal && { requestSignal }), ...(headers && { headers }) };
    return this.#carry(delivery, () => this.#sdk.send(message, told));
  }

  /** Opens a stream of events, or takes one up after an event. Rejects as `post`. Without a response there is none. */
  stream(delivery: Delivery, lastId = ''): Promise<void> {
    return this.#carry(delivery, () => this.#sdk.resumeStream(lastId));
  }

  /** Tells the server that the session is over. Rejects as `post`. */
  terminate(): Promise<void> {
    return this.#carry(new Delivery('DELETE', 'DELETE'), () => this.#sdk.terminateSession());
  }

  /** Aborts all that is under way, at once and synchronously. */
  stop(): void {
    void this.#sdk.close();
    this.#connections.close();
  }

  async #carry(delivery: Delivery, action: () => Promise<void>): Promise<void> {
    try {
      await this.#deliveries.run(delivery, action);
    } catch (error) {
      if (error instanceof NotHttp)
        this.#listener.fault(faultOf('HTTP_BODY', 'error', error.message, error.bytes));
      if (delivery.redirect === undefined) throw error;
      await this.#listener.refused(delivery.redirect.response, delivery);
      throw new Error(delivery.redirect.words);
    }
  }

  async #fetch(url: URL, init: RequestInit): Promise<Response> {
    const delivery = this.#deliveries.getStore();
    if (delivery === undefined) throw new Error('a request that belongs to no message');
    // The SDK has followed it.
    delivery.redirect?.response.resume();
    delivery.redirect = undefined;
    const response = await this.#respond(url, init, delivery);
    const status = response.statusCode ?? 0;
    const headers = keptHeaders(response);
    const words = redirectWords(url, status, headers.get('location'));
    if (words !== undefined) {
      delivery.redirect = { words, response };
      return new Response(null, { status, headers });
    }
    if (!isSuccess(status)) return this.#refused(response, delivery, headers);
    delivery.response = response;
    return new Response(null, { status: toldFor(delivery), headers });
  }

  async #respond(url: URL, init: RequestInit, delivery: Delivery): Promise<IncomingMessage> {
    const { method, body } = delivery;
    const headers = Object.fromEntries(new Headers(init.headers));
    const signal = init.signal ?? undefined;
    const pending = this.#connections.send(url, { method, headers, body, signal });
    delivery.track(pending.abort, signal);
    try {
      const response = await pending.response;
      this.answered = true;
      return response;
    } catch (error) {
      if (error instanceof ConnectionLost && !delivery.isLeft) this.lost = true;
      throw error;
    }
  }

  /** Only a request of ours ends with its refusal; of anything else it is a fault, and the session goes on. */
  async #refused(response: IncomingMessage, delivery: Delivery, headers: Headers): Promise<Response> {
    // Streams and the end of a session are optional to a server, and this is how it declines.
    if (response.statusCode === 405 && delivery.method !== 'POST') {
      response.resume();
      return new Response(null, { status: toldFor(delivery), headers });
    }
    const reading = this.#listener.refused(response, delivery);
    if (delivery.method === 'DELETE') await reading;
    if (delivery.exchange === undefined) return new Response(null, { status: toldFor(delivery), headers });
    const body = new Uint8Array(await reading);
    return new Response(body.length === 0 ? null : body, {
      status: Math.min(response.statusCode ?? 0, 599),
      headers,
    });
  }
}

function toldFor({ method, exchange }: Delivery): number {
  if (method === 'GET') return TOLD.stream;
  return exchange === undefined ? TOLD.message : TOLD.request;
}

function keptHeaders({ headers }: IncomingMessage): Headers {
  const kept = KEPT_HEADERS.flatMap((name): [string, string][] => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return new Headers(kept);
}

/** Undefined where it is no redirect. Redirects within the origin are followed by the SDK, a few times. */
function redirectWords(from: URL, status: number, location: string | null): string | undefined {
  if (status < 300 || status >= 400 || location === null) return undefined;
  const words = statusWords(status);
  if (!URL.canParse(location, from.href)) return `${words} to an address that is none`;
  const to = new URL(location, from);
  if (!isServerUrl(to.href)) return `${words} to an address of ${to.protocol}, which was not followed`;
  const shown = shownUrl(to.href);
  if (to.origin === from.origin) return `${words} to ${shown}, and so on: the redirects do not end`;
  return `${words} to ${shown} was not followed: use that address if it is the server's`;
}
