/** What cannot be asked of Claude Code is refused before anything is spent. */
import { Problem } from '../../events/problem.js';
import type { Condition, Study } from '../../study/load.js';
import type { Task } from '../../study/tasks.js';
import { workRoot } from './home.js';
import { offeredServer } from './server.js';

/**
 * Throws what `offeredServer` and `workRoot` throw, `CONTROL_UNSUPPORTED` for the control `select`, which this host cannot
 * apply, and `PROMPT_IS_COMMAND` or `PROMPT_ATTACHES_FILE` for a question that it would not put to the model as it stands.
 */
export function checkForClaude(
  study: Study,
  { conditions, tasks }: { conditions: Condition[]; tasks: Task[] },
  env: NodeJS.ProcessEnv,
): void {
  workRoot();
  for (const condition of conditions) {
    offeredServer(study, condition, env);
    if (condition.controls.includes('select')) throw selects(study, condition);
  }
  for (const [phrasing, template] of Object.entries(study.definition.phrasings))
    for (const { id, question } of tasks)
      checkPrompt(
        template.replace('{question}', () => question),
        `the task "${id}" in the phrasing "${phrasing}"`,
        study,
      );
}

/** A path behind an @; one that begins in the working folder leads nowhere, since that is empty. */
const ATTACHED = /(?:^|\s)@"?(?:\/|~|\.\.)/;

function checkPrompt(prompt: string, which: string, { file }: Study): void {
  const todo = 'put it in other words';
  if (prompt.startsWith('/')) {
    const what = `${which} begins with "/", which Claude Code takes for a command of its own`;
    throw new Problem({ code: 'PROMPT_IS_COMMAND', what, todo, file });
  }
  if (!ATTACHED.test(prompt)) return;
  const what = `${which} has "@" and a path in it, so that Claude Code would send that file along`;
  throw new Problem({ code: 'PROMPT_ATTACHES_FILE', what, todo, file });
}

function selects({ file }: Study, { name }: Condition): Problem {
  const what = `condition "${name}" has the control \`select\`, and Claude Code hands results on as they come`;
  const todo = 'leave the control out, or choose other conditions with --condition';
  return new Problem({ code: 'CONTROL_UNSUPPORTED', what, todo, file });
}
