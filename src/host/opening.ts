/** The opening event of a run: everything that was asked, and every frozen input, kept by its hash. */
import { sha256 } from '../events/bytes.js';
import type { Store } from '../events/store.js';
import type { Prepared } from './prepare.js';
import { probeId } from './probe.js';
import { runtimeFacts } from './runtime.js';

export function runOpenOf(
  prepared: Prepared,
  store: Store,
  measured: { tokenizer: string | null; endpoint: string | null },
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
    ...{ runtime: runtimeFacts(measured), protocol: prepared.protocol },
    tasks: tasks.map(({ id, key, question_sha256, key_sha256, independent_count }) => ({
      ...{ id, kind: key.kind, question_sha256, key_sha256, independent_count },
    })),
    inputs,
    plan: {
      conditions: conditions.map(({ name, server, tools, controls, select }) => ({
        ...{ name, server, tools, controls: [...controls], select },
      })),
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
