/** The scripted model: the next message is a pure function of the script, the tasks and the request. */
import { z } from 'zod';
import { sha256 } from '../../events/bytes.js';
import { evaluate, holds } from './expression.js';
import { type Offer, offerOf } from './offer.js';
import { Refusal } from './refusal.js';
import { dialogueOf, type MessagesRequest, requestDigest, type Said, toolUsesOf } from './request.js';
import { type Scene, type Scenes, scenesOf } from './scene.js';
import type { Script, ScriptCall, ScriptEntry, ScriptStep } from './script.js';

/** A task that the model recognises by its first user message. */
export interface ScriptedTask {
  id: string;
  kind?: string;
  /** The exact first user message. */
  prompt: string;
  /** The task's entry, as in the tasks file. */
  task: Record<string, unknown>;
}

export type ContentBlock =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> };

interface ScriptedMessage {
  content: ContentBlock[];
  stop_reason: 'end_turn' | 'tool_use';
}

/** How a final answer is said: as JSON, or, where it is a string, as it stands. */
export type AnswerForm = 'json' | 'text';

/** What the scripted model is told beforehand. */
export interface Scripted {
  script: Script;
  tasks: ScriptedTask[];
  answer: AnswerForm;
}

/**
 * The message that the script says comes next. Its place is found by replaying the script over the conversation,
 * so equal requests get equal messages. Throws a Refusal: 400 where no task or entry fits or the conversation is
 * not the script's, 500 where an expression fails or the script has ended (`SCRIPT_ENDED`).
 */
export async function nextMessage(scripted: Scripted, request: MessagesRequest): Promise<ScriptedMessage> {
  const { script, tasks, answer } = scripted;
  const dialogue = dialogueOf(request.messages);
  const task = taskOf(tasks, dialogue);
  const offer = offerOf(request, task.prompt);
  const entry = entryOf(script, task, offer);
  const start = { task: task.task, question: task.prompt, ...offer, results: [], turn: 0 };
  const { step, scene } = await replay(script, entry, dialogue, scenesOf(dialogue, start));
  if (step.answer === undefined) return callsOf(script, step, scene, requestDigest(request));
  const value = await answerOf(script, step, step.answer, scene);
  const text = answer === 'text' && typeof value === 'string' ? value : JSON.stringify(value);
  return { content: [{ type: 'text', text }], stop_reason: 'end_turn' };
}

function taskOf(tasks: ScriptedTask[], [first]: Said[]): ScriptedTask {
  const texts = (first?.blocks ?? []).flatMap((block) => (block.type === 'text' ? block.text : []));
  const found = tasks.find(({ prompt }) => texts.includes(prompt) || texts.join('\n') === prompt);
  if (found !== undefined) return found;
  const asked = JSON.stringify((texts.at(-1) ?? '').slice(0, 80));
  throw new Refusal(
    'invalid_request_error',
    `UNKNOWN_TASK: the first user message is no task's question: ${asked}`,
  );
}

function entryOf(script: Script, task: ScriptedTask, { tools, deferred }: Offer): ScriptEntry {
  const names = [...tools, ...deferred];
  const found = script.entries.find(
    (entry) =>
      (entry.for === task.id || entry.for === task.kind) &&
      entry.offers.every((name) => names.includes(name)),
  );
  if (found !== undefined) return found;
  const offered = names.length === 0 ? 'no tools' : names.join(', ');
  const what = `${script.file} has no entry for task ${task.id} with the tools offered: ${offered}`;
  throw new Refusal('invalid_request_error', `NO_SCRIPT_ENTRY: ${what}`);
}

/** Follows the script over the turns that were taken, from the step that was done last, to the step that comes next. */
async function replay(
  script: Script,
  entry: ScriptEntry,
  dialogue: Said[],
  [scene, ...later]: Scenes,
  done?: ScriptStep,
): Promise<{ step: ScriptStep; scene: Scene }> {
  const step = await stepAfter(script, entry, done, scene);
  if (step === undefined) {
    const what = `${script.file} says nothing more for ${entry.for} after ${scene.turn} turns`;
    throw new Refusal('api_error', `SCRIPT_ENDED: ${what}`);
  }
  const [next, ...rest] = later;
  if (next === undefined) return { step, scene };
  checkTaken(script, step, dialogue[scene.turn * 2 + 1]);
  return replay(script, entry, dialogue, [next, ...rest], step);
}

async function stepAfter(
  script: Script,
  { steps }: ScriptEntry,
  done: ScriptStep | undefined,
  scene: Scene,
): Promise<ScriptStep | undefined> {
  if (done?.repeat_while !== undefined && (await isTrue(script, done, 'repeat_while', scene))) return done;
  for (const step of steps.slice(done === undefined ? 0 : steps.indexOf(done) + 1)) {
    const wanted = step.when === undefined || (await isTrue(script, step, 'when', scene));
    const skipped = step.skip_if !== undefined && (await isTrue(script, step, 'skip_if', scene));
    if (wanted && !skipped) return step;
  }
  return undefined;
}

/** A turn that another model took cannot be gone on with. */
function checkTaken(script: Script, step: ScriptStep, said: Said | undefined): void {
  const names = said === undefined ? [] : toolUsesOf(said).map(({ name }) => name);
  const scripted = step.calls.map(({ tool }) => tool);
  if (names.every((name) => scripted.includes(name)) && scripted.every((name) => names.includes(name)))
    return;
  const wanted = scripted.length === 0 ? 'an answer' : `calls of ${scripted.join(', ')}`;
  throw new Refusal(
    'invalid_request_error',
    `messages.${said?.at}: ${script.file}:${step.line} says ${wanted} here`,
  );
}

async function answerOf(script: Script, step: ScriptStep, answer: string, scene: Scene): Promise<unknown> {
  const value = await inStep(script, step, 'answer', () => evaluate(script.define, answer, scene));
  if (value === undefined) throw failed(script, step, 'answer', 'it gives no value');
  return value;
}

async function callsOf(
  script: Script,
  step: ScriptStep,
  scene: Scene,
  digest: string,
): Promise<ScriptedMessage> {
  const content: ContentBlock[] = step.text === undefined ? [] : [{ type: 'text', text: step.text }];
  for (const call of step.calls) {
    for (const input of await argumentsOf(script, step, call, scene)) {
      const id = `toolu_${sha256(`${digest} ${content.length}`).slice(0, 24)}`;
      content.push({ type: 'tool_use', id, name: call.tool, input });
    }
  }
  return { content, stop_reason: 'tool_use' };
}

const inputs = z.union([
  z.array(z.record(z.string(), z.unknown())).min(1),
  z.record(z.string(), z.unknown()),
]);

/** The arguments of each call that a scripted call makes: one, or one for each object of a list. */
async function argumentsOf(
  script: Script,
  step: ScriptStep,
  { tool, arguments: given }: ScriptCall,
  scene: Scene,
): Promise<Record<string, unknown>[]> {
  if (typeof given !== 'string') return [given];
  const part = `arguments of ${tool}`;
  const value = await inStep(script, step, part, () => evaluate(script.define, given, scene));
  const parsed = inputs.safeParse(value);
  if (!parsed.success) throw failed(script, step, part, 'they are neither an object nor a list of objects');
  return Array.isArray(parsed.data) ? parsed.data : [parsed.data];
}

type Condition = 'when' | 'skip_if' | 'repeat_while';

function isTrue(script: Script, step: ScriptStep, part: Condition, scene: Scene): Promise<boolean> {
  return inStep(script, step, part, () => holds(script.define, step[part] ?? 'false', scene));
}

async function inStep<T>(script: Script, step: ScriptStep, part: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failed(script, step, part, error instanceof Error ? error.message : String(error));
  }
}

function failed(script: Script, step: ScriptStep, part: string, reason: string): Refusal {
  return new Refusal('api_error', `SCRIPT_FAILED: ${script.file}:${step.line}: ${part}: ${reason}`);
}
