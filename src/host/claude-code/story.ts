/** The story of a launch: the events that its leftovers tell of, joined by the ids of messages and calls. Pure. */
import type { BodyOf, EventBody } from '../../events/event.js';
import type { Capture, TappedBody } from './capture.js';
import { type Expected, isOfServer, outcomeOf, type Verdict, verdictOf } from './classify.js';
import { disagreements } from './disagreements.js';
import { hostFault } from './fault.js';
import { connectMsIn } from './mcp-log.js';
import { readStream, type Stream } from './stream.js';
import { hostCall, tappedCall, toolUsesIn } from './tool-calls.js';
import { type Answer, readTranscript, type Transcript, withStream } from './transcript.js';

export interface StoryContext extends Expected {
  trial: string;
  launch: number;
  usageSource: 'provider' | 'estimate';
  /** The version that the run began with. */
  version: string | null;
}

export interface Story {
  /** What happened between the `launch` and its end, in order. */
  bodies: EventBody[];
  /** The end of the launch, but for its evidence. */
  end: Omit<BodyOf<'launch_end'>, 'evidence'>;
  verdict: Verdict;
}

/** Bytes of the end of standard error that an event has. */
const STDERR_TAIL = 8192;

/** Reads what a launch left behind. Whatever it is, there is a story. */
export function storyOf(capture: Capture, context: StoryContext): Story {
  const stream = readStream(capture.stream);
  const written = readTranscript(capture.transcripts[0]?.bytes ?? Buffer.alloc(0));
  const transcript = withStream(written, capture.stream, stream.result?.stop_reason ?? null);
  const told = tell(capture.tapped, transcript, stream, context);
  return {
    bodies: [...told, ...disagreements(capture, stream, transcript, context)],
    end: endOf(capture, stream, context),
    verdict: verdictOf(capture, stream, transcript, context),
  };
}

/** Turns and calls in the order in which they must have been: a call comes behind the turn that asked for it. */
function tell(
  tapped: TappedBody[],
  transcript: Transcript,
  stream: Stream,
  context: StoryContext,
): EventBody[] {
  const { answers } = transcript;
  const turnOf = new Map(
    answers.flatMap(({ content }, at) => toolUsesIn(content).map(({ id }) => [id, at + 1])),
  );
  const onWire = new Set(tapped.flatMap((body) => (body.type === 'tool_call' ? [body.call_id] : [])));
  const bodies: EventBody[] = [];
  let told = 0;
  const turnsTo = (turn: number) => {
    for (const answer of answers.slice(told, turn)) {
      told += 1;
      bodies.push(
        turnBody(answer, told, context),
        ...callsOf(answer, told, onWire, { transcript, stream, context }),
      );
    }
  };
  for (const body of tapped) {
    const turn = body.type === 'tool_call' ? turnOf.get(body.call_id) : undefined;
    if (turn !== undefined) turnsTo(turn);
    bodies.push(body.type === 'tool_call' ? tappedCall(body, turn ?? null, transcript) : body);
    if (body.type === 'tool_call' && turn === undefined) bodies.push(unknownCall(body));
  }
  turnsTo(answers.length);
  return bodies;
}

function turnBody(answer: Answer, turn: number, { trial, usageSource }: StoryContext): BodyOf<'model_turn'> {
  const { message_id, model, stop_reason, request_id, usage, content } = answer;
  return {
    ...{ type: 'model_turn', trial, turn, attempt: 1, message_id, model, stop_reason, request_id },
    ...{ http_status: null, response_bytes: null, response_sha256: null, elapsed_ms: null },
    ...{ usage_source: usageSource, usage: usage ?? null, content },
  };
}

interface Told {
  transcript: Transcript;
  stream: Stream;
  context: StoryContext;
}

/** What a turn asked for that never reached the tap: tools of the host itself, and calls that came to nothing. */
function callsOf(answer: Answer, turn: number, onWire: Set<string>, told: Told): EventBody[] {
  const { transcript, stream, context } = told;
  const denied = new Set(stream.denials.map(({ tool_use_id }) => tool_use_id));
  return toolUsesIn(answer.content)
    .filter(({ id }) => !onWire.has(id))
    .flatMap((use): EventBody[] => {
      const result = transcript.results.get(use.id);
      const isDenied = denied.has(use.id);
      const call = hostCall(use, { trial: context.trial, turn, asked_ms: answer.at_ms }, result, isDenied);
      const explained = call.error_code === 'PERMISSION_DENIED' || call.error_code === 'UNADVERTISED_TOOL';
      const lost = isOfServer(use.name, context.server) && !explained;
      const what = `the model asked for ${use.name} (${use.id}), and no such call was heard on the wire`;
      return lost ? [call, hostFault(context.trial, 'CALL_NOT_ON_WIRE', what)] : [call];
    });
}

function unknownCall({ trial, tool, call_id }: BodyOf<'tool_call'>): BodyOf<'fault'> {
  const what = `${tool} was called as ${call_id}, and no answer of the transcript asked for that`;
  return hostFault(trial, 'CALL_NOT_IN_TRANSCRIPT', what);
}

function endOf(capture: Capture, stream: Stream, { trial, launch }: StoryContext): Story['end'] {
  const { exit, stderr, mcpLogs } = capture;
  const { init, result, resultLine } = stream;
  const connected = mcpLogs.map(({ bytes }) => connectMsIn(bytes)).find((ms) => ms !== null) ?? null;
  const tail = stderr.subarray(-STDERR_TAIL).toString('utf8');
  return {
    ...{ type: 'launch_end', trial, launch, outcome: outcomeOf(capture, stream), ...exit },
    ...{ session_id: init?.session_id ?? null, version: init?.claude_code_version ?? null },
    ...{ model: init?.model ?? null, connect_ms: connected, num_turns: result?.num_turns ?? null },
    ...{ cost_usd: result?.total_cost_usd ?? null, servers: init?.mcp_servers ?? [] },
    ...{ tools: init?.tools ?? null, stderr_tail: tail === '' ? null : tail },
    ...{ usage: resultLine?.usage ?? null, model_usage: resultLine?.modelUsage ?? null },
    ...{ permission_denials: result?.permission_denials ?? [], result: resultLine },
  };
}
