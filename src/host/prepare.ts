/** What a recording is going to do, decided and checked before anything is spent. */
import { randomInt } from 'node:crypto';
import { Problem } from '../events/problem.js';
import { NO_USAGE } from '../events/usage.js';
import { type Condition, loadStudy, type Study } from '../study/load.js';
import { type PlannedTrial, planTrials } from '../study/plan.js';
import type { ProtocolChoice } from '../study/protocols.js';
import type { Task } from '../study/tasks.js';
import { apiKeyIn, baseUrlIn } from './credentials.js';
import { type ModelPrice, priceOf } from './prices.js';
import type { RunLimits } from './run.js';
import { parseScript, type Script } from './scripted/script.js';
import { serverSpec } from './servers.js';

/** What a person may choose for a run; a study gives the rest. */
export interface RecordChoice {
  study: string;
  host?: 'scripted' | 'messages' | undefined;
  model?: string | undefined;
  conditions?: string[] | undefined;
  tasks?: string[] | undefined;
  repetitions?: number | undefined;
  seed?: number | undefined;
  /** So many of all trials. */
  sample?: number | undefined;
  /** Trials side by side. */
  concurrency?: number | undefined;
  budgetTokens?: number | undefined;
  budgetUsd?: number | undefined;
  protocol?: ProtocolChoice | undefined;
}

export interface Prepared {
  study: Study;
  host: 'scripted' | 'messages';
  model: string;
  /** Null for the scripted model, which needs none, and where nothing is going to be sent. */
  apiKey: string | null;
  /** Endpoint, null for the scripted model's own, or where none is named. */
  baseURL: string | null;
  script: Script | null;
  price: ModelPrice | null;
  conditions: Condition[];
  tasks: Task[];
  phrasings: string[];
  repetitions: number;
  seed: number;
  trials: PlannedTrial[];
  /** Trials that may be under way at once. */
  concurrency: number;
  probes: string[];
  limits: RunLimits;
  /** What --protocol asked for, else null. */
  protocol: ProtocolChoice | null;
  budget: { tokens: number | null; usd: number | null };
}

/** Model id that a scripted run records. */
export const SCRIPTED_MODEL = 'scripted';

/**
 * Loads and checks a study and the choices made for this run. Throws a `Problem` for the first thing that is wrong.
 * With `sends: false` nothing is going to be sent, and no key is asked for.
 */
export function prepare(
  choice: RecordChoice,
  env: NodeJS.ProcessEnv = process.env,
  { sends = true }: { sends?: boolean } = {},
): Prepared {
  const study = loadStudy(choice.study);
  const { definition } = study;
  const host = hostOf(choice, study);
  const { model, apiKey, baseURL, price } =
    host === 'scripted' ? SCRIPTED : messagesModel(choice, study, env, sends);
  const conditions = pick(
    'condition',
    study.conditions,
    choice.conditions,
    (condition) => condition.name,
    study,
  );
  const known = sends ? env : { ...unsetHeaders(study), ...env };
  for (const condition of conditions) serverSpec(study, condition, known);
  const tasks = pick('task', study.tasks, choice.tasks, (task) => task.id, study);
  const phrasings = Object.keys(definition.phrasings);
  const repetitions = choice.repetitions ?? definition.repetitions;
  const seed = choice.seed ?? randomInt(2 ** 31);
  const names = conditions.map((condition) => condition.name);
  const shape = {
    conditions: names,
    tasks: tasks.map((task) => task.id),
    phrasings,
    repetitions,
    order: definition.order,
    seed,
    sample: choice.sample,
    kept: conditions.filter(({ home }) => home === 'kept').map(({ name }) => name),
  };
  const probes = Object.entries(definition.probes).flatMap(([name, probe]) =>
    names.includes(probe.condition) ? [name] : [],
  );
  return {
    ...{
      study,
      host,
      model,
      apiKey,
      baseURL,
      price,
      conditions,
      tasks,
      phrasings,
      repetitions,
      seed,
      probes,
    },
    script: host === 'scripted' ? loadScript(study) : null,
    trials: planTrials(shape),
    concurrency: choice.concurrency ?? 1,
    limits: definition.limits,
    protocol: choice.protocol ?? null,
    budget: budgetOf(choice, host, model, price),
  };
}

/** The host that is asked for; a model means another host than the scripted one. */
function hostOf({ host, model }: RecordChoice, { definition, file }: Study): Prepared['host'] {
  const asked =
    host ?? (model !== undefined && definition.host === 'scripted' ? 'messages' : definition.host);
  if (asked !== 'claude-code' && definition.system === undefined) throw systemRequired(asked, file);
  if (asked !== 'claude-code') return asked;
  const what = 'the host claude-code is not there yet';
  throw new Problem({ code: 'HOST_UNAVAILABLE', what, todo: 'use --host scripted or messages', file });
}

function systemRequired(host: string, file: string): Problem {
  const what = `the host ${host} needs a system text, and the study has none`;
  return new Problem({ code: 'SYSTEM_REQUIRED', what, todo: 'write it under `system`', file });
}

/** Where nothing is going to be sent, the variables of headers need not be set. */
function unsetHeaders({ definition }: Study): NodeJS.ProcessEnv {
  const names = Object.values(definition.servers).flatMap(({ headers_from }) => Object.values(headers_from));
  return Object.fromEntries(names.map((name) => [name, 'not set']));
}

const SCRIPTED = { model: SCRIPTED_MODEL, apiKey: null, baseURL: null, price: null };

function messagesModel(choice: RecordChoice, study: Study, env: NodeJS.ProcessEnv, sends: boolean) {
  const model = choice.model ?? (env.MEASURE_MODEL || study.definition.model);
  if (model === undefined || model === '') {
    const what = 'no model is named, and this command makes billable calls';
    throw new Problem({
      code: 'MODEL_REQUIRED',
      what,
      todo: 'name one with --model, or use --host scripted',
    });
  }
  return { model, apiKey: sends ? apiKeyIn(env) : null, baseURL: baseUrlIn(env), price: priceOf(model) };
}

function pick<T>(
  what: string,
  all: T[],
  chosen: string[] | undefined,
  nameOf: (item: T) => string,
  study: Study,
): T[] {
  if (chosen === undefined || chosen.length === 0) return all;
  const unknown = chosen.find((name) => !all.some((item) => nameOf(item) === name));
  if (unknown === undefined) return all.filter((item) => chosen.includes(nameOf(item)));
  const code = `${what.toUpperCase()}_UNKNOWN`;
  const todo = `use one of: ${all.map(nameOf).join(', ')}`;
  throw new Problem({ code, what: `the study has no ${what} "${unknown}"`, todo, file: study.file });
}

function loadScript(study: Study): Script {
  const input = study.inputs.find((candidate) => candidate.name === 'script');
  if (input !== undefined) return parseScript(input.bytes.toString('utf8'), input.path);
  const what = 'the scripted model needs a script, and the study names none';
  throw new Problem({
    code: 'SCRIPT_REQUIRED',
    what,
    todo: 'add `script: script.yaml`, or name a model with --model',
    file: study.file,
  });
}

function budgetOf(
  choice: RecordChoice,
  host: string,
  model: string,
  price: ModelPrice | null,
): Prepared['budget'] {
  const usd = choice.budgetUsd ?? null;
  if (usd !== null && price === null) {
    const what =
      host === 'scripted' ? 'the scripted model costs nothing' : `the list price of "${model}" is not known`;
    throw new Problem({ code: 'UNPRICED_MODEL', what, todo: 'use --budget-tokens instead of --budget-usd' });
  }
  return { tokens: choice.budgetTokens ?? null, usd };
}

/** The most that a run can do, from its limits alone. */
export interface Ceiling {
  trials: number;
  probes: number;
  /** Trials × turns × attempts. */
  calls: number;
  output_tokens: number;
  /** Calls × the model's context window; null where that is not known. */
  input_tokens: number | null;
  /** US dollars at list price; null where a price or the context window is not known. */
  usd: number | null;
}

export function ceilingOf(
  { limits, price, ...whole }: Prepared,
  { trials, probes }: { trials: unknown[]; probes: unknown[] } = whole,
): Ceiling {
  const calls = trials.length * limits.max_turns * (1 + limits.retries);
  const window = price?.context_window ?? null;
  const call = { ...NO_USAGE, input_tokens: window ?? 0, output_tokens: limits.max_tokens };
  return {
    ...{ trials: trials.length, probes: probes.length, calls, output_tokens: calls * limits.max_tokens },
    input_tokens: window === null ? null : calls * window,
    usd: price === null || window === null ? null : calls * price.cost(call),
  };
}
