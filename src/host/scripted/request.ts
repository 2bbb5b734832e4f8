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
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(block)]),
});
const tool = z
  .looseObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
    type: z.string().optional(),
    defer_loading: z.boolean().optional(),
  })
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

/** What one side said between two turns of the other. */
export interface Said {
  /** Place of its first message in the request. */
  at: number;
  role: 'user' | 'assistant';
  blocks: RequestBlock[];
}

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

/** The conversation without the system messages in it; what one side says around one of them is said at once. */
export function dialogueOf(messages: RequestMessage[]): Said[] {
  const dialogue: Said[] = [];
  let parted = false;
  for (const [at, given] of messages.entries()) {
    const { role } = given;
    const last = dialogue.at(-1);
    if (role !== 'system' && parted && last?.role === role)
      dialogue.splice(-1, 1, { ...last, blocks: [...last.blocks, ...blocksOf(given)] });
    else if (role !== 'system') dialogue.push({ at, role, blocks: blocksOf(given) });
    parted = role === 'system';
  }
  return dialogue;
}

export function toolUsesOf({ blocks }: Said): ToolUse[] {
  return blocks.filter((each) => each.type === 'tool_use');
}

export function toolResultsOf({ blocks }: Said): ToolResult[] {
  return blocks.filter((each) => each.type === 'tool_result');
}

function read<T extends CountableRequest>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw invalid(firstIssue(parsed.error));
  const dialogue = dialogueOf(parsed.data.messages);
  checkTools(parsed.data);
  checkRoles(dialogue);
  checkToolResults(dialogue);
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

function checkRoles(dialogue: Said[]): void {
  dialogue.forEach(({ at, role }, index) => {
    const expected = index % 2 === 0 ? 'user' : 'assistant';
    if (role !== expected) throw invalid(`messages.${at}: the role must be ${expected}, roles alternate`);
  });
  if (dialogue.length % 2 === 0) throw invalid('messages: the last message must be from the user');
}

/** Each tool_use is answered once in the next message, and nothing else is answered there. */
function checkToolResults(dialogue: Said[]): void {
  const seen = new Set<string>();
  dialogue.forEach((said, index) => {
    const before = dialogue[index - 1];
    const asked = before === undefined ? [] : toolUsesOf(before).map(({ id }) => id);
    const answered = said.role === 'user' ? toolResultsOf(said).map(({ tool_use_id }) => tool_use_id) : [];
    const missing = said.role === 'user' ? asked.filter((id) => !answered.includes(id)) : [];
    const stray = answered.filter((id, at) => !asked.includes(id) || answered.indexOf(id) !== at);
    if (missing.length > 0)
      throw invalid(`messages.${before?.at}: tool_use without a tool_result: ${missing.join(', ')}`);
    if (stray.length > 0)
      throw invalid(`messages.${said.at}: tool_result without its tool_use: ${stray.join(', ')}`);
    for (const { id } of toolUsesOf(said)) {
      if (said.role === 'user' || seen.has(id))
        throw invalid(`messages.${said.at}: tool_use ${id} may not stand here`);
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
