/** What a server says of itself in the answer that settles a handshake. */
import { isObject, type JsonObject } from './json.js';

/** Name and version as the server gives them, capabilities and instructions as received. */
export interface Introduction {
  server_name: string | null;
  server_version: string | null;
  server_capabilities: JsonObject;
  instructions: string | null;
}

const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';

/** From the result on the wire: its name stands at the top of a legacy answer, and under `_meta` of a modern one. */
export function introduction(result: unknown): Introduction {
  const { serverInfo, _meta, capabilities, instructions } = object(result);
  const info = object(serverInfo ?? object(_meta)[SERVER_INFO_KEY]);
  return {
    server_name: text(info.name),
    server_version: text(info.version),
    server_capabilities: object(capabilities),
    instructions: text(instructions),
  };
}

function object(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
