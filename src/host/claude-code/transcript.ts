/** The transcript of a session: each answer of the model once, with the usage of its last line. Pure; never throws. */
import { z } from 'zod';
import type { JsonObject } from '../wire/json.js';
import { jsonLines } from './json-lines.js';

const assistant = z.looseObject({
  type: z.literal('assistant'),
  uuid: z.string().nullish().catch(null),
  isSidechain: z.boolean().nullish().catch(null),
  parent_tool_use_id: z.string().nullish().catch(null),
  isApiErrorMessage: z.boolean().nullish().catch(null),
  is_api_error_message: z.boolean().nullish().catch(null),
  requestId: z.string().nullish().catch(null),
  timestamp: z.string().nullish().catch(null),
  message: z.looseObject({
    id: z.string(),
    model: z.string().nullish().catch(null),
    stop_reason: z.string().nullish().catch(null),
    content: z.array(z.unknown()).catch([]),
    usage: z.unknown(),
  }),
});

const user = z.looseObject({
  type: z.literal('user'),
  timestamp: z.string().nullish().catch(null),
  message: z.looseObject({ content: z.array(z.unknown()) }),
});

const toolResult = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  is_error: z.boolean().nullish().catch(null),
  content: z
    .union([z.string(), z.array(z.unknown())])
    .nullish()
    .catch(null),
});

const apiRequest = z.object({
  type: z.literal('api-request'),
  params: z.looseObject({ betas: z.array(z.string()) }),
});

/** Requests that may hold tools without their schemas name this beta. */
const DEFERS = /^advanced-tool-use/;

/** One answer of the model. */
export interface Answer {
  message_id: string;
  request_id: string | null;
  model: string | null;
  stop_reason: string | null;
  /** The blocks of all its lines, in order. */
  content: unknown[];
  /** Of its last line, verbatim. */
  usage: unknown;
  /** When its last line was written, in milliseconds; null where that is not known. */
  at_ms: number | null;
}

/** What a tool answered, as the model was sent it. */
export interface ToolResult {
  content: unknown[];
  is_error: boolean;
  at_ms: number | null;
}

export interface Transcript {
  /** In the order in which they began. Errors that the host shows as answers are left out. */
  answers: Answer[];
  /** Ids of answers that only the stream has, so that their usage is not known. */
  untold: string[];
  /** By the id of the tool_use block. */
  results: Map<string, ToolResult>;
  /** For each request that the transcript tells of: whether tools could be deferred in it. */
  defers: boolean[];
  /** Answers of sub-agents, which are none of the trial's. */
  sidechain: number;
  odd: number;
  cut: boolean;
}

/** Reads a transcript, or the messages of a stream. A line that stands twice, by its uuid, counts once. */
export function readTranscript(bytes: Buffer): Transcript {
  const { records, odd, cut } = jsonLines(bytes);
  const answers = new Map<string, Answer>();
  const results = new Map<string, ToolResult>();
  const seen = new Set<string>();
  const sidechain = new Set<string>();
  for (const record of records) {
    const said = assistant.safeParse(record).data;
    if (said !== undefined && isNew(said.uuid, seen)) {
      if (isOfSubAgent(said)) sidechain.add(said.message.id);
      else if (!isOfHost(said)) add(answers, said);
    }
    for (const [id, result] of resultsIn(record)) results.set(id, result);
  }
  const requests = records.flatMap((record) => apiRequest.safeParse(record).data ?? []);
  const defers = requests.map(({ params }) => params.betas.some((beta) => DEFERS.test(beta)));
  return { answers: [...answers.values()], results, defers, untold: [], sidechain: sidechain.size, odd, cut };
}

/** The stream says it in a way of its own. */
function isOfSubAgent({ isSidechain, parent_tool_use_id }: z.infer<typeof assistant>): boolean {
  return isSidechain === true || typeof parent_tool_use_id === 'string';
}

/** An error that the host shows as if the model had said it. */
function isOfHost({ isApiErrorMessage, is_api_error_message }: z.infer<typeof assistant>): boolean {
  return isApiErrorMessage === true || is_api_error_message === true;
}

function isNew(uuid: string | null | undefined, seen: Set<string>): boolean {
  if (uuid === null || uuid === undefined) return true;
  if (seen.has(uuid)) return false;
  seen.add(uuid);
  return true;
}

function add(
  answers: Map<string, Answer>,
  { message, requestId, timestamp }: z.infer<typeof assistant>,
): void {
  const { id, model = null, stop_reason = null, content, usage } = message;
  const before = answers.get(id)?.content ?? [];
  answers.set(id, {
    ...{ message_id: id, request_id: requestId ?? null, model, stop_reason, usage },
    ...{ content: [...before, ...content], at_ms: timeOf(timestamp) },
  });
}

function resultsIn(record: JsonObject): [string, ToolResult][] {
  const said = user.safeParse(record).data;
  if (said === undefined) return [];
  return said.message.content.flatMap((block): [string, ToolResult][] => {
    const result = toolResult.safeParse(block).data;
    if (result === undefined) return [];
    const { tool_use_id, is_error, content } = result;
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
    return [[tool_use_id, { content: blocks, is_error: is_error === true, at_ms: timeOf(said.timestamp) }]];
  });
}

/**
 * A transcript with the answers and results that only the stream has. The figures of the stream are placeholders, so
 * that such an answer has no usage; why the last one stopped is what the result says.
 */
export function withStream(transcript: Transcript, stream: Buffer, stop_reason: string | null): Transcript {
  const streamed = readTranscript(stream);
  const told = new Set(transcript.answers.map(({ message_id }) => message_id));
  const more = streamed.answers
    .filter(({ message_id }) => !told.has(message_id))
    .map((answer) => ({ ...answer, usage: null }));
  const last = more.at(-1);
  if (last !== undefined) more[more.length - 1] = { ...last, stop_reason: last.stop_reason ?? stop_reason };
  return {
    ...transcript,
    answers: [...transcript.answers, ...more],
    results: new Map([...streamed.results, ...transcript.results]),
    untold: more.map(({ message_id }) => message_id),
  };
}

function timeOf(timestamp: string | null | undefined): number | null {
  const at = Date.parse(timestamp ?? '');
  return Number.isNaN(at) ? null : at;
}
