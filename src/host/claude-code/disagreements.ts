/** Where the leftovers of a launch disagree, or something was lost on the way: each a fault that names both. Pure. */
import { z } from 'zod';
import { textsOf } from '../../events/answer.js';
import type { BodyOf } from '../../events/event.js';
import { addUsage, NO_USAGE, type Usage, usageOf } from '../../events/usage.js';
import type { Capture } from './capture.js';
import { isOfServer } from './classify.js';
import { hostFault } from './fault.js';
import type { StoryContext } from './story.js';
import type { Stream } from './stream.js';
import { readTranscript, type Transcript } from './transcript.js';

type Fault = BodyOf<'fault'>;

/** All of them; neither source is put right by the other. */
export function disagreements(
  capture: Capture,
  stream: Stream,
  transcript: Transcript,
  context: StoryContext,
): Fault[] {
  return [
    ...retries(stream, context),
    ...denials(stream, context),
    ...losses(capture, stream, transcript, context),
    ...subAgents(capture, transcript, context),
    ...usage(stream, transcript, context),
    ...answer(stream, transcript, context),
    ...version(stream, context),
  ];
}

function retries({ retries }: Stream, { trial }: StoryContext): Fault[] {
  return retries.map(({ attempt, error_status, error }) => {
    const what = `the host tried a model call again (${attempt ?? '?'}): ${error ?? 'no reason'}`;
    return hostFault(trial, 'API_RETRY', what, { http_status: error_status ?? null });
  });
}

function denials({ denials }: Stream, { trial, server }: StoryContext): Fault[] {
  return denials
    .filter(({ tool_name }) => !isOfServer(tool_name, server))
    .map(({ tool_name }) =>
      hostFault(trial, 'PERMISSION_DENIED', `the host did not let the model use ${tool_name}`),
    );
}

function losses(
  { transcripts }: Capture,
  stream: Stream,
  transcript: Transcript,
  { trial }: StoryContext,
): Fault[] {
  const cut = [...(stream.cut ? ['stream'] : []), ...(transcript.cut ? ['transcript'] : [])];
  const odd = stream.odd + transcript.odd;
  const oddWords = `${odd} lines of the stream or the transcript are no JSON objects`;
  const isMissing = transcripts.length === 0 && stream.lines > 0;
  const untold = isMissing ? [] : transcript.untold;
  const missing = 'there is no transcript: what the stream has of answers and calls is taken, without usage';
  const untoldWords = (id: string) =>
    `the stream has the answer ${id}, and no transcript: its usage is not known`;
  return [
    ...cut.map((what) => hostFault(trial, 'LINE_CUT', `the ${what} ends in the middle of a line`)),
    ...(odd === 0 ? [] : [hostFault(trial, 'ODD_LINES', oddWords)]),
    ...(isMissing ? [hostFault(trial, 'TRANSCRIPT_MISSING', missing)] : []),
    ...untold.map((id) => hostFault(trial, 'ANSWER_NOT_IN_TRANSCRIPT', untoldWords(id))),
  ];
}

/** Sub-agents have transcripts of their own, or lines in that of the session. */
function subAgents({ transcripts }: Capture, { sidechain }: Transcript, { trial }: StoryContext): Fault[] {
  const others = transcripts.slice(1).map(({ bytes }) => readTranscript(bytes).sidechain);
  const count = others.reduce((sum, each) => sum + each, sidechain);
  if (count === 0) return [];
  const what = `${count} answers are of sub-agents, and are none of the trial's turns`;
  return [hostFault(trial, 'SUB_AGENT', what)];
}

/** The turns against both of the host's sums: that of the session, and that by model, which has sub-agents and more. */
function usage({ resultLine }: Stream, { answers }: Transcript, { trial }: StoryContext): Fault[] {
  const turns = answers.map(({ usage }) => usageOf(usage) ?? NO_USAGE).reduce(addUsage, NO_USAGE);
  const words = [
    ...differences(turns, usageOf(resultLine?.usage), 'usage'),
    ...differences(turns, sumOf(resultLine?.modelUsage), 'modelUsage'),
  ];
  return words.length === 0 ? [] : [hostFault(trial, 'USAGE_DIFFERS', words.join('; '))];
}

function differences(turns: Usage, whole: Usage | null, name: string): string[] {
  if (whole === null) return [];
  return (Object.keys(whole) as (keyof Usage)[])
    .filter((field) => whole[field] !== turns[field])
    .map((field) => `${field} ${turns[field]} in the turns, ${whole[field]} in ${name} of the result`);
}

const tokens = z.int().nonnegative();
const byModel = z.record(
  z.string(),
  z.object({
    inputTokens: tokens,
    cacheCreationInputTokens: tokens,
    cacheReadInputTokens: tokens,
    outputTokens: tokens,
  }),
);

/** All models together, since a host may name one otherwise than the provider does; null where it names none. */
function sumOf(modelUsage: unknown): Usage | null {
  const models = Object.values(byModel.safeParse(modelUsage).data ?? {});
  if (models.length === 0) return null;
  return models
    .map((model) => ({
      input_tokens: model.inputTokens,
      cache_creation_input_tokens: model.cacheCreationInputTokens,
      cache_read_input_tokens: model.cacheReadInputTokens,
      output_tokens: model.outputTokens,
    }))
    .reduce(addUsage, NO_USAGE);
}

/** The host gives the last text of an answer, or all of them. */
function answer({ result }: Stream, { answers }: Transcript, { trial }: StoryContext): Fault[] {
  const last = answers.at(-1);
  if (result === null || last?.stop_reason !== 'end_turn') return [];
  const texts = textsOf(last.content);
  if ([texts.join(''), texts.at(-1) ?? ''].includes(result.result ?? '')) return [];
  const what = 'the result of the host is not the text of the last answer in its transcript';
  return [hostFault(trial, 'ANSWER_DIFFERS', what)];
}

function version({ init }: Stream, { trial, version }: StoryContext): Fault[] {
  const said = init?.claude_code_version ?? null;
  if (said === null || version === null || said === version) return [];
  const what = `the session was of version ${said}, and the run began with ${version}`;
  return [hostFault(trial, 'HOST_VERSION_DIFFERS', what)];
}
