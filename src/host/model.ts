/** Which model a run asks, where, and with which credential. */
import { Problem } from '../events/problem.js';
import type { Study } from '../study/load.js';
import { apiKeyIn, assertCredential, baseUrlIn } from './credentials.js';
import { type ModelPrice, priceOf } from './prices.js';

/** Model id that a scripted run records. */
export const SCRIPTED_MODEL = 'scripted';

export interface ModelChoice {
  model: string;
  /** Null for the scripted model, which needs none, for Claude Code, which finds its own, and where nothing is sent. */
  apiKey: string | null;
  /** Endpoint, null for the scripted model's own, or where none is named. */
  baseURL: string | null;
  /** Null where the list price is not known, or nothing is billed. */
  price: ModelPrice | null;
}

/** What was chosen for a run, and whether anything is going to be sent. */
export interface ModelWish {
  host: 'scripted' | 'messages' | 'claude-code';
  /** --model. */
  named: string | undefined;
  study: Study;
  env: NodeJS.ProcessEnv;
  sends: boolean;
}

const SCRIPTED = { model: SCRIPTED_MODEL, apiKey: null, baseURL: null, price: null };

/** Throws `MODEL_REQUIRED` where none is named, and what the credentials in the environment are refused for. */
export function modelOf(wish: ModelWish): ModelChoice {
  if (wish.host === 'scripted') return SCRIPTED;
  return wish.host === 'messages' ? messagesModel(wish) : claudeModel(wish);
}

function messagesModel({ named, study, env, sends }: ModelWish): ModelChoice {
  const model = named ?? (env.MEASURE_MODEL || study.definition.model);
  if (model === undefined || model === '') throw modelRequired();
  return { model, apiKey: sends ? apiKeyIn(env) : null, baseURL: baseUrlIn(env), price: priceOf(model) };
}

/** A study that names the scripted model is not made billable by a variable. */
function claudeModel({ named, study, env, sends }: ModelWish): ModelChoice {
  const model = named ?? (study.definition.model || env.MEASURE_MODEL);
  if (model === undefined || model === '') throw modelRequired();
  if (model === SCRIPTED_MODEL) return SCRIPTED;
  if (sends) assertCredential(env);
  return { model, apiKey: null, baseURL: baseUrlIn(env), price: priceOf(model) };
}

function modelRequired(): Problem {
  const what = 'no model is named, and this command makes billable calls';
  const todo = 'name one with --model, or use --host scripted';
  return new Problem({ code: 'MODEL_REQUIRED', what, todo });
}
