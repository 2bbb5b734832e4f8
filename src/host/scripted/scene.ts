/** What the scripted model has seen before each of its turns: the input of a script's expressions. */
import { type Said, type ToolResult, toolResultsOf, toolUsesOf } from './request.js';

/** What an expression can read. Every name is a top-level field of the input. */
export interface Scene {
  /** The entry of the task, as in the tasks file. */
  task: Record<string, unknown>;
  /** The first user message. */
  question: string;
  /** Names of the tools that are offered with their schemas. */
  tools: string[];
  /** Names of the tools whose schemas the host keeps back until they are asked for. */
  deferred: string[];
  /** All of the text that neither side says: system texts, and what the host adds to the question. */
  system: string;
  /** Every tool result so far, oldest first. */
  results: SceneResult[];
  /** The value of the last result. */
  last?: unknown;
  /** Assistant turns already taken: 0 on the first. */
  turn: number;
}

interface SceneResult {
  tool: string;
  arguments: Record<string, unknown>;
  is_error: boolean;
  /** The text of the result parsed as JSON, or the text itself. */
  value: unknown;
}

/** At least one: the first turn has a scene too. */
export type Scenes = [Scene, ...Scene[]];

/** What could be seen before each assistant turn, the next one included. */
export function scenesOf(dialogue: Said[], start: Scene): Scenes {
  const scenes: Scenes = [start];
  let scene = start;
  for (let at = 1; at + 1 < dialogue.length; at += 2) {
    const results = [...scene.results, ...resultsOf(dialogue, at)];
    scene = { ...scene, results, last: results.at(-1)?.value, turn: scene.turn + 1 };
    scenes.push(scene);
  }
  return scenes;
}

/** The results of the calls of the assistant at this place, in the order of the calls. */
function resultsOf(dialogue: Said[], at: number): SceneResult[] {
  const [said, reply] = dialogue.slice(at, at + 2);
  if (said === undefined || reply === undefined) return [];
  const results = toolResultsOf(reply);
  return toolUsesOf(said).flatMap(({ id, name, input }) => {
    const result = results.find(({ tool_use_id }) => tool_use_id === id);
    return result === undefined
      ? []
      : [{ tool: name, arguments: input, is_error: result.is_error ?? false, value: parsedText(result) }];
  });
}

function parsedText({ content = '' }: ToolResult): unknown {
  const texts =
    typeof content === 'string' ? [content] : content.map((each) => (each.type === 'text' ? each.text : ''));
  const text = texts.join('\n');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
