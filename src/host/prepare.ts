/** What a recording is going to do, decided and checked before anything is spent. */
import { randomInt } from 'node:crypto';
import { Problem } from '../events/problem.js';
import { type Condition, loadStudy, type Study } from '../study/load.js';
import { type PlannedTrial, planTrials } from '../study/plan.js';
import type { ProtocolChoice } from '../study/protocols.js';
import type { Task } from '../study/tasks.js';
import { checkForClaude } from './claude-code/check.js';
import { type ModelChoice, modelOf, SCRIPTED_MODEL } from './model.js';
import type { RunLimits } from './run.js';
import { parseScript, type Script } from './scripted/script.js';
import { serverSpec } from './servers.js';

export type Host = 'scripted' | 'messages' | 'claude-code';

/** What a person may choose for a run; a study gives the rest. */
export interface RecordChoice {
  study: string;
  host?: Host | undefined;
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
  /** Path of the command of Claude Code. */
  claude?: string | undefined;
  /** Whether a recording proxy stands between Claude Code and its endpoint. */
  proxy?: boolean | undefined;
}

export interface Prepared extends ModelChoice {
  study: Study;
  host: Host;
  /** Of the embedded scripted model, else null. */
  script: Script | null;
  /** How Claude Code is started, where it is the host: its command, where that is named, and whether a proxy listens. */
  claude: { command: string | undefined; proxy: boolean } | null;
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
  const chosen = modelOf({ host, named: choice.model, study, env, sends });
  const conditions = pick(
    'condition',
    study.conditions,
    choice.conditions,
    (condition) => condition.name,
    study,
  );
  const known = sends ? env : { ...unsetHeaders(study), ...env };
  const tasks = pick('task', study.tasks, choice.tasks, (task) => task.id, study);
  if (host === 'claude-code') checkForClaude(study, { conditions, tasks }, known);
  else for (const condition of conditions) serverSpec(study, condition, known);
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
    ...{ ...chosen, study, host, conditions, tasks, phrasings, repetitions, seed, probes },
    script: chosen.model === SCRIPTED_MODEL && host !== 'messages' ? loadScript(study) : null,
    claude: host === 'claude-code' ? { command: choice.claude, proxy: choice.proxy ?? false } : null,
    trials: planTrials(shape),
    concurrency: choice.concurrency ?? 1,
    limits: definition.limits,
    protocol: choice.protocol ?? null,
    budget: budgetOf(choice, chosen),
  };
}

/** The host that is asked for; a model means another host than the scripted one. */
function hostOf({ host, model, proxy }: RecordChoice, { definition, file }: Study): Prepared['host'] {
  const asked =
    host ?? (model !== undefined && definition.host === 'scripted' ? 'messages' : definition.host);
  if (asked !== 'claude-code' && definition.system === undefined) throw systemRequired(asked, file);
  if (asked !== 'claude-code' && proxy === true) throw proxyUnsupported(asked, file);
  return asked;
}

function proxyUnsupported(host: string, file: string): Problem {
  const what = `the host ${host} has no use for a proxy: it records its requests itself`;
  return new Problem({ code: 'PROXY_UNSUPPORTED', what, todo: 'leave --proxy out', file });
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

function budgetOf(choice: RecordChoice, { model, price }: ModelChoice): Prepared['budget'] {
  const usd = choice.budgetUsd ?? null;
  if (usd !== null && price === null) {
    const what =
      model === SCRIPTED_MODEL
        ? 'the scripted model costs nothing'
        : `the list price of "${model}" is not known`;
    throw new Problem({ code: 'UNPRICED_MODEL', what, todo: 'use --budget-tokens instead of --budget-usd' });
  }
  return { tokens: choice.budgetTokens ?? null, usd };
}
