/** What the model is offered: tools with their schemas, tools by name alone, and the text around the question. */
import { blocksOf, type CountableRequest, dialogueOf, toolResultsOf } from './request.js';

export interface Offer {
  /** Names of the tools whose schemas the request holds from the start. */
  tools: string[];
  /** Names of the tools that a host keeps back until they are asked for. */
  deferred: string[];
  /** System texts, wherever they stand, and what the host adds to the question, joined by blank lines. */
  system: string;
}

/** The offer of a request. `prompt` is the question as it stands in the first user message. */
export function offerOf(request: CountableRequest, prompt: string): Offer {
  const { tools = [] } = request;
  const system = [...systemTexts(request), ...addedTexts(request, prompt)].join('\n\n');
  const kept = tools.filter(({ defer_loading }) => defer_loading === true).map(({ name }) => name);
  return {
    tools: tools.filter(({ defer_loading }) => defer_loading !== true).map(({ name }) => name),
    deferred: [...new Set([...kept, ...namesIn(system)])],
    system,
  };
}

/** Names of tools whose schemas a tool_reference in a result has brought into the conversation. */
export function loadedTools({ messages }: CountableRequest): Set<string> {
  const results = dialogueOf(messages).flatMap(toolResultsOf);
  const parts = results.flatMap(({ content = [] }) => (typeof content === 'string' ? [] : content));
  return new Set(
    parts.flatMap((part) => {
      const name = part.type === 'other' && part.block.type === 'tool_reference' && part.block.tool_name;
      return typeof name === 'string' ? [name] : [];
    }),
  );
}

function systemTexts({ system = [], messages }: CountableRequest): string[] {
  const texts = typeof system === 'string' ? [system] : system.map(({ text }) => text);
  const between = messages.filter(({ role }) => role === 'system').flatMap(blocksOf);
  return [...texts, ...between.flatMap((block) => (block.type === 'text' ? [block.text] : []))];
}

function addedTexts({ messages }: CountableRequest, prompt: string): string[] {
  const [first] = dialogueOf(messages);
  const blocks = first?.blocks ?? [];
  return blocks.flatMap((block) => (block.type === 'text' && block.text !== prompt ? [block.text] : []));
}

/** The names that a text lists, one a line, under a sentence about deferred tools. */
function namesIn(system: string): string[] {
  const lists = system.matchAll(/^.*\bdeferred tools\b.*\n((?:[A-Za-z0-9_-]{1,128}(?:\n|$))+)/gim);
  return [...lists].flatMap(([, names = '']) => names.trimEnd().split('\n'));
}
