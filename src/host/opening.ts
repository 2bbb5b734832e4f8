/** The opening event of a run: everything that was asked, and every frozen input, kept by its hash. */
import { resolve } from 'node:path';
import { sha256 } from '../events/bytes.js';
import type { Store } from '../events/store.js';
import { type Condition, studyNameOf } from '../study/load.js';
import type { ClaudeCli } from './claude-code/cli.js';
import type { Host, Prepared, RecordChoice } from './prepare.js';
import { probeId } from './probe.js';
import { runtimeFacts } from './runtime.js';

export function runOpenOf(
  prepared: Prepared,
  store: Store,
  { cli, ...measured }: { tokenizer: string | null; endpoint: string | null; cli: ClaudeCli | null },
) {
  const { study, host, model, conditions, tasks, limits, budget } = prepared;
  const { definition } = study;
  const inputs = study.inputs.map(({ name, path, bytes, sha256: hash }) => ({
    ...{ name, path, bytes: bytes.length, sha256: hash, blob: store.putBlob(bytes) },
    records: name === 'snapshot' && study.records !== null ? study.records.snapshot.rows.length : null,
    fields: name === 'fields' && study.records !== null ? study.records.fields : null,
  }));
  return {
    ...{
      type: 'run_open' as const,
      study: { name: definition.name, path: study.file, sha256: inputs[0]?.sha256 ?? null },
    },
    ...{ host, model, limits: { ...limits, budget_tokens: budget.tokens, budget_usd: budget.usd } },
    runtime: { ...runtimeFacts(measured), ...(cli === null ? {} : { claude_code: programOf(cli) }) },
    protocol: prepared.protocol,
    tasks: tasks.map(({ id, key, question_sha256, key_sha256, independent_count }) => ({
      ...{ id, kind: key.kind, question_sha256, key_sha256, independent_count },
    })),
    inputs,
    plan: {
      conditions: conditions.map((condition) => conditionOf(host, condition)),
      phrasings: Object.entries(definition.phrasings).map(([name, template]) => ({ name, template })),
      ...{ repetitions: prepared.repetitions, order: definition.order, seed: prepared.seed },
      ...{ on_failure: definition.on_failure, trials: prepared.trials },
      concurrency: prepared.concurrency,
      answer: definition.answer,
      probes: prepared.probes.map(probeId),
    },
    system_sha256: definition.system === undefined ? null : sha256(definition.system),
    system: definition.system ?? null,
  };
}

/** The same of a run that could not begin: what was asked for, as far as that is known. */
export function failedOpenOf({ study, host, model }: RecordChoice) {
  const path = resolve(study);
  return {
    ...{ type: 'run_open' as const, study: { name: studyNameOf(path), path, sha256: null } },
    ...{
      host: host ?? (model === undefined ? null : ('messages' as const)),
      model: model ?? null,
      limits: null,
    },
    ...{ runtime: runtimeFacts({ tokenizer: null, endpoint: null }), tasks: [], inputs: [], plan: null },
    ...{ system_sha256: null, system: null },
  };
}

/** A condition with what means something to the host. */
function conditionOf(host: Host, condition: Condition) {
  const { name, server, tools, controls, select, tool_search, home, settings } = condition;
  const common = { name, server, tools, controls: [...controls], select };
  return host === 'claude-code' ? { ...common, tool_search, home, settings } : common;
}

function programOf({ path, sha256: hash, version }: ClaudeCli) {
  return { path, sha256: hash, version };
}
