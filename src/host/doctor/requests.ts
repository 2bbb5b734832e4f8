/** The requests that a host sends, as the doctor sends them by hand. */
import { measureVersion } from '../runtime.js';
import { isObject, type JsonObject } from '../wire/json.js';

/** The revision that `server/discover` belongs to. */
export const MODERN = '2026-07-28';
/** The newest revision that `initialize` agrees on. */
const LEGACY = '2025-11-25';

/** A name that no server should have a tool for. */
export const NO_SUCH_TOOL = 'measure-doctor-no-such-tool';

/** One request; the id and `jsonrpc` are added when it is sent. */
export interface Request {
  method: string;
  params?: JsonObject;
}

function clientInfo(): JsonObject {
  return { name: 'measure-doctor', version: measureVersion() };
}

/** What every request of the newer revision carries. */
function meta(): JsonObject {
  return {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': clientInfo(),
    'io.modelcontextprotocol/clientCapabilities': {},
  };
}

/** The probe that a host of today opens with. */
export function discover(): Request {
  return { method: 'server/discover', params: { _meta: meta() } };
}

/** The older handshake. */
export function initialize(): Request {
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: clientInfo() };
  return { method: 'initialize', params };
}

/** A request after the handshake, in the way of its era. */
export function request(era: 'legacy' | 'modern', method: string, params: JsonObject = {}): Request {
  return era === 'legacy' ? { method, params } : { method, params: { ...params, _meta: meta() } };
}

/** Whether a result of `server/discover` offers the newer revision. */
export function offersModern(reply: JsonObject | null): boolean {
  const result = isObject(reply?.result) ? reply.result : {};
  return Array.isArray(result.supportedVersions) && result.supportedVersions.includes(MODERN);
}
