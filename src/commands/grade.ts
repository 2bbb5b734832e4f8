/** `measure grade`: verdicts on recorded runs, without a model call. */
import { Args, Flags } from '@oclif/core';
import type { RunGrade } from '../analysis/grade.js';
import { MeasureCommand, Store } from '../cli/command.js';
import { gradeExit, showGrade } from '../cli/show-grade.js';

export default class Grade extends MeasureCommand {
  static override summary = 'Judge the answers of a run by its frozen keys, or by changed ones.';
  static override description =
    `Verdicts are appended to the run's grades.jsonl with the digest of the key; earlier ones stay.
A file of --keys may change keys, never questions. No socket is opened.

Exit code 0: every trial passes. 1: one fails. 3: the run is incomplete, or a trial is undecided.`;
  static override examples = [
    '<%= config.bin %> grade',
    '<%= config.bin %> grade latest --keys data/context-controls/tasks.json --json',
  ];
  static override strict = false;
  static override args = {
    run: Args.string({ description: 'Run ids, unique prefixes, or `latest` (the default).' }),
  };
  static override flags = {
    keys: Flags.string({
      summary: 'Tasks file whose keys are used instead of the frozen ones.',
      helpValue: 'FILE',
    }),
  };

  async run(): Promise<{ runs: RunGrade[] }> {
    const { argv, flags } = await this.parse(Grade);
    const { gradeRuns } = await import('../analysis/grade.js');
    const store = new Store(flags.store);
    const grader = `measure ${this.config.version}`;
    const names = this.runsOf(store, argv.map(String));
    const { holdingGrades } = await import('../events/lock.js');
    const folders = names.map((name) => store.runDirectory(name));
    const runs = await holdingGrades(folders, () =>
      gradeRuns(store, names, { keys: flags.keys ?? null, grader }),
    );
    for (const graded of runs) await this.print(showGrade(graded));
    this.exitWith(gradeExit(runs));
    return { runs };
  }
}
