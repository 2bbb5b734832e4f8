/** `measure replay`: rebuilds receipts from logs and checks every request. */
import { Args } from '@oclif/core';
import { MeasureCommand, Store } from '../cli/command.js';
import { showReplay } from '../cli/show-replay.js';
import { isVerified, type Replay, replayFile } from '../events/replay.js';

type RunReplay = Replay & { run: string; verified: boolean };

export default class ReplayCommand extends MeasureCommand {
  static override summary =
    'Rebuild the receipt of a run from its log, and check each request to the model byte for byte.';
  static override description =
    'Exit code 3 where a request differs, a line is damaged, or the run never closed. Makes no model call.';
  static override examples = ['<%= config.bin %> replay', '<%= config.bin %> replay latest --json'];
  static override strict = false;
  static override args = {
    run: Args.string({ description: 'Run ids, unique prefixes, or `latest` (the default).' }),
  };

  async run(): Promise<{ runs: RunReplay[] }> {
    const { argv, flags } = await this.parse(ReplayCommand);
    const store = new Store(flags.store);
    const runs: RunReplay[] = [];
    for (const run of this.runsOf(store, argv.map(String))) {
      const replayed = replayFile(store.eventsFile(run));
      runs.push({ run, verified: isVerified(replayed), ...replayed });
      await this.print(showReplay(run, replayed));
    }
    if (runs.some((run) => !run.verified)) this.exitWith(3);
    return { runs };
  }
}
