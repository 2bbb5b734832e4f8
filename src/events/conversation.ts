/** The conversation with the model as a fold over events: the host sends what this builds, replay checks it. */
import { type AdvertisedTool, advertise } from './advertise.js';
import type { Event, EventOf } from './event.js';

interface ToolResult {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error: boolean;
}

export interface Message {
  role: 'user' | 'assistant';
  content: unknown;
}

/** What is known of a run that every request of it repeats. */
export interface Setting {
  model: string;
  max_tokens: number;
  system: string;
  /** Per condition: tools that may be advertised, null for all. */
  tools: Record<string, string[] | null>;
}

export interface Conversation {
  setting: Setting;
  condition: string;
  tools: AdvertisedTool[];
  messages: Message[];
  /** Results of the calls of the last turn, not yet sent. */
  results: ToolResult[];
}

/** The setting of a run; null where its start-up failed, and where the host is a program that writes its own requests. */
export function settingOf(open: EventOf<'run_open'>): Setting | null {
  if (open.host === 'claude-code') return null;
  if (open.plan === null || open.limits === null || open.model === null || open.system === null) return null;
  const tools = Object.fromEntries(
    open.plan.conditions.map((condition) => [condition.name, condition.tools]),
  );
  return { model: open.model, max_tokens: open.limits.max_tokens, system: open.system, tools };
}

/** The conversation that a trial begins with. */
export function beginConversation(setting: Setting, open: EventOf<'trial_open'>): Conversation {
  const messages: Message[] = open.prompt === null ? [] : [{ role: 'user', content: open.prompt }];
  return { setting, condition: open.condition, tools: [], messages, results: [] };
}

/** The conversation after one more event of its trial. Pure. */
export function converse(talk: Conversation, event: Event): Conversation {
  switch (event.type) {
    case 'catalog':
      return { ...talk, tools: [...talk.tools, ...advertise(event.tools, allowedTools(talk), talk.tools)] };
    case 'turn_request':
      return send(talk);
    case 'model_turn':
      return { ...talk, messages: [...talk.messages, { role: 'assistant', content: event.content }] };
    case 'tool_call':
      return event.turn === null ? talk : { ...talk, results: [...talk.results, resultOf(event)] };
    case 'run_open':
    case 'trial_open':
    case 'launch':
    case 'launch_end':
    case 'handshake':
    case 'fault':
    case 'message':
    case 'close':
    case 'run_interrupted':
    case 'run_resumed':
    case 'log_repaired':
    case 'run_close':
    case 'grade':
    case 'override':
      return talk;
    default:
      return event satisfies never;
  }
}

/** The body of the next request, byte for byte as it is sent. */
export function requestBody(talk: Conversation): {
  model: string;
  max_tokens: number;
  system: string;
  messages: Message[];
  tools: AdvertisedTool[];
} {
  const { model, max_tokens, system } = talk.setting;
  return { model, max_tokens, system, messages: send(talk).messages, tools: talk.tools };
}

function allowedTools({ setting, condition }: Conversation): string[] | null {
  return Object.hasOwn(setting.tools, condition) ? (setting.tools[condition] ?? null) : null;
}

/** Puts the results that wait into a user message. */
function send(talk: Conversation): Conversation {
  if (talk.results.length === 0) return talk;
  return { ...talk, messages: [...talk.messages, { role: 'user', content: talk.results }], results: [] };
}

function resultOf(event: EventOf<'tool_call'>): ToolResult {
  return {
    type: 'tool_result',
    tool_use_id: event.call_id,
    content: event.model_facing_text ?? '',
    is_error: event.is_error,
  };
}
