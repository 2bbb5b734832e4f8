/** A request to the Messages API: its schema, the rules a conversation must keep, and its digest. */
import { z } from 'zod';
import { sha256 } from '../../events/bytes.js';
import { Refusal } from './refusal.js';

const KNOWN_BLOCKS = ['text', 'tool_use', 'tool_result'];

const textBlock = z.looseObject({ type: z.literal('text'), text: z.string().min(1) });
const toolUseBlock = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string().min(1),
  name: z.string().min(1),
  input: z.record(z.string(), z.unknown()),
});
const otherBlock = z
  .looseObject({ type: z.string().refine((type) => !KNOWN_BLOCKS.includes(type)) })
  .transform((block) => ({ type: 'other' as const, block }));
const toolResultBlock = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().min(1),
  content: z.union([z.string(), z.array(z.union([textBlock, otherBlock]))]).optional(),
  is_error: z.boolean().optional(),
});
const block = z.union([textBlock, toolUseBlock, toolResultBlock, otherBlock]);
const message = z.looseObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string(), z.array(block)]),
});
const tool = z
  .looseObject({ name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/), type: z.string().optional() })
  .refine((given) => isServerTool(given.type) || inputSchema.safeParse(given.input_schema).success, {
    message: 'a tool needs an input_schema of type object',
  });
const inputSchema = z.looseObject({ type: z.literal('object') });

const countable = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  tools: z.array(tool).optional(),
  stream: z.boolean().optional(),
});
const sendable = countable.extend({ max_tokens: z.int().min(1) });

/** A request whose tokens can be counted: everything but `max_tokens`. */
export type CountableRequest = z.infer<typeof countable>;
/** A request for a message. */
export type MessagesRequest = z.infer<typeof sendable>;
type RequestMessage = z.infer<typeof message>;
export type RequestBlock = z.infer<typeof block>;
type ToolUse = z.infer<typeof toolUseBlock>;
export type ToolResult = z.infer<typeof toolResultBlock>;

/** Reads a body as a request for a message. Throws a Refusal (400) where the Messages API would refuse it. */
export function readRequest(body: unknown): MessagesRequest {
  return read(sendable, body);
}

/** Reads a body as a request to count tokens: as `readRequest`, but `max_tokens` may be absent. */
export function readCountRequest(body: unknown): CountableRequest {
  return read(countable, body);
}

/** 64 hex digits over what a request says. Whether it streams makes no difference. */
export function requestDigest(request: CountableRequest): string {
  return sha256(JSON.stringify({ ...request, stream: undefined }));
}

/** The blocks of a message; a string is one text block. */
export function blocksOf({ content }: RequestMessage): RequestBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

export function toolUsesOf(said: RequestMessage): ToolUse[] {
  return blocksOf(said).filter((each) => each.type === 'tool_use');
}

export function toolResultsOf(said: RequestMessage): ToolResult[] {
  return blocksOf(said).filter((each) => each.type === 'tool_result');
}

function read<T extends CountableRequest>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw invalid(firstIssue(parsed.error));
  checkTools(parsed.data);
  checkRoles(parsed.data.messages);
  checkToolResults(parsed.data.messages);
  return parsed.data;
}

function firstIssue({ issues }: z.ZodError): string {
  const [issue] = issues;
  return issue === undefined ? 'the request is not valid' : `${issue.path.join('.')}: ${issue.message}`;
}

function checkTools({ tools = [] }: CountableRequest): void {
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid(`tools: the name ${twice} is given twice`);
}

function checkRoles(messages: RequestMessage[]): void {
  messages.forEach(({ role }, index) => {
    const expected = index % 2 === 0 ? 'user' : 'assistant';
    if (role !== expected) throw invalid(`messages.${index}: the role must be ${expected}, roles alternate`);
  });
  if (messages.length % 2 === 0) throw invalid('messages: the last message must be from the user');
}

/** Each tool_use is answered once in the next message, and nothing else is answered there. */
function checkToolResults(messages: RequestMessage[]): void {
  const seen = new Set<string>();
  messages.forEach((said, index) => {
    const before = messages[index - 1];
    const asked = before === undefined ? [] : toolUsesOf(before).map(({ id }) => id);
    const answered = said.role === 'user' ? toolResultsOf(said).map(({ tool_use_id }) => tool_use_id) : [];
    const missing = said.role === 'user' ? asked.filter((id) => !answered.includes(id)) : [];
    const stray = answered.filter((id, at) => !asked.includes(id) || answered.indexOf(id) !== at);
    if (missing.length > 0)
      throw invalid(`messages.${index - 1}: tool_use without a tool_result: ${missing.join(', ')}`);
    if (stray.length > 0)
      throw invalid(`messages.${index}: tool_result without its tool_use: ${stray.join(', ')}`);
    for (const { id } of toolUsesOf(said)) {
      if (said.role === 'user' || seen.has(id))
        throw invalid(`messages.${index}: tool_use ${id} may not stand here`);
      seen.add(id);
    }
  });
}

function isServerTool(type: string | undefined): boolean {
  return type !== undefined && type !== 'custom';
}

function invalid(reason: string): Refusal {
  return new Refusal('invalid_request_error', reason);
}
