/** `measure compare`: what each condition cost against a base. */
import { Args, Flags } from '@oclif/core';
import type { CompareResult } from '../analysis/compare.js';
import { MeasureCommand, Store } from '../cli/command.js';
import { showComparison } from '../cli/show-compare.js';

export default class Compare extends MeasureCommand {
  static override summary =
    'Compare the conditions of a graded run: tokens and bytes, only where both answers pass.';
  static override description =
    `What was left out is listed with its reason. A ratio over 1 means that the condition costs more than the base.
Of a run of Claude Code it shows, by condition, whether the server's tools were called and the answer was right, which
tools were called, what wrong answers did instead, what a server costs that is not used, and how launches went. --json
names the trials behind every figure.

Exit code 0: every trial has a verdict. 3: one has none, or is undecided.`;
  static override examples = [
    '<%= config.bin %> compare',
    '<%= config.bin %> compare latest --base baseline --json',
  ];
  static override args = {
    run: Args.string({ default: 'latest', description: 'A run id, a unique prefix, or `latest`.' }),
  };
  static override flags = {
    base: Flags.string({
      summary: 'Condition that the others are compared with; baseline where there is one.',
      helpValue: 'NAME',
    }),
  };

  async run(): Promise<CompareResult> {
    const { args, flags } = await this.parse(Compare);
    const { compareRun } = await import('../analysis/compare.js');
    const store = new Store(flags.store);
    const result = compareRun(store, store.resolveRun(args.run), flags.base ?? null);
    await this.print(showComparison(result));
    if (result.undecided) this.exitWith(3);
    return result;
  }
}
