/** `measure init`: a study to start from. */
import { Args } from '@oclif/core';
import { MeasureCommand } from '../cli/command.js';

export default class Init extends MeasureCommand {
  static override summary = 'Copy the records study into a new folder; it runs at once.';
  static override description =
    `Replace snapshot.json, fields.json and tasks.json by your own: the study goes on running, with the scripted model
and with a real one. SOURCES.md says what the copied records are and under which licence.`;
  static override examples = ['<%= config.bin %> init my-study'];
  static override args = {
    directory: Args.string({ required: true, description: 'A new or an empty folder.' }),
  };

  async run(): Promise<{ directory: string; files: string[] }> {
    const { args } = await this.parse(Init);
    const { initStudy } = await import('../study/init.js');
    const files = initStudy(args.directory);
    await this.print(
      [...files.map((file) => `wrote ${file}`), `next: measure record ${quoted(args.directory)}`].join('\n'),
    );
    return { directory: args.directory, files };
  }
}

/** A path as a shell takes it. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
