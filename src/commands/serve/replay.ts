/** `measure serve replay`: a recording as a server. */
import { Args, Flags } from '@oclif/core';
import { MeasureCommand, Store } from '../../cli/command.js';

export default class ServeReplay extends MeasureCommand {
  static override enableJsonFlag = false;
  static override summary = 'Serve a recorded trial over MCP on stdio, byte for byte, without its server.';
  static override description =
    `Handshake, catalog and tool calls are answered with the recorded bytes; only the id of a reply becomes that of the
request. A call is found by its tool and arguments, whatever the order of their keys. A call that was recorded several
times is answered in that order. One that was not recorded, was recorded without an answer, or is made more often than it
was recorded, is a JSON-RPC error that says so (-32010, -32012, -32011): nothing is ever guessed. Where the recorded server ended in the
middle of a call, this one does, too. The handshake and the
catalog may be asked for again. Newlines within a reply, which HTTP lets be and a line does not, become blanks.

Notifications and requests of the recorded server, and whatever else it wrote, are left out, and answers come at once.

Exit code 2: the run or trial is not there. 3: its recording is damaged or has no bytes.`;
  static override examples = [
    '<%= config.bin %> serve replay latest --trial lookup/baseline/plain/1',
    '<%= config.bin %> serve replay 20261103T0900 --store runs',
  ];
  static override args = {
    run: Args.string({ required: true, description: 'A run id, a unique prefix, or `latest`.' }),
  };
  static override flags = {
    trial: Flags.string({
      summary: 'Trial id; may be left out where the run has one trial only.',
      helpValue: 'ID',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ServeReplay);
    const { openReplay, serveReplay } = await import('../../server/replay/main.js');
    const store = new Store(flags.store);
    await serveReplay(
      openReplay(store, store.resolveRun(args.run), flags.trial),
      process.stdin,
      process.stdout,
    );
  }
}
