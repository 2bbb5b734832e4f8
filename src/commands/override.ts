/** `measure override`: a person's verdict on one trial, over whatever a key says. */
import { Args, Flags } from '@oclif/core';
import type { OverrideResult } from '../analysis/override.js';
import type { Verdict } from '../analysis/verdicts.js';
import { MeasureCommand, Store } from '../cli/command.js';
import { showOverride } from '../cli/show-override.js';
import { Problem } from '../events/problem.js';
import { authorName } from '../host/author.js';

export default class Override extends MeasureCommand {
  static override summary =
    "Put a person's verdict over that of a key on one trial, with who decided and why.";
  static override description =
    `It is appended beside the grades, in grades.jsonl of the run, and never to the log. The last one on a trial counts, and
--remove takes it back; all of them are kept. It stands on this answer of this attempt, whatever keys say later, and is
shown wherever the verdict is.

Exit code 0: it was written. 2: there is no such trial, no reason, or nothing to take back.`;
  static override examples = [
    '<%= config.bin %> override latest lookup/baseline/plain/1 --verdict fail --reason "a guess: no record was read"',
    '<%= config.bin %> override latest lookup/baseline/plain/1 --remove --reason "it did read the record"',
  ];
  static override args = {
    run: Args.string({ required: true, description: 'A run id, a unique prefix, or `latest`.' }),
    trial: Args.string({ required: true, description: 'Trial id: TASK/CONDITION/PHRASING/REPETITION.' }),
  };
  static override flags = {
    verdict: Flags.option({
      options: ['pass', 'fail', 'undecided'] as const,
      summary: 'What stands from now on.',
    })(),
    remove: Flags.boolean({ summary: 'Take back the override that stands.', exclusive: ['verdict'] }),
    reason: Flags.string({ summary: 'Why.', required: true, helpValue: 'TEXT' }),
    author: Flags.string({
      summary: "Who decides; git's user.name where absent, or else the name of the user.",
      helpValue: 'NAME',
    }),
  };

  async run(): Promise<OverrideResult> {
    const { args, flags } = await this.parse(Override);
    const { overrideTrial } = await import('../analysis/override.js');
    const { holdingGrades } = await import('../events/lock.js');
    const store = new Store(flags.store);
    const run = store.resolveRun(args.run);
    const choice = {
      ...{ trial: args.trial, reason: flags.reason, author: flags.author?.trim() || authorName() },
      verdict: verdictOf(flags),
    };
    const result = await holdingGrades([store.runDirectory(run)], () => overrideTrial(store, run, choice));
    await this.print(showOverride(result));
    return result;
  }
}

function verdictOf({ verdict, remove }: { verdict?: Verdict | undefined; remove: boolean }): Verdict | null {
  if (verdict !== undefined) return verdict;
  if (remove) return null;
  const what = 'neither a verdict nor --remove is given';
  throw new Problem({ code: 'INVALID_ARGUMENTS', what, todo: 'say --verdict pass, fail or undecided' });
}
