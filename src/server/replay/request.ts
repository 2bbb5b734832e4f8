/** Reading one message of a client: what it asks for, and by what two requests are the same. */
import { jsonOf } from '../../events/answer.js';
import { canonicalJson } from '../../events/canonical-json.js';
import { membersOf, type Span } from '../../events/json-spans.js';

/** A request, as it was written. */
export interface Request {
  /** The token of its id, byte for byte, as Latin-1. */
  id: string;
  method: string;
  /** Two requests with the same key ask for the same. */
  key: string;
  /** Of a `tools/call`: the tool, and its arguments as canonical JSON. Null for other methods. */
  call: { tool: string; arguments: string } | null;
}

/**
 * `request`: something to answer. `none`: a notification or a response, which is not answered. `not_json` and
 * `not_a_message`: a line that no answer can be found for.
 */
export type Reading =
  | { kind: 'request'; request: Request }
  | { kind: 'none' }
  | { kind: 'not_json' }
  | { kind: 'not_a_message' };

/** Reads a line without its newline. Never throws. */
export function readRequest(line: Buffer): Reading {
  if (jsonOf(line.toString('utf8')) === undefined) return { kind: 'not_json' };
  // As Latin-1 a place in the text is a place in the bytes, so that an id is kept byte for byte.
  const json = line.toString('latin1');
  const start = json.search(/[^ \t\r\n]/);
  if (json[start] !== '{') return { kind: 'not_a_message' };
  const members = new Map(membersOf(json, start).map(({ key, value }) => [key, value]));
  const method = parsed(json, members.get('method'));
  const id = members.get('id');
  if (method === undefined) return { kind: members.size === 0 ? 'not_a_message' : 'none' };
  if (typeof method !== 'string') return { kind: 'not_a_message' };
  if (id === undefined) return { kind: 'none' };
  const asked = textAt(json, members.get('params')) ?? '{}';
  return { kind: 'request', request: { id: json.slice(id.start, id.end), method, ...wants(method, asked) } };
}

/** The request of a `tools/call` with these arguments, had it been written; its id is empty. */
export function callOf(tool: string, args: unknown): Request {
  const params = JSON.stringify({ name: tool, arguments: args });
  return { id: '', method: 'tools/call', ...wants('tools/call', params) };
}

/** By what a request is found again. What a client says of itself (`_meta`, who it is, what it can do) is no part of it. */
function wants(method: string, params: string): Pick<Request, 'key' | 'call'> {
  const members = new Map(
    params.startsWith('{')
      ? membersOf(params, 0).map(({ key, value }) => [key, params.slice(value.start, value.end)])
      : [],
  );
  const canonical = (name: string) => canonicalJson(members.get(name) ?? 'null');
  switch (method) {
    case 'initialize':
    case 'server/discover':
      return { key: method, call: null };
    case 'tools/list':
      return { key: members.has('cursor') ? `${method} at ${canonical('cursor')}` : method, call: null };
    case 'tools/call':
      return callKey(canonical('name'), canonicalJson(members.get('arguments') ?? '{}'));
    default:
      members.delete('_meta');
      return { key: `${method} ${canonicalJson(object(members))}`, call: null };
  }
}

function callKey(name: string, args: string): Pick<Request, 'key' | 'call'> {
  return { key: `tools/call ${name} ${args}`, call: { tool: String(JSON.parse(name)), arguments: args } };
}

function object(members: Map<string, string>): string {
  return `{${[...members].map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
}

function parsed(json: string, span: Span | undefined): unknown {
  const text = textAt(json, span);
  return text === undefined ? undefined : JSON.parse(text);
}

/** The text of a span of Latin-1, as the UTF-8 that it is. */
function textAt(json: string, span: Span | undefined): string | undefined {
  if (span === undefined) return undefined;
  return Buffer.from(json.slice(span.start, span.end), 'latin1').toString('utf8');
}
