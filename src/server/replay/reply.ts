/** Replies: a recorded one under a new id, every other byte as it was, and errors of our own. */
import { elementsOf, membersOf, type Span } from '../../events/json-spans.js';

/**
 * The recorded reply with the id of another request. `asked` is the token of the id that it was recorded under, `now`
 * the token to put in its place, both as Latin-1. A server that turned a number into a string does so again.
 */
export function withId(reply: Buffer, asked: string, now: string): Buffer {
  const json = reply.toString('latin1');
  const places = idsOf(json).filter(({ start, end }) => means(json.slice(start, end), asked));
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { start, end } of places) {
    const token = json.slice(start, end) === asked ? now : otherType(now);
    pieces.push(reply.subarray(from, start), Buffer.from(token, 'latin1'));
    from = end;
  }
  return Buffer.concat([...pieces, reply.subarray(from)]);
}

/** The tokens of the ids in a line, as Latin-1: one of a message, those of each message of a batch. */
export function idTokens(line: Buffer): string[] {
  const json = line.toString('latin1');
  return idsOf(json).map(({ start, end }) => json.slice(start, end));
}

/** Where the ids of the messages of a line stand: of one message, or of each of a batch. A byte order mark may precede it. */
function idsOf(json: string): Span[] {
  const start = json.search(/[{[]/);
  if (start < 0) return [];
  const messages = json[start] === '{' ? [start] : elementsOf(json, start).map((element) => element.start);
  return messages
    .filter((at) => json[at] === '{')
    .flatMap((at) => membersOf(json, at))
    .filter(({ key }) => key === 'id')
    .map(({ value }) => value);
}

/** Whether an id is that of the request, be it as another type: `7` and `"7"`. */
function means(id: string, asked: string): boolean {
  return id === asked || id === otherType(asked);
}

function otherType(id: string): string {
  return id.startsWith('"') ? id.slice(1, -1) : `"${id}"`;
}

/** A JSON-RPC error that answers the request with this id. `data` says in fields what the message says in words. */
export function errorReply(id: string, code: number, message: string, data?: object): Buffer {
  const error = JSON.stringify({ code, message, ...(data === undefined ? {} : { data }) });
  return around(id, `"error":${error}`);
}

/** A result that answers the request with this id. */
export function resultReply(id: string, result: object): Buffer {
  return around(id, `"result":${JSON.stringify(result)}`);
}

function around(id: string, body: string): Buffer {
  return Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":'),
    Buffer.from(id, 'latin1'),
    Buffer.from(`,${body}}`),
  ]);
}
