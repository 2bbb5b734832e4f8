/** `measure serve records`: the frozen-records server on stdio. */
import { Command, Flags } from '@oclif/core';

export default class ServeRecords extends Command {
  static override summary = 'Serve frozen records over MCP on stdio.';
  static override description =
    `Controls are separate switches: filter (find_records instead of list_records), count (count_by_field), paginate (pages of
five with cursors), cache (results kept for 60 s). The fifth, select, is the host's: this server ignores it.
The bytes of both files are checked again on every call.`;
  static override examples = [
    '<%= config.bin %> serve records --snapshot data/context-controls/snapshot.json --fields data/context-controls/fields.json --controls all',
  ];
  static override flags = {
    snapshot: Flags.string({
      summary: 'Snapshot: a JSON array of records.',
      required: true,
      helpValue: 'FILE',
    }),
    fields: Flags.string({
      summary: 'Allow-list: a JSON array of field names.',
      required: true,
      helpValue: 'FILE',
    }),
    controls: Flags.string({
      summary: 'none, all, or a list: filter,count,paginate,select,cache.',
      required: true,
      helpValue: 'LIST',
    }),
    'expect-snapshot-sha256': Flags.string({
      summary: 'Refuse to start with any other snapshot.',
      helpValue: 'HASH',
    }),
    'expect-fields-sha256': Flags.string({
      summary: 'Refuse to start with any other allow-list.',
      helpValue: 'HASH',
    }),
  };

  async run(): Promise<void> {
    const { raw } = await this.parse(ServeRecords);
    const { main } = await import('../../server/records/main.js');
    await main(raw.map((token) => (token.type === 'flag' ? `--${token.flag}=${token.input}` : token.input)));
  }
}
