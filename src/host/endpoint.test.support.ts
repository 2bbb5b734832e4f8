/** A Messages endpoint on loopback for tests: it answers as it is told, well or badly, and remembers what it heard. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { z } from 'zod';

/** One request as it arrived. */
export interface Heard {
  path: string;
  headers: IncomingMessage['headers'];
  bytes: Buffer;
  body: z.infer<typeof bodySchema>;
}

const bodySchema = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.looseObject({ name: z.string() })),
});

/** What is done with one request. */
export type Answer = (response: ServerResponse, heard: Heard) => void;

export interface Endpoint {
  url: string;
  /** Model calls, in order. */
  heard: Heard[];
  /** Requests to count tokens, in order. */
  counted: Heard[];
}

/** The nth model call gets the nth answer, later ones the last; `count` answers count_tokens, which is absent without it. */
export async function openEndpoint(
  test: TestContext,
  answers: Answer[],
  count: Answer = status(404, '{"type":"error"}'),
): Promise<Endpoint> {
  const [heard, counted]: [Heard[], Heard[]] = [[], []];
  const server = createServer(async (request, response) => {
    const call = await hear(request);
    const counts = call.path.endsWith('/count_tokens');
    (counts ? counted : heard).push(call);
    const answer = counts ? count : (answers[heard.length - 1] ?? answers.at(-1));
    answer?.(response, call);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${portOf(server.address())}`, heard, counted };
}

async function hear(request: IncomingMessage): Promise<Heard> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const body = bodySchema.parse(JSON.parse(bytes.toString('utf8')));
  return { path: request.url ?? '', headers: request.headers, bytes, body };
}

export function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Any status, body and headers. */
export function status(code: number, body: string | Buffer, headers: Record<string, string> = {}): Answer {
  return (response) => response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(body);
}

/** A message with these blocks; ten tokens in and five out, unless told otherwise. */
export function message(stop_reason: string | null, content: unknown[], more: object = {}): Answer {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const body = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason, usage };
  return status(200, JSON.stringify({ ...body, ...more }), { 'request-id': 'req_1' });
}

/** A final answer. */
export function says(text: string): Answer {
  return message('end_turn', [{ type: 'text', text }]);
}

/** A turn that asks for tools: names and inputs. The ids are call_1, call_2 and so on. */
export function uses(...calls: [name: string, input: object][]): Answer {
  const blocks = calls.map(([name, input], at) => ({ type: 'tool_use', id: `call_${at + 1}`, name, input }));
  return message('tool_use', [{ type: 'text', text: 'Looking.' }, ...blocks]);
}

/** No answer at all. */
export const silence: Answer = () => {};
