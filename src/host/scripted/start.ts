/** The scripted model of a study: its script, and every question in every phrasing. */
import type { Prepared } from '../prepare.js';
import type { ScriptedEndpoint } from './endpoint.js';

/** Starts it. It is loaded only where it is needed. */
export async function startScripted(prepared: Prepared): Promise<ScriptedEndpoint> {
  const { startScriptedModel } = await import('./endpoint.js');
  const { study, script } = prepared;
  if (script === null) throw new Error('a scripted run without a script');
  const phrasings = Object.values(study.definition.phrasings);
  const tasks = study.tasks.flatMap(({ id, key, question, entry }) =>
    phrasings.map((phrasing) => ({
      ...{ id, prompt: phrasing.replace('{question}', () => question), task: entry },
      ...(key.kind === null ? {} : { kind: key.kind }),
    })),
  );
  return startScriptedModel({ script, tasks, answer: study.definition.answer });
}
