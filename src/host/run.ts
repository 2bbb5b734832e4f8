/** What every trial of a run shares. */
import type { Study } from '../study/load.js';
import type { Budget } from './budget.js';
import type { ModelClient } from './messages.js';
import type { Recorder } from './recorder.js';

export interface RunLimits {
  max_tokens: number;
  max_turns: number;
  model_timeout_ms: number;
  tool_timeout_ms: number;
  connect_timeout_ms: number;
  retries: number;
}

export interface RunContext {
  study: Study;
  recorder: Recorder;
  client: ModelClient;
  budget: Budget;
  /** Who counts the tokens: a provider, or the scripted model's tokenizer. */
  usage_source: 'provider' | 'estimate';
  limits: RunLimits;
}
