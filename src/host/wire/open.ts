/** Which transport a server is spoken to by. */
import type { ServerSpec } from '../mcp.js';
import { HttpTransport } from './http.js';
import { StdioTransport } from './stdio.js';
import type { TransportOptions, WireTransport } from './transport.js';

/** A transport for a command, on stdio, or for a URL, over HTTP. Nothing is started yet. */
export function openTransport(spec: ServerSpec, options: TransportOptions): WireTransport {
  if ('url' in spec) return new HttpTransport(spec, options);
  return new StdioTransport(spec, options);
}
